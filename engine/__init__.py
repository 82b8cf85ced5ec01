"""The rules, pure: no clock reading, randomness, threads, files, sockets or logging in here."""
