"""Enrolment: how a table gets its key over an untrusted network (docs/reference/link-and-journal.md, "Enrolment").

Authentication is by visual comparison. The offer's name on the table's screen identifies the table's public key. X25519
agrees on a secret; the six digits that both screens then show depend on the whole exchange, and the head's commitment
precedes the table's nonce, so a man in the middle has one try in a million per offer name. Nothing is decoded before
its MAC is checked, and no key is used before both the table's buttons and the head's page have confirmed equal digits.
Sans-I/O: frames in, frames out.

    table                                          head
    OFFER    version, wished number, key     ──▶
                                             ◀──   COMMITMENT  key, H(offer, key, nonce)
    NONCE                                    ──▶
                                             ◀──   REVEAL      nonce        both now show the code
    sealed: agree (both buttons were pressed)──▶
                                             ◀──   sealed: grant            (the arbiter approved)
                                             ◀──   sealed: records of the journal that this table continues
    sealed: done (key and journal are saved) ──▶
"""

from kiosk.link.enrolment.enrolment_protocol import OFFER_S, new_pair, offer_name, readable_code
from kiosk.link.enrolment.head_enrolment import HeadEnrolment
from kiosk.link.enrolment.table_enrolment import GrantedKey, TableEnrolment

__all__ = ["OFFER_S", "GrantedKey", "HeadEnrolment", "TableEnrolment", "new_pair", "offer_name", "readable_code"]
