// The 7" display on a stand: 45 degrees, both halves upright for players and for an arbiter who stands (facing = "same").
// Two cheeks and two rods of 8 mm (a broom's stick, a threaded rod) of 190 mm. Print each cheek on its outer side.
include <sizes.scad>

part = "cheek";  // cheek, other_cheek
angle = 45;
thick = 10;
foot = 120;      // deep enough that a press on the display's upper edge does not tip it
rod = 8 + 2 * play;
glass = 9;       // the display's front with its frame; the Pi behind it hangs between the cheeks

module outline() {
    rise = display[1] * sin(angle);
    run = display[1] * cos(angle);
    // the display leans on the slope from the lip in front (left) up to the ridge
    difference() {
        offset(3) offset(-3) polygon([[0, 0], [foot, 0], [foot, 8], [run + 14, rise + 16], [run + 4, rise + 16], [4, 16], [0, 20]]);
        offset(4) offset(-4) polygon([[28, 10], [foot - 16, 10], [run + 6, rise - 14]]);
    }
}
module cheek() {
    difference() {
        linear_extrude(thick) outline();
        for (at = [[16, 8], [foot - 12, 7]]) translate([at[0], at[1], wall]) cylinder(thick, d = rod);
        // the display's edge lies in a step that ends before the cheek's outer side and, in front, before the lip
        translate([4, 16, wall]) rotate([0, 0, angle]) translate([0, -glass, 0]) cube([display[1] + play, glass + 0.01, thick]);
    }
}
if (part == "cheek") cheek(); else mirror([1, 0, 0]) cheek();
