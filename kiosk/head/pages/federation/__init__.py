"""All events of a federation's venues and years: calendar, records, people, rankings; and who is who.

The law: a page asks the federation's database, which has what anybody may see. Who somebody is, is decided by a
signed-in person only, and can be taken back.
"""

from kiosk.head.pages.federation import events, people, who

ADDRESSES = [*events.ADDRESSES, *people.ADDRESSES, *who.ADDRESSES]
