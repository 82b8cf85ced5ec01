"""Texts of a table, in Japanese and English."""
