"""The camera's twin: boards drawn by seed, that can fail on purpose."""
