"""ChouChou (珠取), edition 2022-11-25, as a pure state machine (RULES.md 9)."""
