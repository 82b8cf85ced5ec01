"""Camera board reader: captures frames, finds the board in them and reads its squares.

The package does not know the rules of the game, and only this package imports cv2.
"""

import cv2

cv2.setNumThreads(1)  # leaves the other cores to the clock, the screen and the journal
