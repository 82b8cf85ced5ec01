"""The link between the tables and the head: messages, keys, sessions and transports."""
