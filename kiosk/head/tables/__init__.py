"""State of the tables: ingest of their records, their games, alerts, photographs and the broadcast."""
