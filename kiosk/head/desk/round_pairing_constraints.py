"""The operator's constraints on the pairing of a division's next round, and the rules that keep players apart over
several rounds: added, removed, and their cost."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from dataclasses import replace
from itertools import combinations

from engine.tournament.event_model import Bye, Game, KeepApartRule
from engine.tournament.explain_pairings import cost_of_keep_apart
from engine.tournament.pairing_history_and_constraints import Constraints, PairOfIds, stored_constraints
from kiosk.head.desk.act_commit_and_games_claimed_by_tables import EventCore, Line
from kiosk.head.desk.background_pairings_and_standings import Calculations
from kiosk.head.errors import NotFound
from kiosk.head.event.act_types import DivisionChanged, WishesSet
from kiosk.head.event.pairings_standings_and_correction_impact import Draft, draft_of
from kiosk.head.event.tournament_state import DivisionState
from kiosk.records.event_file import options_to_dict


class RoundConstraints:
    """The constraints of all divisions. ``draft``: returns a division's draft; ``check_unchanged``: raises ``Conflict``
    if the draft has another digest now.
    """

    def __init__(
        self,
        core: EventCore,
        calculations: Calculations,
        draft: Callable[[str], Draft],
        check_unchanged: Callable[[str, Draft, str], None],
    ) -> None:
        self._core = core
        self._calculations = calculations
        self._draft = draft
        self._check_unchanged = check_unchanged

    def ask_cost(self, slug: str, draft: Draft, wish: KeepApartRule) -> Future[object]:
        """Return what one constraint over several rounds costs this draft."""
        division = self._core.state.division(slug)
        question = f"wish {draft.digest} {wish}"
        weight = len(division.event.players)
        return self._calculations.ask(
            division, question, cost_of_keep_apart, division.whole(), draft, wish, weight=weight
        )

    def add(self, slug: str, digest: str, more: Constraints) -> None:
        """Add constraints for the next round.

        :raises Conflict: the draft has changed meanwhile.
        """
        draft = self._draft(slug)
        made = self._made_by_hand(slug, draft, more)
        with self._core.lock:
            self._check_unchanged(slug, draft, digest)
            present = _join_constraints(stored_constraints(self._core.state.division(slug).event, draft.round), made)
            self._set_wishes(slug, draft.round, _join_constraints(present, more))

    def remove(self, slug: str, kind: str, named: Sequence[str]) -> None:
        """Remove one constraint for the next round. ``kind``: the field of ``Constraints`` it is in."""
        made = self._made_so_far(slug, Constraints())
        with self._core.lock:
            division = self._core.state.division(slug)
            number = len(division.rounds) + 1
            wishes = _join_constraints(stored_constraints(division.event, number), made)
            match kind:
                case "colours":
                    left = {name: colour for name, colour in wishes.colours.items() if name not in named}
                    wishes = replace(wishes, colours=left)
                case "byes":
                    wishes = replace(wishes, byes=tuple(name for name in wishes.byes if name not in named))
                case "locked":
                    wishes = replace(wishes, locked=_without(wishes.locked, named))
                case "forbidden":
                    wishes = replace(wishes, forbidden=_without(wishes.forbidden, named))
            self._set_wishes(slug, number, wishes)

    def keep_apart(self, slug: str, by: str | None, players: Sequence[str], rounds: int | None) -> None:
        """Keep players apart from the next round on. ``rounds``: for so many rounds; None: to the end.

        :raises HeadError: it names nobody, or only one.
        """
        made = self._made_so_far(slug, Constraints(forbidden=tuple(combinations(players, 2))))
        with self._core.lock:
            division = self._core.state.division(slug)
            done = len(division.rounds)
            wish = KeepApartRule(by, tuple(dict.fromkeys(players)), done + 1, None if rounds is None else done + rounds)
            if wish not in division.event.options.apart:
                self._set_apart(division, (*division.event.options.apart, wish), made)

    def end_apart(self, slug: str, wish: str) -> None:
        """End one constraint over several rounds; it stays recorded for the rounds that were paired with it. ``wish``:
        the constraint as text.

        :raises NotFound: there is no such constraint now.
        """
        made = self._made_so_far(slug, Constraints())
        with self._core.lock:
            division = self._core.state.division(slug)
            present, done = list(division.event.options.apart), len(division.rounds)
            at = next((at for at, one in enumerate(present) if str(one) == wish and one.holds_in(done + 1)), None)
            if at is None:
                raise NotFound.saying("that condition no longer exists; reload the page")
            present[at] = replace(present[at], last=done)
            self._set_apart(division, [one for one in present if one.last is None or one.first <= one.last], made)

    def _set_apart(self, division: DivisionState, wishes: Sequence[KeepApartRule], made: Constraints) -> None:
        options = options_to_dict(replace(division.event.options, apart=tuple(wishes)))
        lines: list[Line] = [(DivisionChanged(division.slug, options={"apart": options.get("apart")}), ())]
        if made != Constraints():
            number = len(division.rounds) + 1
            present = _join_constraints(stored_constraints(division.event, number), made)
            lines.append((_wishes_act(division.slug, number, present), ()))
        self._core.act_all(lines)

    def _made_so_far(self, slug: str, more: Constraints) -> Constraints:
        """Return the pairs of the present draft that were made by swapping, if any were."""
        if self._core.state.division(slug).hand_made is None:
            return Constraints()
        return self._made_by_hand(slug, self._draft(slug), more)

    def _made_by_hand(self, slug: str, draft: Draft, more: Constraints) -> Constraints:
        """Return the pairs of a draft that were made by swapping, as constraints, so that the next pairing keeps them;
        without those of players that ``more`` names.
        """
        if not draft.by_hand:
            return Constraints()
        division = self._core.state.division(slug)
        event, weight = division.whole(), len(division.event.players)
        best = self._calculations.ask(division, "draft before swaps", draft_of, event, None, weight=weight).result()
        usual = {game.players for game in best.games}
        freed = {name for pair in more.locked for name in pair} | set(more.byes)
        unlike = [game for game in draft.games if game.players not in usual and not freed & set(game.players)]
        pairs = [game for game in unlike if isinstance(game, Game) and not _has(more.forbidden, game.players)]
        return Constraints(
            locked=tuple((game.black, game.white) for game in pairs),
            byes=tuple(game.player for game in unlike if isinstance(game, Bye)),
            colours={game.black: "black" for game in pairs if division.event.facts.designates(game.stage)},
        )

    def _set_wishes(self, slug: str, round: int, wishes: Constraints) -> None:
        self._core.act(_wishes_act(slug, round, wishes))


def _wishes_act(slug: str, round: int, wishes: Constraints) -> WishesSet:
    return WishesSet(
        slug, round=round, locked=wishes.locked, forbidden=wishes.forbidden, byes=wishes.byes,
        colours=dict(wishes.colours),
    )  # fmt: skip


def keep_apart_rules_in(division: DivisionState, round: int) -> list[KeepApartRule]:
    """Return the constraints over several rounds that hold in this one."""
    return [wish for wish in division.event.options.apart if wish.holds_in(round)]


def _join_constraints(present: Constraints, more: Constraints) -> Constraints:
    return Constraints(
        (*present.locked, *_further(present.locked, more.locked)),
        (*present.forbidden, *_further(present.forbidden, more.forbidden)),
        (*present.byes, *(name for name in more.byes if name not in present.byes)),
        {**present.colours, **more.colours},
    )


def _has(pairs: Iterable[PairOfIds], players: Iterable[str]) -> bool:
    return frozenset(players) in map(frozenset, pairs)


def _further(present: Sequence[PairOfIds], more: Iterable[PairOfIds]) -> list[PairOfIds]:
    known = {frozenset(pair) for pair in present}
    return [pair for pair in more if frozenset(pair) not in known]


def _without(pairs: Iterable[PairOfIds], named: Iterable[str]) -> tuple[PairOfIds, ...]:
    return tuple(pair for pair in pairs if set(pair) != set(named))
