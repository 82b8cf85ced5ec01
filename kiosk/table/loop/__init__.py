"""The table's one loop: what reaches it (``inbox``), what it does with it (``program``), and what time alone brings."""
