"""What the players are told without words: beeps and lit buttons."""
