"""Updates of tables: the signed archive, what table and head say of it, what root does with it (docs/updates.md)."""
