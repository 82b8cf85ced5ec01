"""The head in a browser: one room for each area of pages, its templates beside it."""
