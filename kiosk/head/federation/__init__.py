"""The federation: venue heads push their rows to the federation's head, which runs on PostgreSQL and shows all venues.

A venue is autonomous. It never waits for the federation, loses nothing during an outage, and sends what is missing
afterwards, however long that took. The federation only collects; a collected row is never changed.
"""
