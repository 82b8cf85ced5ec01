"""Format ``swiss``: the international Brightwell Swiss (PAIRING.md 2).

- Order: points, then Brightwell points, then discs, or the ``options.tie_breaks``; they play no part in pairing.
- There are as many rounds as ``options.rounds``, or as the operator decides; then the finals of ``options.finals``, if
  any. Games after the league change no points: they only order their players.
- With ``options.play_off`` the 4th and the 5th play for the last seat of the semi-finals if they have the same points;
  if only one of them is present, he has the seat.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from engine.i18n import Text, say
from engine.tournament import format_spec_and_options as spec
from engine.tournament import standings_and_tie_breaks as ranking
from engine.tournament import swiss_pairing as brightwell
from engine.tournament.event_model import Bye, Event, Game, Round, Stage, event_error
from engine.tournament.formats import final_rounds
from engine.tournament.formats import format_interface as base
from engine.tournament.multi_game_matches import single_games
from engine.tournament.pairing_history_and_constraints import history_before, present_entries, ranked_entries

#: |blacks - whites| above which the operator is warned
BALANCE_LIMIT = 2


class Swiss(base.Format):
    """Base of all formats with a Brightwell league."""

    facts = spec.FormatSpec(
        "swiss",
        (
            spec.DivisionPreset(
                "swiss", "free", "swiss", say("Swiss"),
                say("As at international events: rounds, then semi-finals and final."),
                "8–", 1500, {"rounds": 7, "finals": "1-4"},
            ),
        ),
        choices=(spec.ROUNDS, spec.FINALS, spec.PLAY_OFF, *spec.MATCHES, spec.TIE_BREAKS, spec.BYE_DISCS, spec.VARIANT),
        readings=(*spec.COMMON, spec.BYE_BRIGHTWELL),
        rules="wof",
        open_ended=True,
    )  # fmt: skip

    def next_round(self, event: Event) -> base.PairedRound:
        round_ = len(event.rounds) + 1
        step = _plan(event).step(round_)
        if step is not None:
            games, warnings = _finals(event, round_, step)
            return base.PairedRound(
                round_, tuple(games), brightwell.as_cost(brightwell.Pairing(()).penalty), tuple(warnings)
            )
        history = history_before(event, round_)
        pairing = brightwell.cheapest_round(event, history, self.pool(event, round_))
        return base.PairedRound(
            round_,
            tuple(base.games_of(pairing, Stage.LEAGUE)),
            brightwell.as_cost(pairing.penalty),
            tuple(base.pairing_warnings(event, history, pairing, BALANCE_LIMIT)),
        )

    def pool(self, event: Event, round_: int) -> brightwell.SwissPool:
        """Return the players who are paired by penalties in a round of the league."""
        return brightwell.SwissPool(tuple(player.id for player in present_entries(event, round_)))

    def standings_after(self, event: Event, after: int) -> ranking.Standings:
        tallies, keys, criteria = (
            ranking.scores(event, after, (Stage.LEAGUE,)),
            ranking.swiss_keys(event, after),
            ranking.swiss_criteria(event),
        )
        rows = []
        groups = base.groups_by(ranked_entries(event), _keys(event, after))
        for name, rank in final_rounds.ranks_with_finals(event, after, groups).items():
            values = ranking.displayed_key(keys[name], criteria)
            rows.append(ranking.StandingsRow(rank, name, values[0], tallies[name].discs, values, ("wins", *criteria)))
        return ranking.Standings(after, tuple(rows))

    def costs_of_round(self, before: Event, played: Round) -> tuple[int, int]:
        games = [game for game in played.games if game.stage is Stage.LEAGUE]
        byes = [bye.player for bye in played.byes if bye.stage is Stage.LEAGUE]
        return brightwell.cost_and_optimum(
            before, played, brightwell.SwissPool((*(name for game in games for name in game.players), *byes))
        )

    def planned_rounds(self, event: Event) -> int | None:
        return _plan(single_games(event)).last_round

    def is_over(self, event: Event) -> bool:
        """Return whether the event is over. Without ``options.rounds`` there is no last round, but a played final ends
        the event."""
        last = self.planned_rounds(event)
        if last is None:
            return final_rounds.winner_of_stage(event, Stage.FINAL) is not None
        return event.last_finished_round >= last or final_rounds.nobody_left_for_final(event)

    def champion(self, event: Event) -> str | None:
        """Return the winner of the final; without finals the first of the last round, by lot if the order leaves
        several."""
        if won := final_rounds.winner_of_stage(event, Stage.FINAL):
            return won
        plan = _plan(event)
        if final_rounds.FinalStage.FINAL in plan.steps or not self.is_over(event):
            return None
        return base.in_order(event, _keys(event, len(event.rounds)))[0]


def _plan(event: Event) -> final_rounds.FinalsPlan:
    """Return the plan of the options, with the play-off once the league requires it."""
    plan = final_rounds.plan_of(event)
    if not spec.PLAY_OFF.of(event):
        return plan
    if final_rounds.FinalStage.SEMI_FINALS not in plan.steps or plan.league_rounds is None:
        raise event_error("options.play_off needs options.finals '1-4'; it is for the last seat of the semi-finals")
    if event.last_finished_round < plan.league_rounds:
        return plan
    if len(event.rounds) > plan.league_rounds:  # the round that was played decides, regardless of later withdrawals
        needed = bool(_play_off_entries(event, plan.league_rounds))
    else:
        needed = _level_for_the_last_seat(event, plan.league_rounds) is not None
    return replace(plan, steps=(final_rounds.FinalStage.PLAY_OFF, *plan.steps)) if needed else plan


def _play_off_entries(event: Event, league_rounds: int) -> list[base.Entry]:
    return [entry for entry in event.rounds[league_rounds].entries if entry.stage is Stage.KNOCKOUT]


def _level_for_the_last_seat(event: Event, league_rounds: int) -> tuple[str, ...] | None:
    """Return the 4th and the 5th of those who have not withdrawn after the league, if they have the same points: those
    of the two who are present for the play-off, in rank order. A seat earned before does not require presence in it."""
    here = {player.id for player in present_entries(event, league_rounds + 1)}
    order = _remaining_players(event, league_rounds)[3:5]
    keys = ranking.swiss_keys(event, league_rounds)
    level = len(order) == 2 and len({keys[name][0] for name in order}) == 1
    return tuple(name for name in order if name in here) or None if level else None


def _finals(event: Event, round_: int, step: final_rounds.FinalStage) -> tuple[Sequence[base.Entry], list[Text]]:
    """Return the games of a round after the league, and the operator's warnings about them."""
    plan = _plan(event)
    if step is final_rounds.FinalStage.PLAY_OFF:
        one, *rest = _level_for_the_last_seat(event, round_ - 1) or ()
        return [Game(one, rest[0], Stage.KNOCKOUT) if rest else Bye(one, Stage.KNOCKOUT)], []
    keys = _keys(event, round_ - 1)
    return final_rounds.entries_of_step(event, round_, step, plan, base.in_order(event, keys), keys)


