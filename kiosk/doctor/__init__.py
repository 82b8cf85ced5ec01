"""What ``kiosk doctor`` looks at.

The law: a check only looks. It changes nothing, asks nobody for a password, and may be made while the programs run.
"""
