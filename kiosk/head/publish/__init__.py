"""Publications of an event: standings, crosstables, prizes, certificates, game pages, files, a site.

Everything here is a function of event files. Nothing reads the store, a clock or the network, so the same event always
gives the same pages, on the head and in a published folder.
"""
