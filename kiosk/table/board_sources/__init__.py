"""Board sources: what reports the physical board to this table (none, sensor board, transcriber, camera).

All sources are asked and answer in the same way (``BoardSource``), and no player ever waits for one (promise 4). If a
source is silent, unplugged or partly blind, the arbiter is informed and the clock continues without it.
"""