def _keys(event: Event, after: int) -> dict[str, tuple[int, ...]]:
    """Return keys for a rising sort: the place in the finals, points, the place in the play-off, the tie-breaks."""
    places = final_rounds.places_in_finals(event, after)
    play_off = _play_off_places(event, after)
    return {
        name: (places.get(name, 5), -score, play_off.get(name, 2), *(-value for value in tie_breaks))
        for name, (score, *tie_breaks) in ranking.swiss_keys(event, after).items()
    }


def _play_off_places(event: Event, after: int) -> dict[str, int]:
    """Return 0 for the three who had their seats without it, 1 for the winner; empty if there was none."""
    rounds = spec.ROUNDS.of(event)
    if not spec.PLAY_OFF.of(event) or rounds is None or after <= rounds:
        return {}
    played = [entry for entry in _play_off_entries(event, rounds) if isinstance(entry, Bye) or entry.decided]
    if not played:
        return {}
    won = played[0].player if isinstance(played[0], Bye) else final_rounds.winner(played[0])
    order = _remaining_players(event, rounds)
    seated = min(3, *(order.index(name) for name in played[0].players if name in order))
    return dict.fromkeys(order[:seated], 0) | {won: 1}


def _remaining_players(event: Event, league_rounds: int) -> list[str]:
    """Return the players who have not withdrawn after the league, in rank order; missing only the play-off is no
    withdrawal."""
    here = {player.id for round_ in (1, 2) for player in present_entries(event, league_rounds + round_)}
    return [name for name in base.in_order(event, _keys(event, league_rounds)) if name in here]
