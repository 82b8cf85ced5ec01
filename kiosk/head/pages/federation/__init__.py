"""Pages of a federation over all venues and years: calendar, records, people, rankings, and identity review.

The pages query the federation's database, which holds only public data. Only a signed-in person decides that two
entries are the same person, and the decision can be undone.
"""

from kiosk.head.pages.federation import (
    calendar_events_seasons_and_json,
    person_identity_review_page,
    person_search_and_record_page,
)

ADDRESSES = [
    *calendar_events_seasons_and_json.ADDRESSES,
    *person_search_and_record_page.ADDRESSES,
    *person_identity_review_page.ADDRESSES,
]
