"""What players' fingers mean, at the buttons and on the display: pure, from the times of the edges."""
