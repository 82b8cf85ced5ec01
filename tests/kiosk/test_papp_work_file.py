"""Tests of PAPP's work file, read back by a reader of PAPP's own grammar that shares no code with the writer."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from events.event_generator import GeneratorSettings, simulate
from events.random_events import event_of
from events.recorded_events import recorded_event

from kiosk.records.elo_result_file_writer import write_elo
from kiosk.records.event_file import from_dict
from kiosk.records.papp_files import write_players, write_work_file, write_work_players
from kiosk.records.rating_list_numbers_and_names import FIRST_NEWCOMER

#: the tokens of PAPP's lexer: texts, fields, comments, numbers, keywords, signs
_TOKEN = re.compile(
    r'"[^"\r\n]*"|#_[A-Za-z-]+|#(?:[^_\r\n][^\r\n]*)?|[0-9]*\.[0-9]+|[0-9]+|[A-Za-z][A-Za-z-]*|[&+();=-]|\s+'
)


def parse(text: str) -> tuple[dict[str, str], list[list[tuple[int, ...]]], list[set[int]]]:
    """Return the fields, the games by round, and the players present in each round, as ``pap.y`` reads the commands."""
    at, tokens = 0, []
    while at < len(text):
        match = _TOKEN.match(text, at)
        assert match, text[at : at + 40]
        at = match.end()
        if not (match[0].isspace() or (match[0].startswith("#") and not match[0].startswith("#_"))):
            tokens.append(match[0])
    fields: dict[str, str] = {}
    rounds: list[list[tuple[int, ...]]] = [[]]
    present: set[int] = set()
    there: list[set[int]] = []
    commands: list[list[str]] = [[]]
    for token in tokens:
        commands[-1].append(token) if token != ";" else commands.append([])
    assert commands.pop() == []  # the last command is also terminated
    for command in commands:
        if command[0].startswith("#_"):
            name, equals, value = command
            assert equals == "="
            fields[name] = value.strip('"')
        elif command == ["ronde-suivante"]:
            there.append(set(present))
            rounds.append([])
        elif command[0] == "&":
            for sign, number in zip(command[1::2], command[2::2], strict=True):
                (present.add if sign == "+" else present.discard)(int(number))
        else:
            assert (command[0], command[-1]) == ("(", ")")
            game = tuple(map(int, command[1:-1]))
            players = {game[0], game[2] if len(game) == 4 else game[1]}
            assert players <= present, "PAPP refuses a pairing of somebody who is not there"
            if len(game) == 4:
                assert game[1] + game[3] == 64
            rounds[-1].append(game)
    return fields, rounds, [*there, present]


def test_the_games_of_an_event_are_read_back() -> None:
    event = from_dict(recorded_event("swiss", players=11, rounds=5))
    fields, rounds, there = parse(write_work_file(event))
    assert fields["#_Nom-Tournoi"] == "春のオセロ大会 Spring Open" and fields["#_Date"] == "05/04/2031"
    assert float(fields["#_BQ-double"]) == 6 and int(fields["#_Nombre-Rondes"]) == 5
    number = {player.id: at for at, player in enumerate(event.players, start=FIRST_NEWCOMER)}
    for round_, games, present in zip(event.rounds, rounds, there, strict=False):
        due = [(number[g.black], g.black_discs, number[g.white], g.white_discs) for g in round_.games]
        assert games == due
        paired = {player for game in games for player in (game[0], game[2])}
        assert present - paired == {number[bye.player] for bye in round_.byes}
    assert rounds[-1] == [] and there[-1] == set(number.values())


def test_a_withdrawn_player_is_absent() -> None:
    event = from_dict(simulate(GeneratorSettings("swiss", 16, 5, 6, restless=True)))
    _, rounds, there = parse(write_work_file(event))
    gone = [p for p in event.players if p.withdrawn_after_round is not None]
    assert gone
    number = {player.id: at for at, player in enumerate(event.players, start=FIRST_NEWCOMER)}
    for player in gone:
        assert number[player.id] not in there[-1]
    assert len(rounds) == len(event.rounds) + 1


def test_a_round_in_progress_stays_open() -> None:
    data = event_of("swiss", 4)
    data["rounds"] = [{"round": 1, "games": [
        {"black": "p1", "white": "p2", "winner": "black"}, {"black": "p3", "white": "p4"},
    ]}]  # fmt: skip
    text = write_work_file(from_dict(data))
    _, rounds, _ = parse(text)
    one = FIRST_NEWCOMER
    assert rounds == [[(one, 33, one + 1, 31), (one + 2, one + 3)]] and "only the winner was recorded" in text


@pytest.mark.parametrize(
    ("name", "shown"), [("青木 みどり", "Player, p1"), ("Lena Vögt", "Lena, Vogt"), ("3rd Man", "no3rd, Man")]
)
def test_papp_can_read_every_name(name: str, shown: str) -> None:
    data = event_of("swiss", 1)
    data["players"][0]["name"] = name
    lines = write_work_players(from_dict(data)).splitlines()
    assert lines[-1].split(None, 1)[1] == shown
    assert all(re.fullmatch(r"[\x20-\x7e]*", line) for line in lines)


@pytest.mark.parametrize("end", ["\r", "\n", "\x85", "\u2028", "\x0b"])
def test_no_text_of_an_event_begins_a_line_or_a_command(end: str) -> None:
    """A file from another person may have any character in a name or a country."""
    event = from_dict(event_of("swiss", 8, 1))
    players = (replace(event.players[0], country=f"F{end}1 X"), *event.players[1:])
    event = replace(event, name=f"A{end}(1 64 2 0);{end}# B", players=players)
    fields, *_ = parse(write_work_file(event))
    assert fields["#_Nom-Tournoi"] == "A (1 64 2 0); # B"
    for written in (write_work_file, write_work_players, write_elo, write_players):
        assert len(written(event).splitlines()) == len(written(replace(event, name="A")).splitlines())
        assert not any(line.startswith(("(1 64", "1 X", "# B")) for line in written(event).splitlines())
