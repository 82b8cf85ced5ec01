"""Shared parts of the head's pages: routing, forms, rendering, live updates and labels."""
