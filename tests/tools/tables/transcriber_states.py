"""Table states of the transcriber's screen, reached by touches."""

from __future__ import annotations

from dataclasses import replace

from tables.states import LEFT, RIGHT, SECOND, table

from engine.match import MatchState, Setup, new_match, step
from engine.match.match_events_and_effects import (
    BoardReported,
    ClaimKind,
    CorrectReading,
    Event,
    PlayerClaim,
    Press,
    SeatsAssigned,
)
from engine.match.match_value_types import NS_PER_S, Seat
from kiosk.locale import ENGLISH, Lang
from kiosk.table.board_sources.transcriber_source import TranscriberState, answers_at_once, transcribe
from kiosk.table.state import TableState


class Helped:
    """A game whose board a helper reports; ``match`` is checked by the engine at every step."""

    def __init__(self) -> None:
        self.match: MatchState = new_match(Setup(main_ns=1200 * NS_PER_S, has_board_source=True))
        self.sheet = TranscriberState()
        self.now_ns = 0
        self.apply_event(SeatsAssigned(0, LEFT))
        self.press(RIGHT)

    def apply_event(self, event: Event) -> None:
        self.match = step(self.match, event)[0]
        ready = None if self.sheet.draft is not None or not self.match.pending else answers_at_once(self.match)
        if ready is not None:
            self.match = step(self.match, BoardReported(self.now_ns, *ready))[0]

    def press(self, seat: object) -> None:
        self.now_ns += 20 * SECOND
        self.apply_event(Press(self.now_ns, seat))  # type: ignore[arg-type]

    def touch(self, *actions: str) -> None:
        for action in actions:
            self.now_ns += SECOND
            result = transcribe(self.sheet, self.match, action)
            self.sheet = result.sheet
            for cells, answers in result.readings:
                self.apply_event(BoardReported(self.now_ns, cells, answers))
            if result.reread is not None:
                self.apply_event(CorrectReading(self.now_ns, result.reread))

    def challenge(self, by: object) -> None:
        self.now_ns += SECOND
        self.apply_event(PlayerClaim(self.now_ns, by, ClaimKind.ILLEGAL))  # type: ignore[arg-type]

    def state(self, language: Lang = ENGLISH) -> TableState:
        return replace(table(self.match, language), sheet=self.sheet)


def helped(*acts: str | Seat) -> Helped:
    """Return a game after these acts: touches, and presses of a seat."""
    game = Helped()
    for act in acts:
        if isinstance(act, Seat):
            game.press(act)
        else:
            game.touch(act)
    return game


def transcriber_states(language: Lang) -> dict[str, TableState]:
    corrects = helped("square-f5", LEFT, RIGHT, "square-h8", "done")
    corrects.challenge(corrects.match.side)
    return {
        "again": helped("square-f5", LEFT, "again").state(language),
        "waiting": replace(table(None, language), sheet=TranscriberState()),
        "start": helped().state(language),
        "tapped": helped("square-f5").state(language),
        "pressed": helped("square-f5", LEFT, RIGHT).state(language),
        "behind": helped(LEFT, RIGHT).state(language),
        "illegal": helped("square-f5", LEFT, RIGHT, "square-h8", "square-e5").state(language),
        "corrects": corrects.state(language),
    }
