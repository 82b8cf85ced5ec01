"""Device drivers of the table: buttons, lamps, sensor board, camera, power, serial ports.

The package does not depend on the engine; only this package imports gpiozero, pyserial or cv2.
"""
