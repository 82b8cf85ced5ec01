"""The board eye: frames of a camera, and what lies on a board in them. Knows no rules; the only importer of cv2."""

import cv2

cv2.setNumThreads(1)  # the clock, the screen and the journal have the other cores
