"""What the tables say and do: their records taken in, their games as they stand, what is wrong with them."""
