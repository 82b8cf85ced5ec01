"""What every page of the head stands on: addresses, forms, drawing, live updates, and the words."""
