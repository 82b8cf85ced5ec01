"""Othello boards: rules, positions, diagnosis of moves, game records, openings and the endgame solver."""
