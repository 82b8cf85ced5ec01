"""The web pages of the head: one package for each area, with its templates beside it."""
