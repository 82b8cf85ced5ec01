"""Format ``chouchou``: a ChouChou event (RULES.md 6.10).

- Order: wins, then CC-RANK-2 to 4 on the plus and minus points, the pieces captured above the target or short of it.
  The sources define no pairing, so neighbours in this order meet, without rematches.
- In the event file ``black_discs`` and ``white_discs`` are the pieces that ``black`` and ``white`` captured. The names
  only identify the two players, as rock-paper-scissors settles who begins (CC-SEAT-1).
- The target is ``options.target``, 10 pieces by default (CC-WIN-1). With ``options.pair_play`` every entry is a pair
  and its pieces are those of both partners (CC-RANK-6).
"""

from __future__ import annotations

from engine.end_reason import EndReason
from engine.i18n import Text, say, say_in
from engine.tournament import format_spec_and_options as spec
from engine.tournament.event_model import WIN, Event, Game, Stage, event_error
from engine.tournament.formats.adjacent_pairing_league import AdjacentLeague
from engine.tournament.pairing_history_and_constraints import history_before
from engine.tournament.standings_and_tie_breaks import Key

#: CC-WIN-1: 10 on a 3x3 board; 15 on 4x4 is an option
TARGET = 10


#: pieces that win: CC-WIN-1, CC-WIN-2
TARGET_PIECES = spec.IntOption("target", say("Pieces that win"), offered=(5, 30))
#: CC-RANK-6: an entry is a pair, and its pieces are those of both
PAIR_PLAY = spec.BoolOption("pair_play", say("Pairs"))
#: which worst minus ranks higher: AMB-28
WORST_MINUS = spec.ChoiceOption("worst_minus", None, ("smaller", "larger"))
#: the winner's points after a loss on time: AMB-27
TIME_LOSS = spec.ChoiceOption("time_loss", None, ("counted", "no_minus"))


class ChouChou(AdjacentLeague):
    """Ranking by CC-RANK-1 to CC-RANK-4; where CC-RANK-5 requires rock-paper-scissors, the rank is shared."""

    facts = spec.FormatSpec(
        "chouchou",
        (
            spec.DivisionPreset(
                "chouchou", "others", "chouchou", say_in("chouchou", "ChouChou"),
                say("Neighbours in the standings meet; the first to capture ten pieces wins."),
                main_s=600, options={"rounds": 5, "finals": "none", "target": 10},
            ),
        ),
        choices=(spec.ROUNDS, spec.FINALS, TARGET_PIECES, PAIR_PLAY),
        readings=(*spec.COMMON, WORST_MINUS, TIME_LOSS),
        settled_by_players=True,
        captures=True,
        rules="chouchou",
        open_ended=True,
    )  # fmt: skip

    def check(self, event: Event) -> None:
        super().check(event)
        for round_ in event.rounds:
            for game in round_.games:
                if problem := self.result_problem(event, game):
                    where = event.game_called(round_.number, game)
                    raise event_error("{where}: {problem}", where=where, problem=problem)

    def result_problem(self, event: Event, game: Game) -> Text | None:
        """Return why a result is impossible: CC-WIN-1 determines the winner of a game played to its end."""
        if game.winner is None or game.end not in (EndReason.NORMAL, None):
            return None
        winner, loser = (game.black, game.white) if game.half_points(game.black) == WIN else (game.white, game.black)
        pieces, fewer = game.discs(winner), game.discs(loser)
        if pieces is None or fewer is None:
            return say("the captured pieces are missing; enter those of both players")
        target = TARGET_PIECES.of(event) or TARGET
        if pieces < target or (fewer >= target and not PAIR_PLAY.of(event)):
            return say(
                "{pieces}-{fewer} pieces with a target of {target}; correct the winner, the pieces or how it ended",
                pieces=pieces,
                fewer=fewer,
                target=target,
            )
        return None

    def keys(self, event: Event, after: int) -> dict[str, Key]:
        keys: dict[str, Key] = {}
        records = history_before(event, after + 1, tuple(Stage)).records
        for name, points in points_of(event, after).items():
            worst = min(0, *points.values()) if points else 0
            keys[name] = (
                records[name].score,  # CC-RANK-1
                sum(points.values()),  # CC-RANK-2
                max(0, *points.values()) if points else 0,  # CC-RANK-3
                -worst if WORST_MINUS.of(event) == "larger" else worst,  # CC-RANK-4, AMB-28
            )
        return keys

    def key_names(self, event: Event) -> tuple[str, ...]:
        return "wins", "plus_minus", "highest_plus", "worst_minus"

    def displayed_key(self, event: Event, key: Key) -> tuple[int | float, ...]:
        return (key[0] // WIN, key[1], key[2], -abs(key[3]))

    def discs(self, event: Event, after: int) -> dict[str, int]:
        """Return the pieces captured in all rounds; a bye captures none."""
        captured = {player.id: 0 for player in event.players}
        for round_ in event.rounds[:after]:
            for game in round_.games:
                for name in game.players:
                    captured[name] += game.discs(name) or 0
        return captured


def points_of(event: Event, after: int) -> dict[str, dict[int, int]]:
    """Return the score sheet (CC-SCO-1): for every player the plus or minus points of each round he played.

    CC-RANK-7: captured minus target, for both; after a loss on time the winner's can be negative, unless ``time_loss``
    forbids it (AMB-27). A game that was not played is a win without surplus, and no pieces for the other.
    """
    target = target_of(event)
    sheet: dict[str, dict[int, int]] = {player.id: {} for player in event.players}
    for round_ in event.rounds[:after]:
        for game in (game for game in round_.games if game.winner is not None):
            for name in game.players:
                captured = game.discs(name)
                if captured is None:
                    captured = target if game.half_points(name) == WIN else 0
                points = captured - target
                if TIME_LOSS.of(event) == "no_minus" and game.end is EndReason.TIME and game.half_points(name) == WIN:
                    points = max(0, points)
                sheet[name][round_.number] = points
    return sheet


def game_options(event: Event) -> dict[str, object]:
    """Return where a game's set-up differs from the rule set: the players and the target."""
    pairs: dict[str, object] = {"players": 4, "pairs": True} if PAIR_PLAY.of(event) else {}
    target = TARGET_PIECES.of(event)
    return pairs if target is None else {**pairs, "target": target}


def target_of(event: Event) -> int:
    """Return the pieces against which an entry's captures are counted: a pair's partners have a target each."""
    return (TARGET_PIECES.of(event) or TARGET) * (2 if PAIR_PLAY.of(event) else 1)
