"""What is made of an event afterwards: standings, crosstables, prizes, certificates, game pages, files, a site.

The law: everything here is a function of event files. Nothing reads the store, a clock or the network, so the same
event always gives the same pages, on the head and in the folder that is published.
"""
