"""Pages of a federation over all venues and years: calendar, records, people, rankings, and identity review.

The pages query the federation's database, which holds only public data. Only a signed-in person decides that two
entries are the same person, and the decision can be undone.
"""

from kiosk.head.pages.federation import events, people, who

ADDRESSES = [*events.ADDRESSES, *people.ADDRESSES, *who.ADDRESSES]
