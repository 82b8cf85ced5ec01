"""The board eye: frames of a camera, and what lies on a board in them. Knows no rules; the only importer of cv2."""
