"""File formats of events, games and players."""
