"""The game at this table: the steps of its match, its journal behind it, its way back from the journal, its card."""
