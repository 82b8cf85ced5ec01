// Sizes shared by the printed parts, in millimetres, as published by the makers.
wall = 2.4;            // six lines of a 0.4 mm nozzle
play = 0.3;            // between two parts that slide into each other
$fn = 40;

button_hole = 30.2;    // arcade button of 30 mm
button_depth = 42;     // below the plate, with its terminals bent
cable = 5;             // two pairs, 24 AWG

pi = [85, 56];         // Raspberry Pi 3 B+, 4 B, 5
pi_holes = [58, 49];   // distance of its four M2.5 holes; the first is 3.5 from the corner away from the USB ports
pi_hole_inset = 3.5;

display = [193, 111, 28];       // official 7" display with a Pi and its hat behind it
display_holes = [126.2, 65.65]; // M3

module rounded(size, r = 4) {  // a plate or block with round corners
    linear_extrude(size[2]) offset(r) offset(-r) square([size[0], size[1]]);
}
module screw_post(height, outer, inner) {
    difference() { cylinder(height, d = outer); translate([0, 0, -1]) cylinder(height + 2, d = inner); }
}
