"""The programs that join the rules (``engine``) and the world (``hardware``)."""
