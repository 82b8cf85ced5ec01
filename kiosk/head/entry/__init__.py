"""How a division comes into being: kinds of divisions, lists of players, lots."""
