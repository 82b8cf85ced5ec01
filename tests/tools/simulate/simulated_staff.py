"""The operators of a simulated hall, who enter and correct results through the desk's own acts, as the pages do.

They act on what their pages showed, which may be outdated by then.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from random import Random

from simulate.simulated_head import SimulatedHead

from engine.end_reason import EndReason
from engine.i18n import Text
from engine.tournament.event_model import Event, Game, Player, Winner
from engine.tournament.formats.chouchou import TARGET
from kiosk.head.desk import Desk
from kiosk.head.desk.round_draft_publish_amend_undo import PAIRED_OTHERWISE
from kiosk.head.errors import Conflict, HeadError
from kiosk.head.event.act_types import DivisionChanged
from kiosk.head.event.head_game_and_result_check import HeadGame, outcome_key
from kiosk.head.event.tournament_state import DivisionState

#: seconds between two checks of the floor's page
LOOK_S = 3.0

#: formats in which players enter, leave and return during the event
OPEN_FIELDS = ("swiss", "adjacent", "m43-open")
#: rounds where the operator sets their number
ROUNDS = 3
FEWEST, MOST_LATECOMERS, MOST_UNDONE = 3, 2, 2
NEVER = 10**6
#: minutes without another solution after which a round is published by hand
PUBLISHED_AFTER_MINUTES = 5


class Operators:
    """Two operators at one desk. ``act`` returns the sentence of a broken invariant, or None."""

    def __init__(self, head: SimulatedHead, chance: Random, note: Callable[[str], None]) -> None:
        self._head, self._chance, self._note = head, chance, note
        self._latecomers = self._undone = 0
        self._two_machines = False
        #: messages of the head about a division, and since when
        self._first_shown_at: dict[tuple[str, Text], float] = {}
        #: by division, the first round paired with results that were corrected later
        self.stale_from: dict[str, int] = {}

    def act(self) -> str | None:
        """Enter a result that a table has not submitted yet, or correct one, both operators at the same time."""
        program = self._head.program
        if program is None:
            return None
        desk = program.desk
        division = self._division(desk)
        current = [game for game in division.current if not _left_before(division, game)]
        if len(open_ := [game for game in current if game.is_open]) > 1 and self._chance.random() < 0.4:
            game = self._chance.choice(open_)
            self._note(f"an operator enters the result of {game.id}")
            with contextlib.suppress(HeadError):
                desk.results.enter(game.id, self._some_result(game, division), "agreed at the desk")
            return None
        # After a correction of an earlier round, a later round differs from what the corrected results would give.
        done = [game for game in current if not game.is_bye and game.outcome is not None]
        return self._correct_at_once(desk, division, self._chance.choice(done)) if done else None

    def follow_tables(self, was_given: Callable[[int, str], bool | None]) -> None:
        """Resolve games played at tables that the head does not know, or has assigned to others, by checking the
        tables.
        """
        program = self._head.program
        if program is None or not (claims := program.desk.claims.open()):
            return
        seen = {(claim.game, table): was_given(table, claim.game) for claim in claims for table in claim.tables}
        if None in seen.values():
            return
        believed = {game: table for (game, table), right in seen.items() if right}
        claimed = ", ".join(f"{claim.game} at {' and '.join(map(str, claim.tables))}" for claim in claims)
        self._note(f"tables say that they play {claimed}; believed: {', '.join(believed) or 'none'}")
        program.desk.claims.follow_tables(believed=believed)

    def publish_by_hand(self, minute: float) -> None:
        """Publish a round by hand where the head says that it does not follow its tables and that the round can be
        published as it is paired now; and again a round that was taken back.
        """
        program = self._head.program
        if program is not None and program.desk.automatic_steps_run and not program.desk.claims.open():
            for slug, division in program.desk.state.divisions.items():
                if division.edition and division.round_is_complete and not self.ended(division.whole()):
                    with contextlib.suppress(HeadError):
                        program.desk.rounds.publish(program.desk.rounds.draft(slug).digest, slug)
                        self._note(f"round {len(division.rounds) + 1} of {slug} is published again")
        problems = {} if program is None else program.desk.core.problems
        said = [
            (slug, sentence) for slug, sentence in problems.items() if sentence.template == PAIRED_OTHERWISE.template
        ]
        self._first_shown_at = {one: self._first_shown_at.get(one, minute) for one in said}
        for (slug, sentence), told_at in self._first_shown_at.items():
            if program is None or minute < told_at + PUBLISHED_AFTER_MINUTES:
                continue
            with contextlib.suppress(HeadError):
                program.desk.rounds.publish(program.desk.rounds.draft(slug).digest, slug)
                self._note(f"a round of {slug} is published by hand, since {sentence}")

    def follow_federation(self) -> None:
        """Confirm this hall to a federation that has another life of it, after an old copy of the disk was restored."""
        program = self._head.program
        if program is not None and (pusher := program.remote.pusher) is not None and pusher.status.other is not None:
            self._note(f"the federation has another life of {pusher.status.other.last} entries; the hall is here")
            pusher.begin_life("the disk was put back from a copy")
            self._head.lives.add(program.store.trail)
        machines = program is not None and program.remote.pusher is not None and program.remote.pusher.status.machines
        if machines and not self._two_machines:
            self._note("the federation hears two machines with this venue's key")
        self._two_machines = machines

    def enter_forfeits(self) -> None:
        """Enter the loss of a player who is due in a final and has left (M43-13); the head only shows it in its
        draft.
        """
        program = self._head.program
        if program is None:
            return
        for division in program.desk.state.divisions.values():
            for game in division.current if division.withdrawn else ():
                if game.is_open and not game.is_bye and (gone := _left_before(division, game)):
                    assert game.white is not None, "nobody plays a bye"
                    black_wins = game.black not in gone
                    discs = (64, 0) if black_wins else (0, 64)
                    winner = Winner.BLACK if black_wins else Winner.WHITE
                    self._note(f"{' and '.join(sorted(gone))} left before {game.id}: a forfeit")
                    outcome = _result(game.black, game.white, winner, *discs, EndReason.FORFEIT)
                    program.desk.results.enter(game.id, outcome, "he has left")

    def end_endless_formats(self) -> None:
        """End a format that has no fixed number of rounds after the planned last round."""
        program = self._head.program
        if program is None:
            return
        for slug, division in program.desk.state.divisions.items():
            if division.event.facts.endless and len(division.rounds) >= ROUNDS and program.desk.auto(division):
                self._note(f"round {len(division.rounds)} of {slug} is the last")
                program.desk.divisions.change(DivisionChanged(slug, auto=False))

    def ended(self, event: Event) -> bool:
        """Return whether the desk plans no further round."""
        return event.facts.endless and event.last_finished_round >= ROUNDS

    def change_players(self) -> None:
        """Let a player leave, return or enter late; take a round back; or correct an old result."""
        program = self._head.program
        if program is None or (division := self._division(program.desk)).format not in OPEN_FIELDS:
            return
        desk, slug, present = program.desk, division.slug, sorted(set(division.players()) - set(division.withdrawn))
        deed = self._chance.choice(("leave", "leave", "return", "late", "undo", "old"))
        try:
            match deed:
                case "leave" if len(present) > FEWEST:
                    player = self._chance.choice(present)
                    how = self._chance.choice(("", "", "forfeit"))
                    self._note(f"{player} leaves{', his game is lost' if how else ''}")
                    desk.players.leave(slug, player, "he is ill", how)
                case "return" if division.withdrawn:
                    player = self._chance.choice(sorted(division.withdrawn))
                    self._note(f"{player} comes back")
                    desk.players.cancel_withdrawal(slug, player)
                case "late" if self._latecomers < MOST_LATECOMERS:
                    self._latecomers += 1
                    name = f"Latecomer {self._latecomers}"
                    desk.players.add(slug, [Player(id="", name=name, rating=1400)])
                    self._note(f"{name} comes late")
                case "undo" if division.rounds and self._undone < MOST_UNDONE:
                    self._undone += 1
                    self._note(f"round {len(division.rounds)} is taken back")
                    desk.rounds.undo(slug, len(division.rounds), "it was drawn with a wrong result")
                case "old" if len(division.rounds) > 1:
                    games = [g for games in division.rounds[:-1] for g in games if not g.is_bye and g.outcome]
                    game = self._chance.choice(games)
                    self._note(f"{game.id} of an earlier round is corrected")
                    desk.results.correct(game.id, self._some_result(game, division), "misread")
                    self.stale_from[slug] = min(self.stale_from.get(slug, NEVER), game.round + 1)
                case _:
                    pass
        except HeadError as refused:
            self._note(f"refused: {refused}")

    def _division(self, desk: Desk) -> DivisionState:
        divisions = list(desk.state.divisions.values())
        return self._chance.choice(divisions) if divisions[1:] else divisions[0]

    def _correct_at_once(self, desk: Desk, division: DivisionState, game: HeadGame) -> str | None:
        """Correct one result from two operators at once. The first to send succeeds; the second must be refused with a
        message.
        """
        assert game.outcome is not None
        seen = outcome_key(game.outcome)
        one, other = self._some_result(game, division), self._some_result(game, division)
        self._note(f"two operators correct {game.id}, which was {seen}")
        try:
            desk.results.correct(game.id, one, "misread", seen)
        except HeadError as refused:
            self._note(f"refused: {refused}")
            return None
        try:
            desk.results.correct(game.id, other, "misread", seen)
        except Conflict:
            return None
        except HeadError as refused:
            return f"a stale correction of {game.id} was refused as {refused}"
        if outcome_key(one) == seen:
            return None
        return f"two operators corrected {game.id} from {seen}, and the second was not told of the first"

    def _some_result(self, game: HeadGame, division: DivisionState) -> Game:
        assert game.white is not None, "nobody plays a bye"
        black, white = game.black, game.white
        if not game.designated and self._chance.random() < 0.5:
            black, white = white, black
        if division.event.facts.captures:
            return _result(black, white, Winner.BLACK, TARGET, self._chance.randrange(TARGET))
        discs = self._chance.choice((33, 35, 40, 51, 64))
        return _result(black, white, Winner.BLACK, discs, 64 - discs)


def _result(
    black: str, white: str, winner: Winner, black_discs: int, white_discs: int, end: EndReason = EndReason.NORMAL
) -> Game:
    return Game(
        black,
        white,
        black_discs=black_discs,
        white_discs=white_discs,
        winner=winner,
        end=end,
        rated=end is EndReason.NORMAL,
    )


def _left_before(division: DivisionState, game: HeadGame) -> set[str]:
    """Return the players who had left before this game was published."""
    left = {player.id: player.withdrawn_after_round for player in division.event.players}
    return {id for id in game.players if (after := left.get(id)) is not None and after < game.round}
