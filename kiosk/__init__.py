"""The programs of the head and the table, built on the rules (``engine``) and the devices (``hardware``)."""
