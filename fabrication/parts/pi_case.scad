// A Pi with the two-button hat, screwed under a table or behind a display: base and cover, four M2.5 x 30 through both.
// Print both on their flat side. Open where the cables are: USB side, hat's side.
include <sizes.scad>

part = "base";   // base, cover
room = [pi[0] + 2 * play, pi[1] + 2 * play, 42];  // Pi 18, spacers 11 and hat with plugs 13
outer = [room[0] + 2 * wall, room[1] + 2 * wall];
standoff = 4;

module at_holes() translate([wall + play + pi_hole_inset, wall + play + pi_hole_inset, 0])
    for (x = [0, pi_holes[0]], y = [0, pi_holes[1]]) translate([x, y, 0]) children();
module slots(z) for (x = [14 : 8 : 78]) translate([x, outer[1] / 2 - 12, z]) cube([3, 24, wall + 2]);

module base() {
    difference() {
        union() {
            rounded([outer[0], outer[1], wall], 3);
            for (x = [-14, outer[0] - 1]) translate([x, outer[1] / 2 - 8, 0]) cube([15, 16, wall]);
            at_holes() cylinder(wall + standoff, d = 6);
            difference() {  // the wall, low on the side of the plugs
                rounded([outer[0], outer[1], 14], 3);
                translate([wall, wall, -1]) cube([room[0], room[1], 20]);
                translate([outer[0] - wall - 1, wall, wall]) cube([wall + 2, room[1], 20]);
                translate([wall + 4, -1, wall + 2]) cube([56, wall + 2, 20]);   // power, displays
            }
        }
        at_holes() translate([0, 0, -1]) cylinder(20, d = 2.8);
        at_holes() translate([0, 0, -0.01]) cylinder(1.6, d1 = 5.6, d2 = 2.8);
        for (x = [-7, outer[0] + 7]) translate([x, outer[1] / 2, -1]) cylinder(10, d = 4.4);
        slots(-1);
    }
}
module cover() {
    height = room[2] - 14;
    difference() {
        union() {
            difference() {
                rounded([outer[0], outer[1], height], 3);
                translate([wall, wall, wall]) cube([room[0], room[1], height]);
                translate([outer[0] - wall - 1, wall, wall + 4]) cube([wall + 2, room[1], height]);
                translate([wall + 4, outer[1] - wall - 1, height - 12]) cube([56, wall + 2, 20]);  // the hat's plugs
            }
            at_holes() cylinder(height - 13, d = 6);
        }
        at_holes() translate([0, 0, -1]) cylinder(60, d = 2.8);
        slots(-1);
    }
}
if (part == "base") base(); else cover();
