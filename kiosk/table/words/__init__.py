"""Everything a table says, in Japanese and English."""
