"""Who reports the physical board to this table: nobody, a sensor board, or a transcriber; later a camera.

The law: every source is asked and answers in the same way (``BoardSource``), and no player ever waits for one (promise
4). A source that is silent, unplugged or half blind is told to the arbiter; the clock goes on without it.
"""
