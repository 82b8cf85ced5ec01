"""The head in a browser: pages, forms, live updates, who may act."""
