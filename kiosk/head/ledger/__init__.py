"""From what is stored to the state of the gathering."""

from kiosk.head.ledger.cards import READ
from kiosk.head.ledger.fold import Ledger, fold
from kiosk.head.ledger.names import event_name, game_id

__all__ = ["READ", "Ledger", "event_name", "fold", "game_id"]
