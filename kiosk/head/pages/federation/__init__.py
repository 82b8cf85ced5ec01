"""Pages of a federation over all venues and years: calendar, records, people, rankings, and identity review.

The pages query the federation's database, which holds only public data. Only a signed-in person decides that two
entries are the same person, and the decision can be undone.
"""

from kiosk.head.pages.federation import events_page, identity_review, people_page

ADDRESSES = [*events_page.ADDRESSES, *people_page.ADDRESSES, *identity_review.ADDRESSES]
