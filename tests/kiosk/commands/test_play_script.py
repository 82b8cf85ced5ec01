"""Tests of ``kiosk play``: valid and invalid scripts, buttons, power cuts, the command itself."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands.called import Cli
from matches.games import WIPE_OUT, after
from matches.scripts import LEAGUE, WHITE_FLAG, Line, game, play, result

from engine.board.position import Position
from kiosk.errors import InputError
from kiosk.play.table_script_parser import read_script


class TestButtonsAndPower:
    def test_a_press_of_the_side_not_running_does_nothing(self) -> None:
        out = play({"at": 0, "press": "black"}, {"at": 1, "press": "white"}, {"at": 2, "press": "white"})
        assert [line["line"] for line in out["rejected"]] == [2, 4]
        assert (out["state"], out["running"]) == ("TURN", "black")

    @pytest.mark.parametrize("pressed", [0, 1])
    def test_a_bouncing_press_counts_once_at_its_first_edge(self, pressed: int) -> None:
        levels = [pressed, 1 - pressed] * 3
        bounce = [{"at": 10 + n * 0.001, "edge": "black", "level": level} for n, level in enumerate(levels[:5])]
        lines: list[Line] = [
            {"at": 0, "edge": "white", "level": pressed},
            {"at": 0.1, "edge": "white", "level": 1 - pressed},
        ]
        out = play(*lines, *bounce, {"at": 10.2, "edge": "black", "level": 1 - pressed}, {"at": 20, "hold": "white"})
        assert (out["state"], out["rejected"]) == ("HOLD", [])
        assert out["remaining_ms"] == {"black": 1_190_000, "white": 1_190_000}

    @pytest.mark.parametrize("end", [{"at": 20, "hold": "white"}, None])
    def test_a_spike_is_ignored(self, end: Line | None) -> None:
        spike: list[Line] = [{"at": 10, "edge": "black", "level": 1}, {"at": 10.0004, "edge": "black", "level": 0}]
        out = play({"at": 0, "press": "white"}, *spike, *([end] if end else []))
        assert out["remaining_ms"] == {"black": 1_180_000 if end else 1_189_999, "white": 1_200_000}
        assert out["rejected"] == []

    def test_a_spike_of_a_refused_press_cancels_nothing(self) -> None:
        spike: list[Line] = [{"at": 10.01, "edge": "black", "level": 1}, {"at": 10.0101, "edge": "black", "level": 0}]
        out = play({"at": 0, "press": "white"}, {"at": 10, "press": "black"}, *spike, {"at": 20, "hold": "white"})
        assert out["remaining_ms"] == {"black": 1_190_000, "white": 1_190_000}
        assert [line["line"] for line in out["rejected"]] == [4]

    def test_a_power_cut_pauses_the_clock_and_loses_at_most_a_second(self) -> None:
        lines: list[Line] = [*game("f5d6"), {"at": 12.7, "power": "cut"}, {"at": 95, "power": "on"}]
        out = play(*lines)
        assert (out["state"], out["running"]) == ("HOLD", None)
        assert out["journal"] == {"records": 8, "recovered": True}
        assert 0 <= out["remaining_ms"]["black"] - (1_200_000 - 1_000 - 10_700) <= 1_000
        assert (out["remaining_ms"]["white"], out["transcript"]) == (1_199_000, "f5d6")
        out = play(*lines, {"at": 100, "arbiter": {"action": "resume", "reason": "power"}},
                   {"at": 101, "board": after("f5d6c3")}, {"at": 102, "press": "black"})  # fmt: skip
        assert (out["state"], out["running"], out["transcript"]) == ("TURN", "white", "f5d6c3")

    def test_input_without_power_is_ignored(self) -> None:
        lines: list[Line] = [{"at": 0, "press": "white"}, {"at": 5, "power": "cut"}, {"at": 6, "press": "black"},
                             {"at": 7, "power": "cut"}]  # fmt: skip
        out = play(*lines)
        assert [line["line"] for line in out["rejected"]] == [4, 5]
        assert (out["state"], out["journal"]["recovered"]) == ("HOLD", False)
        assert len(play({"at": 0, "power": "on"})["rejected"]) == 1

    def test_a_card_is_kept_over_a_power_cut(self) -> None:
        out = play(
            *game(WIPE_OUT),
            {"at": 10, "end": "white"},
            {"at": 11, "confirm": "white"},
            {"at": 12, "power": "cut"},
            {"at": 90, "power": "on"},
            {"at": 91, "confirm": "black"},
        )
        assert (out["state"], out["result"]) == ("SIGNED", result("black", 64, 0, "normal"))


class TestScript:
    """Unusable scripts are refused with the number of their line."""

    SETUP = '{"setup": {"rules": "m43"}}'

    @pytest.mark.parametrize(
        ("text", "line", "word"),
        [
            ("", "", "setup"),
            ('{"at": 0, "press": "white"}', "1", "setup"),
            ("{", "1", "JSON"),
            ("[]", "1", "object"),
            ('{"setup": {"rules": "m43", "rule": 1}}', "1", "'rule'"),
            ('{"setup": {"rules": "m44"}}', "1", "unknown rule set"),
            ('{"setup": {"stage": "semi"}}', "1", "stage"),
            ('{"setup": {"main_s": 0}}', "1", "main_s"),
            ('{"setup": {"options": {"flor": true}}}', "1", "'flor'"),
            (SETUP + "\n" + SETUP, "2", "second"),
            (SETUP + '\n{"at": 1, "press": "red"}', "2", "press"),
            (SETUP + '\n\n{"at": 1, "press": "white", "x": 1}', "3", "'x'"),
            (SETUP + '\n{"at": 1, "press": "white"}\n{"at": 0.5, "press": "black"}', "3", "order"),
            (SETUP + '\n{"at": NaN, "press": "white"}', "2", "NaN"),
            (SETUP + '\n{"at": "1", "press": "white"}', "2", "number"),
            (SETUP + '\n{"at": 1, "pres": "white"}', "2", "'pres'"),
            (SETUP + '\n{"at": 1, "press": "white", "hold": "black"}', "2", "press and hold"),
            (SETUP + '\n{"at": 1, "board": "XO"}', "2", "64"),
            (SETUP + '\n{"at": 1, "edge": "white"}', "2", "level"),
            (SETUP + '\n{"at": 1, "claim": "flag", "by": "white", "kind": "IM-1"}', "2", "'kind'"),
            (SETUP + '\n{"at": 1, "claim": "illegal", "by": "white", "kind": "IM-8"}', "2", "kind"),
            (SETUP + '\n{"at": 1, "claim": "illegal", "by": "white", "squares": ["z9"]}', "2", "z9"),
            (SETUP + '\n{"at": 1, "claim": "flag"}', "2", "by"),
            (SETUP + '\n{"at": 1, "discs": {"black": 34}}', "2", "discs"),
            (SETUP + '\n{"at": 1, "arbiter": {"action": "expel"}}', "2", "expel"),
            (SETUP + '\n{"at": 1, "arbiter": {"action": "deduct", "seconds": 5, "reason": "x"}}', "2", "'from'"),
            (SETUP + '\n{"at": 1, "arbiter": {"action": "resume", "seconds": 5}}', "2", "'seconds'"),
        ],
    )
    def test_an_invalid_line_is_named(self, text: str, line: str, word: str) -> None:
        with pytest.raises(InputError) as refused:
            read_script(text)
        assert word in str(refused.value)
        assert f"line {line}" in str(refused.value) or not line

    def test_the_command_prints_json_alone(self, tmp_path: Path, cli: Cli) -> None:
        script = tmp_path / "game.jsonl"
        script.write_text(
            self.SETUP + '\n{"at": 0, "press": "white"}\n{"at": 1.5, "press": "black"}\n', encoding="utf-8"
        )
        out = cli.json("play", script)
        assert list(out) == [
            "state", "running", "remaining_ms", "flags", "shown_to_players", "shown_to_arbiter", "result", "findings",
            "rejected", "transcript", "journal",
        ]  # fmt: skip
        assert (out["running"], out["remaining_ms"]["black"]) == ("white", 1_198_500)

    def test_the_command_prints_a_summary(self, tmp_path: Path, cli: Cli) -> None:
        script = tmp_path / "game.jsonl"
        script.write_text("\n".join(map(json.dumps, [{"setup": LEAGUE}, *WHITE_FLAG])), encoding="utf-8")
        assert "TURN" in cli("play", script)[1]

    def test_a_bad_script_exits_2_with_one_sentence(self, tmp_path: Path, cli: Cli) -> None:
        script = tmp_path / "game.jsonl"
        script.write_text(self.SETUP + "\n{", encoding="utf-8")
        assert "line 2" in cli.refused("play", script, "--json")


def test_a_script_is_played_on_a_smaller_or_larger_board() -> None:
    """The option ``variant`` sets the number of characters of a board, the names of its squares, and the total on the
    card."""
    setup = {"rules": "m43", "options": {"variant": "10x10"}}
    start = Position.start("10x10")
    first = start.play(start.geometry.square("d5")).cells()
    wrong = first.replace("-", "X", 1)
    claim = {"at": 20, "claim": "illegal", "by": "white", "kind": "IM-6", "squares": ["a1"]}
    lines: list[Line] = [{"at": 0, "press": "white"}, {"at": 5, "board": wrong}, {"at": 6, "press": "black"}, claim]
    out = play(*lines, setup=setup)
    assert (out["transcript"], out["state"], out["rejected"]) == ("d5", "CORR", [])
    assert out["findings"] and out["shown_to_players"]
    for other in ({"at": 5, "board": "-" * 64}, {**claim, "squares": ["k1"]}):
        with pytest.raises(InputError):
            play(*lines[:1], other, setup=setup)
    with pytest.raises(InputError, match="j1"):
        play(*lines[:1], {**claim, "squares": ["j1"]})
