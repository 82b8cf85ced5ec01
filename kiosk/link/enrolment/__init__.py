"""How a table gets its key over a network that anybody may listen to and change (docs/link.md, "Enrolment").

The law: a person's eyes are the proof. The offer's name on the table's screen says which public key is the table's.
X25519 agrees on a secret; the six digits that both screens then show depend on everything that was said, and the head's
commitment comes before the table's nonce, so whoever stands between them has one try in a million, and no second one
under the same name. Nothing is decoded before a MAC, and no key is used before both the table's buttons and the head's
page have said that the digits are equal. Sans-I/O: frames in, frames out.

    table                                          head
    OFFER    version, wished number, key     ──▶
                                             ◀──   COMMITMENT  key, H(offer, key, nonce)
    NONCE                                    ──▶
                                             ◀──   REVEAL      nonce        both now show the code
    sealed: agree (both buttons were pressed)──▶
                                             ◀──   sealed: grant            (the arbiter approved)
                                             ◀──   sealed: records of the journal that this table goes on with
    sealed: done (key and journal are saved) ──▶
"""

from kiosk.link.enrolment.head import HeadEnrolment
from kiosk.link.enrolment.shared import OFFER_S, new_pair, offer_name, readable_code
from kiosk.link.enrolment.table import Given, TableEnrolment

__all__ = ["OFFER_S", "Given", "HeadEnrolment", "TableEnrolment", "new_pair", "offer_name", "readable_code"]
