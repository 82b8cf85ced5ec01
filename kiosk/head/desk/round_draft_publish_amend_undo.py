"""Rounds: the draft and its changes, publishing, changing the running round, taking back, restoring.

A draft is published exactly as it was shown, or not at all. While a round is played, the pairs of games without a
result can be changed (``engine.tournament.event_edits``); the other games keep their tables. A
round that is taken back stays in the store, and can be restored while it follows the last published round, also one
that was published anew meanwhile.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from concurrent.futures import Future
from typing import Any

from engine.i18n import say
from engine.tournament.event_edits import Amendment, DraftReview, amend_pair
from engine.tournament.event_model import Bye, Game
from engine.tournament.explain_pairings import PairReason, explain_round
from engine.tournament.pairing_history_and_constraints import stored_constraints
from kiosk.head.desk.act_commit_and_games_claimed_by_tables import EventCore, ReportedGames, under_lock
from kiosk.head.desk.background_pairings_and_standings import Calculations, InterruptedCalculation
from kiosk.head.desk.round_pairing_constraints import RoundConstraints, keep_apart_rules_in
from kiosk.head.desk.table_assignment import TableAssigner
from kiosk.head.errors import Conflict, HeadError, NotFound
from kiosk.head.event import act_types
from kiosk.head.event import pairings_standings_and_correction_impact as pairings
from kiosk.head.event.pairings_standings_and_correction_impact import Draft
from kiosk.head.event.tournament_state import DivisionState
from kiosk.records.event_file import line_of

STALE = say("the draft has changed since you looked at it; look at it again before you publish it")
PAIRED_OTHERWISE = say(
    "tables play round {round} already, but not as it would be paired now: since this head was restored a result of "
    "round {before} is another, somebody has left or come back, or players entered again have each other's places in "
    "the list. Put that right; or publish the round as it is now, and these tables let go of their games"
)


class Rounds:
    def __init__(
        self, core: EventCore, seating: TableAssigner, calculations: Calculations, begun: ReportedGames
    ) -> None:
        self._core = core
        self._seating = seating
        self._calculations = calculations
        self._begun = begun
        self.constraints = RoundConstraints(core, calculations, self.draft, self._check_unchanged)

    # drafts

    def ask_draft(self, slug: str | None = None) -> Future[Draft]:
        """Return the pairing of the next round as it would be published now; it may take a moment.

        :raises Conflict: the round is not complete.
        """
        division = self._core.state.division(slug)
        if not division.round_is_complete:
            open_games = sum(game.is_open for game in division.current)
            raise Conflict.saying(
                "round {n} still has {open_games} games without a result; wait for them",
                n=len(division.rounds),
                open_games=open_games,
            )
        hand = division.hand_made
        by_hand = hand.games if hand is not None and hand.round == len(division.rounds) + 1 else None
        event = division.whole()
        return self._calculations.ask(division, "draft", pairings.draft_of, event, by_hand, weight=len(event.players))

    def draft(self, slug: str | None = None) -> Draft:
        """Return the same, after waiting for it.

        :raises HeadError: the round is not complete, the event is over, or cannot be paired.
        """
        try:
            return self.ask_draft(slug).result()
        except InterruptedCalculation:
            return self.ask_draft(slug).result()

    def ask_review(self, slug: str, draft: Draft) -> Future[DraftReview]:
        """Return the draft's details pair by pair, and its cost if it was changed by hand."""
        division = self._core.state.division(slug)
        constraints = stored_constraints(division.event, draft.round), keep_apart_rules_in(division, draft.round)
        changed = draft.by_hand or any(constraints)
        weight = len(draft.games) * (20 if changed else 1)
        return self._calculations.ask(
            division, f"look {draft.digest}", pairings.draft_review, division.whole(), draft, changed, weight=weight
        )

    def ask_pair_reasons(self, slug: str, draft: Draft, player: str) -> Future[tuple[PairReason, ...]]:
        """Return why a player is paired with his opponent, and the cost of any round without that pair."""
        division = self._core.state.division(slug)
        question = f"price {draft.digest} {player}"
        weight = 2 * len(draft.games)
        return self._calculations.ask(division, question, explain_round, division.whole(), draft, player, weight=weight)

    def ask_player_explanation(self, slug: str, player: str, other: str | None) -> Future[pairings.PlayerExplanation]:
        """Ask why a player is paired with his opponent, and why he has his rank."""
        division = self._core.state.division(slug)
        weight = len(division.event.players)
        question = f"answers {player} {other}"
        return self._calculations.ask(
            division, question, pairings.player_explanation, division.whole(), player, other, weight=weight
        )

    def swap(self, slug: str, digest: str, one: str, other: str) -> None:
        """Swap two players in the draft.

        :raises Conflict: the draft has changed meanwhile.
        """
        draft = self.draft(slug)
        core = self._core
        with core.lock:
            self._check_unchanged(slug, draft, digest)
            games = pairing_lines(core.state.division(slug), pairings.swap_draft_players(draft, one, other))
            core.act(act_types.ManualDraftSaved(slug, round=draft.round, games=games, swapped=(one, other)))

    @under_lock
    def reset_draft(self, slug: str) -> None:
        """Drop every change to the draft."""
        core = self._core
        division = core.state.division(slug)
        number = len(division.rounds) + 1
        if division.hand_made is not None:
            core.act(act_types.ManualDraftSaved(slug, round=number, games=None))
        if stored_constraints(division.event, number):
            core.act(act_types.WishesSet(slug, round=number))

    # publishing

    def publish(self, digest: str, slug: str | None = None) -> None:
        """Publish the draft named by ``digest``.

        :raises Conflict: the draft has changed meanwhile.
        """
        made = self.draft(slug)  # outside the lock: pairing a large field takes seconds
        core = self._core
        with core.lock:
            division = core.state.division(slug)
            self._check_unchanged(division.slug, made, digest)
            self.publish_now(division, made)

    def publish_now(self, division: DivisionState, made: Draft) -> None:
        begun = self._begun.games_of_next_round(division)
        seats = {game: table for game in sorted(begun) if (table := self._begun.table(game)) in self._core.tables}
        follows_tables = bool(seats) and self._begun.fits(begun, division, made)
        # The games that tables have begun are another pairing; the tables let go of them.
        lost = [] if follows_tables else [(game, table) for game in sorted(begun) for table in self._begun.tables(game)]
        edition = (
            self._begun.reported_edition(division.event_id, made.round)
            if follows_tables
            else self._begun.edition(division, division.edition)
        )
        act = act_types.RoundPublished(
            division.slug,
            round=made.round,
            games=pairing_lines(division, made.games),
            cost=dict(made.cost),
            warnings=[str(warning) for warning in made.warnings],
            edition=edition,
            told=follows_tables,
        )
        let_go = self._seating.release(lost)
        seat = self._seating.assign_to_reporting_table
        seatings = [seat(division.slug, game, table) for game, table in seats.items()] if follows_tables else []
        self._core.act_all([(act, let_go), *seatings])

    def publish_if_due(self, division: DivisionState, made: Draft) -> bool:
        """Publish what is due automatically: in automatic mode, or because tables have begun the round and the desk
        confirmed them; return whether it did.
        """
        begun = self._begun.games_of_next_round(division)
        if not self._begun.fits(begun, division, made):
            reason = PAIRED_OTHERWISE(round=made.round, before=made.round - 1)
            self._core.note(division.slug, reason)
            return False
        with self._core.lock:
            if self._core.state.divisions.get(division.slug) is not division:
                return True  # it has changed meanwhile: check again
            self.publish_now(division, made)
        return True

    # changing a round that is played

    def ask_amendment(self, slug: str, one: str, other: str) -> Future[Amendment]:
        """Return what changes in the running round, and at which cost, if these two players meet."""
        division = self._core.state.division(slug)
        if not division.rounds:
            raise Conflict.saying("no round is played; change the draft")
        weight = 3 * len(division.event.players)
        return self._calculations.ask(
            division, f"amend {one} {other}", amend_pair, division.whole(), one, other, weight=weight
        )

    def amend(self, slug: str, seen: str, one: str, other: str) -> None:
        """Let two players meet in the running round. ``seen``: the amendment's key as the operator saw it.

        :raises Conflict: the round has changed meanwhile.
        """
        change = self.ask_amendment(slug, one, other).result()  # outside the lock: it may take seconds
        core = self._core
        with core.lock:
            division = core.state.division(slug)
            ended = {frozenset(entry.players) for entry in change.removed}
            removed = [game for game in division.current if game.players in ended]
            unchanged = len(removed) == len(ended) and not any(game.outcome for game in removed)
            if seen != amendment_key(change) or len(division.rounds) != change.round.number or not unchanged:
                raise Conflict.saying("the round has changed since you looked at it; look at it again")
            act = act_types.RoundAmended(
                slug,
                round=change.round.number,
                removed=tuple(game.id for game in removed),
                games=pairing_lines(division, change.added),
                edition=self._begun.new_edition(division, change.round.number) if self._begun.is_restored else 0,
                cost={"before": change.before, "after": change.after, "best": change.optimum},
            )
            core.act_all(self._seating.reseat_amended_round(act))

    # taking back

    @under_lock
    def undo(self, slug: str, round: int, reason: str) -> None:
        """Take back round ``round`` and all after it; their tables are ordered to release them. The games and their
        cards stay in the store and are shown.

        :raises Conflict: there is no such round.
        """
        if not reason.strip():
            raise HeadError.saying("taking a round back needs a reason; it goes into the audit trail")
        division = self._core.state.division(slug)
        if not 1 <= round <= len(division.rounds):
            raise Conflict.saying("round {round} no longer exists; reload the page and decide again", round=round)
        open_games = [game for games in division.rounds[round - 1 :] for game in games if game.is_open]
        act = act_types.RoundUndone(slug, round=round, reason=reason.strip())
        self._core.act(act, self._seating.withdrawals(open_games))

    @under_lock
    def restore(self, slug: str, index: int) -> None:
        """Restore a round that was taken back, with its games, their results and their tables.

        :raises Conflict: it does not follow the last round that is published now, or one of its players was removed.
        """
        division = self._core.state.division(slug)
        if not 0 <= index < len(division.undone):
            raise NotFound.saying("that round no longer exists; reload the page")
        if division.undone[index].round != len(division.rounds) + 1:
            raise Conflict.saying(
                "round {round} does not follow round {n}; take back the rounds after it first",
                round=division.undone[index].round,
                n=len(division.rounds),
            )
        games = division.undone[index].games
        if removed := {name for game in games for name in game.players}.difference(division.players()):
            raise Conflict.saying(
                "round {round} cannot be restored, because {n} of its players are no longer in the division; "
                "take back the removal first, or pair the round again",
                round=division.undone[index].round,
                n=len(removed),
            )
        seats, orders = self._seating.seats_of_restored_games(division, games)
        self._core.act(act_types.RoundRestored(slug, undone=index, seats=seats), orders)

    def _check_unchanged(self, slug: str, draft: Draft, digest: str) -> None:
        if draft.digest != digest or self.draft(slug).digest != digest:
            raise Conflict(STALE)


def amendment_key(change: Amendment) -> str:
    """Return a key that identifies an amendment, so that nobody confirms another one by mistake."""
    return hashlib.sha256(repr((change.round, change.removed)).encode()).hexdigest()[:16]


def pairing_lines(division: DivisionState, games: Iterable[Game | Bye]) -> tuple[Any, ...]:
    """Return a round in the form in which it is stored."""
    return tuple(line_of(game, division.event.facts.designates(game.stage)) for game in games)
