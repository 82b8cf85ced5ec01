// One player's button: a box that stands beside the board, heavy enough with four coins under the lid's posts.
// Print: box as it lies, lid on its face. Lid: four M3 x 10.
include <sizes.scad>

part = "box";  // box, lid
size = [76, 76, 52];
posts = 6;     // from the corner to the middle of a post

module corners() for (x = [posts, size[0] - posts], y = [posts, size[1] - posts]) translate([x, y, 0]) children();

module box() {
    difference() {
        rounded(size);
        translate([wall, wall, wall]) rounded([size[0] - 2 * wall, size[1] - 2 * wall, size[2]], 2);
        translate([size[0] / 2, size[1] / 2, -1]) cylinder(wall + 2, d = button_hole);
        translate([size[0] / 2, size[1] + 1, size[2] - cable]) rotate([90, 0, 0]) hull() {  // the cable lies in it, the lid holds it
            cylinder(wall + 2, d = cable);
            translate([0, cable + 1, 0]) cylinder(wall + 2, d = cable);
        }
    }
    corners() translate([0, 0, wall]) screw_post(size[2] - wall - 3, 8, 2.6);
}

module lid() {
    difference() {
        union() {
            rounded([size[0], size[1], wall]);
            translate([wall + play, wall + play, wall])
                rounded([size[0] - 2 * (wall + play), size[1] - 2 * (wall + play), 3 - play], 2);
        }
        corners() { translate([0, 0, -1]) cylinder(20, d = 3.4); translate([0, 0, -0.01]) cylinder(1.6, d1 = 6.4, d2 = 3.4); }
    }
}

if (part == "box") box(); else lid();
