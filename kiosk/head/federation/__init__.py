"""Many venues, one page: venue heads push their rows to the federation's head, which runs on PostgreSQL.

The law: a venue is autonomous. It never waits for the federation, loses nothing while it is away, and sends what is
missing when it is back, however long that took. The federation only collects; nothing that it has is ever changed.
"""
