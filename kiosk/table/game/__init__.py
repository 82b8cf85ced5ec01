"""The game at this table: the steps of its match, its journal, its recovery from the journal, its card."""
