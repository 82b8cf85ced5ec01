"""Running endpoints of the link: the head's WebSocket endpoint and serial ports, the table's link, and the enrolment of
a table without a key.
"""
