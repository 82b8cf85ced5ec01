"""Tests of double forfeits, when neither player comes, in every format and every file."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from events import event_generator
from events.event_generator import DOUBLE_FORFEIT, GeneratorSettings, Json, entries
from verify.verifier import verify

from engine.tournament import champion, is_over, next_round, standings
from engine.tournament.event_model import EventError, Winner
from engine.tournament.formats import FORMATS
from engine.tournament.grade_and_oza_awards import awards
from engine.tournament.pairing_history_and_constraints import who_came
from kiosk.head.publish.prizes_and_certificates import prizes_of
from kiosk.head.publish.published_event import PublishedDivision
from kiosk.records.elo_result_file_writer import write_elo
from kiosk.records.event_file import entries_to_dicts, from_dict, to_dict
from kiosk.records.event_file_formats_and_csv import read_csv, write_csv
from kiosk.records.papp_files import write_work_file

SIZES = {
    "m40-9-12": 11,
    "m40-13-16": 15,
    "m40-17-32": 24,
    "m40-33-64": 40,
    "team": 18,
    "chouchou": 10,
    "m40-elementary": 12,
}


def _played_event(format_: str, seed: int, rounds: int | None = None) -> tuple[Json, int]:
    """Return a finished event with a double forfeit in most rounds, and the number of them."""
    rng = Random(f"{format_}/{seed}")
    course = GeneratorSettings(format_, SIZES.get(format_, 13), seed)
    data, missed = entries(course, rng), 0
    while len(data["rounds"]) < (rounds or event_generator.MOST_ROUNDS):
        event = from_dict(data)
        if is_over(event) or (event.facts.endless and len(data["rounds"]) >= event_generator.ROUNDS):
            break
        paired = next_round(event)
        games = entries_to_dicts(event, paired)
        open_ = [game for game in games if "bye" not in game and game.get("winner") is None]
        away = rng.choice(open_) if open_ and rng.random() < 0.7 else None
        missed += away is not None
        played = [game | DOUBLE_FORFEIT if game is away else event_generator._played(data, game, rng) for game in games]
        data["rounds"].append({"round": paired.round, "games": played})
    return data, missed


def _problems(data: Json) -> list[tuple[str, str]]:
    """Return what the verifier finds in an event and in its standings after each round."""
    event = from_dict(data)
    sheets = [standings(event, after).as_dict() for after in range(1, len(data["rounds"]) + 1)]
    return [(one.rule, str(one)) for sheet in sheets for one in verify(data, sheet).problems]


#: where a semi-final, or a board of a match, is such a game
MORE = [("m40-9-12", 14), ("m40-9-12", 23), ("team", 4), ("team", 7), ("team", 21), ("team", 23)]


@pytest.mark.parametrize("format_, seed", [*((name, seed) for name in FORMATS for seed in range(4)), *MORE])
def test_the_event_continues_and_both_lose(format_: str, seed: int) -> None:
    """A double forfeit has no points, no discs and counts as no meeting.

    The verifier agrees, files round-trip, and no-shows have no place of honour and no certificate.
    """
    data, missed = _played_event(format_, seed)
    assert missed
    event = from_dict(data)
    assert is_over(event) or event.facts.endless
    doubles = [game for round_ in event.rounds for game in round_.games if game.winner is Winner.NEITHER]
    assert len(doubles) == missed and event.last_finished_round == len(event.rounds)
    for game in doubles:
        assert (
            [game.half_points(name) for name in game.players] == [game.discs(name) for name in game.players] == [0, 0]
        )
        assert not game.over_the_board and game.rated is False
    assert _problems(data) == []
    for again in (to_dict(event), read_csv(write_csv(to_dict(event)))):
        assert from_dict(again) == event
    rows = standings(event).rows
    present = {bye.player for round_ in event.rounds for bye in round_.byes}
    present |= {n for r in event.rounds for g in r.games for n in g.players if g.over_the_board or g.half_points(n)}
    if not event.facts.teams:
        assert all(row.id in present for row in rows if row.rank <= 2)
    if event.facts.certificate is not None and is_over(event):
        assert {award.id for award in awards(event)} <= present
    if not event.facts.captures:
        results = [line for line in write_elo(event).splitlines() if "(00)=(00)" in line]
        assert len(results) == missed and all(line.startswith("% Forfeit:") for line in results)
        assert "neither came" in write_work_file(event)


@pytest.mark.parametrize("size", (4, 5, 8, 13))
@pytest.mark.parametrize("seed", range(6))
def test_a_bracket_continues_after_a_double_forfeit(size: int, seed: int) -> None:
    """The player who would have met the winner has a bye, also in the final.

    Champion and second have won a game or a walkover.
    """
    rng = Random(seed)
    data: Json = entries(GeneratorSettings("knockout", size, seed), rng)
    while not is_over(event := from_dict(data)):
        games = entries_to_dicts(event, next_round(event))
        played: list[Any] = [
            g | DOUBLE_FORFEIT if "bye" not in g and rng.random() < 0.4 else event_generator._played(data, g, rng)
            for g in games
        ]
        data["rounds"].append({"round": len(data["rounds"]) + 1, "games": played})
    assert not _problems(data)
    won = {n for r in event.rounds for g in r.games for n in g.players if g.half_points(n)}
    won |= {bye.player for round_ in event.rounds for bye in round_.byes}
    rows = standings(event).rows
    if won:
        assert {row.id for row in rows if row.rank <= 2} & won


@pytest.mark.parametrize(
    "format_, size, options, missed, ranks",
    [
        ("knockout", 4, {}, "final", [2, 2, 3, 3]),
        ("knockout", 2, {}, "final", [2, 2]),
        ("knockout", 4, {}, "semi-final", [4, 4, 4, 4]),
        ("knockout", 4, {"third_place": True}, "third-place", [1, 2, 4, 4]),
        ("swiss", 6, {"rounds": 2, "finals": "1-2"}, "final", [2, 2]),
        ("swiss", 6, {"rounds": 2, "finals": "1-4"}, "final", [2, 2, 3, 4]),
        ("swiss", 6, {"rounds": 2, "finals": "1-4"}, "third-place", [1, 2, 4, 4]),
        ("swiss", 6, {"rounds": 2, "finals": "1-4"}, "semi-final", [4, 4, 4, 4]),
        ("adjacent", 6, {"rounds": 2, "finals": "1-4"}, "final", [2, 2, 3, 4]),
        ("adjacent", 6, {"rounds": 2, "finals": "1-4"}, "semi-final", [4, 4, 4, 4]),
        ("m43-division", 9, {}, "third-place", [1, 2, 4, 4]),
        ("m43-division", 9, {}, "semi-final", [4, 4, 4, 4]),
        ("m40-33-64", 40, {}, "final", [2, 2, 3, 4]),
        ("m40-33-64", 40, {}, "third-place", [1, 2, 4, 4]),
        ("m43-open", 9, {}, "final", [2, 2, 3, 4]),
        ("m43-open", 9, {}, "semi-final", [4, 4, 4, 4]),
    ],
)
def test_nobody_wins_a_final_without_players(
    format_: str, size: int, options: Json, missed: str, ranks: list[int]
) -> None:
    """AMB-49: both share the last place of the game, and the event ends without a champion.

    A no-show has no certificate.
    """
    data: Json = entries(GeneratorSettings(format_, size, 1), Random(1))
    data["options"] |= options
    while not is_over(event := from_dict(data)):
        games = [
            game | DOUBLE_FORFEIT
            if game.get("stage") == missed
            else game | ({"winner": "black", "black_discs": 40, "white_discs": 24} if "bye" not in game else {})
            for game in entries_to_dicts(event, next_round(event))
        ]
        data["rounds"].append({"round": len(data["rounds"]) + 1, "games": games})
    assert not _problems(data)
    rows = standings(event).rows
    assert [row.rank for row in rows][: len(ranks)] == ranks
    assert (champion(event) is None) == (missed != "third-place")
    places = prizes_of(PublishedDivision("main", ("部", "Division"), event))
    honoured = [(one.rank, one.id) for one in places if one.place is not None]
    present = who_came(event)
    assert honoured == [(row.rank, row.id) for row in rows if row.rank <= 3 and row.id in present]
    assert honoured or missed == "semi-final" or size == 2


@pytest.mark.parametrize("options", [{}, {"third_place": True}])
def test_who_missed_a_semi_final_after_a_win_stands_below_its_loser(options: Json) -> None:
    """AMB-49: of two semi-finals one is played; the two of the other are 4th, as in a league with finals."""
    data: Json = entries(GeneratorSettings("knockout", 8, 1), Random(1))
    data["options"] |= options
    while not is_over(event := from_dict(data)):
        games = [
            game | ({"winner": "black", "black_discs": 40, "white_discs": 24} if "bye" not in game else {})
            for game in entries_to_dicts(event, next_round(event))
        ]
        if games[0]["stage"] == "semi-final":
            games[0] |= DOUBLE_FORFEIT
        data["rounds"].append({"round": len(data["rounds"]) + 1, "games": games})
    assert not _problems(data)
    rows = standings(event).rows
    assert [row.rank for row in rows] == [1, 2, 4, 4, 5, 5, 5, 5]
    assert {row.id for row in rows[2:4]} == set(event.rounds[1].games[0].players)
    places = prizes_of(PublishedDivision("main", ("部", "Division"), event))
    assert [one.rank for one in places if one.place is not None] == [1, 2]


def _event_without(data: Json, missed: str) -> Json:
    """Return the event with all its rounds played, but for the games of a stage, to which nobody came."""
    rng = Random(3)
    while not is_over(event := from_dict(data)):
        games = [
            game | DOUBLE_FORFEIT
            if game.get("stage") == missed and "bye" not in game
            else event_generator._played(data, game, rng)
            for game in entries_to_dicts(event, next_round(event))
        ]
        data["rounds"].append({"round": len(data["rounds"]) + 1, "games": games})
    return data


@pytest.mark.parametrize("missed", ["semi-final", "final", "third-place"])
@pytest.mark.parametrize("format_", ["m40-open", "m40-33-64", "m40-17-32", "m40-13-16", "m40-9-12"])
def test_the_verifier_accepts_the_sheets_of_an_event_without_a_final(format_: str, missed: str) -> None:
    """AMB-49: if nobody came to a semi-final, wins alone rank its players."""
    data = entries(GeneratorSettings(format_, SIZES.get(format_, 13), 3), Random(3))
    assert _problems(_event_without(data, missed)) == []


def test_a_sheet_with_a_champion_who_did_not_come_is_reported() -> None:
    data = entries(GeneratorSettings("swiss", 6, 1), Random(1))
    data["options"] |= {"rounds": 2, "finals": "1-2"}
    sheet = standings(from_dict(_event_without(data, "final"))).as_dict()
    assert verify(data, sheet).problems == []
    sheet["rows"][0]["rank"] = 1
    assert {problem.rule for problem in verify(data, sheet).problems} == {"SHEET-RANKS"}


def test_results_without_a_winner_are_refused_except_double_forfeits() -> None:
    """A double forfeit has no winner, no discs and the end "forfeit" in a file."""
    data, _ = _played_event("swiss", 1, 1)
    game = next(game for game in data["rounds"][0]["games"] if "bye" not in game)
    for result, message in (
        ({"winner": "neither", "end": "forfeit"}, "double forfeit"),
        ({"winner": None, "end": "time"}, "no winner"),
        ({"winner": None, "black_discs": 33, "white_discs": 31, "end": "forfeit"}, "no winner"),
        ({"winner": None, "end": "forfeit", "rated": True}, None),
    ):
        for name in ("winner", "black_discs", "white_discs", "end", "rated"):
            game.pop(name, None)
        game.update(result)
        if message is None:
            assert from_dict(data).rounds[0].games
        else:
            with pytest.raises(EventError, match=message):
                from_dict(data)
