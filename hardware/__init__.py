"""The edges to the world. Nothing in here knows Othello; nothing else imports gpiozero, pyserial or cv2."""
