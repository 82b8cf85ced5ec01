// The camera over the board: a clamp for the table's edge, an elbow, and a plate that looks down at 60 degrees (docs/setup/camera.md).
// Between them lie two aluminium tubes of 16 mm: 560 mm upright, 330 mm across. Print each part flat; PETG rather than PLA,
// which creeps under the clamp's screw. Screws: clamp M8 x 60 with a nut, each tube M4 x 25 with a nut.
include <sizes.scad>

part = "clamp";   // clamp, elbow, plate
tube = 16 + 2 * play;
grip = 30;        // how deep a tube stands in its socket
edge = 40;        // thickest table top
width = 40;
plate_angle = 60; // of the camera's axis below the horizon
quarter_inch = 6.6;

module socket() difference() {  // a tube's socket with the slit and the screw that close it
    hull() { cylinder(grip, d = tube + 4 * wall); translate([tube / 2 + 4, -7, 0]) cube([9, 14, grip]); }
    translate([0, 0, wall]) cylinder(grip + 1, d = tube);
    translate([0, -1, wall]) cube([40, 2, grip + 1]);
    translate([tube / 2 + 8.5, 20, grip / 2 + wall]) rotate([90, 0, 0]) cylinder(40, d = 4.4);
}
module clamp() {
    arm = 14;
    difference() {
        rounded([60, edge + 2 * arm, width], 3);
        translate([14, arm, -1]) cube([60, edge, width + 2]);
        translate([42, -1, width / 2]) rotate([-90, 0, 0]) cylinder(arm + 2, d = 8.4);
        translate([42, arm - 6.6, width / 2]) rotate([-90, 30, 0]) cylinder(10, d = 15.1, $fn = 6);  // M8 nut, from inside
    }
    // over the corner, where the jaw and the back meet
    translate([14, edge + 2 * arm - 0.01, width / 2]) rotate([-90, 0, 0]) socket();
}
module elbow() {
    socket();
    block = tube + 4 * wall;
    translate([-block / 2, -block / 2, 0.01 - block]) cube(block);
    translate([0.01 - block / 2, 0, -block / 2]) rotate([0, -90, 0]) socket();
}
module plate() {  // a camera stands on its foot: its axis runs along the plate, away from the socket
    socket();
    translate([0, 0, 0.01]) rotate([0, 90 - plate_angle, 0]) mirror([0, 0, 1]) difference() {
        translate([-18, -20, 0]) rounded([82, 40, 6]);
        translate([46, 0, -1]) cylinder(10, d = quarter_inch);
    }
}
if (part == "clamp") clamp(); else if (part == "elbow") elbow(); else plate();
