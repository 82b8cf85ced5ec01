"""Translatable texts: templates with fields, rendering, and limits on untrusted templates."""

from __future__ import annotations

import pytest

from engine.i18n import LocalizedError, Text, ordinal, render, say, say_in, say_n


def test_say_fills_in_the_fields_of_a_template() -> None:
    assert str(say("round {n} is not there any more", n=3)) == "round 3 is not there any more"


def test_a_sentence_without_fields_may_hold_braces_and_percents() -> None:
    assert str(say("100 % of {}")) == "100 % of {}"


def test_fields_may_be_sentences_and_lists_of_them() -> None:
    inner = say("{colour} wins", colour=say("Black"))
    assert str(say("{what}: {squares}", what=inner, squares=("e5", say("f5")))) == "Black wins: e5, f5"


def test_singular_and_plural() -> None:
    games = [str(say_n("{n} game is open", "{n} games are open", n)) for n in (0, 1, 2)]
    assert games == ["0 games are open", "1 game is open", "2 games are open"]


def test_contexts_distinguish_equal_words() -> None:
    assert say_in("colour", "Black") != say_in("a player's side", "Black")


def test_fields_can_be_filled_in_later_and_in_any_order() -> None:
    move = say("{who} plays {square}")
    assert move(who="a")(square="f5") == move(square="f5", who="a") == say("{who} plays {square}", who="a", square="f5")


def test_equal_sentences_are_equal_values() -> None:
    assert len({say("a {x}", x=1), say("a {x}", x=1), say("a {x}", x=2)}) == 2


def test_the_message_of_an_error_is_its_text() -> None:
    class RefusedError(LocalizedError, ValueError):
        pass

    with pytest.raises(RefusedError, match=r"^table 8 is taken; choose another$") as refused:
        raise RefusedError(say("table {n} is taken; choose another", n=8))
    assert refused.value.text == say("table {n} is taken; choose another", n=8)


def test_rendering_uses_the_templates_of_the_language() -> None:
    japanese = {"round {n}": "第{n}回戦", "{n:ordinal}": "{n}"}

    def find(text: Text) -> str:
        return japanese.get(text.template, text.template)

    assert render(say("round {n}", n=3), find) == "第3回戦"
    assert render(say("place {n:ordinal}", n=3), find) == "place 3"
    assert render(say("place {n:ordinal}", n=3)) == "place 3rd"


@pytest.mark.parametrize(
    ("n", "said"),
    [(1, "1st"), (2, "2nd"), (3, "3rd"), (4, "4th"), (11, "11th"), (12, "12th"), (113, "113th"), (121, "121st")],
)
def test_ordinal_numbers_in_english(n: int, said: str) -> None:
    assert ordinal(n) == said


@pytest.mark.parametrize(
    ("template", "said"),
    [
        ("{x.__class__}", "{x.__class__}"),
        ("{x[0]}", "{x[0]}"),
        ("{x:999999999d}", "{x:999999999d}"),
        ("{missing} {x}", "{missing} 7"),
        ("{{x}} {x", "{x} {x"),
        ("{x:ordinal} {x:02d}", "7th 07"),
        ("{x!r} {s!r}", "7 'a'"),
        ("{s:ordinal} {s:d}", "{s:ordinal} {s:d}"),
    ],
)
def test_an_untrusted_template_cannot_raise_access_attributes_or_grow(template: str, said: str) -> None:
    assert str(Text(template)(x=7, s="a")) == said


def nested(template: str, depth: int) -> Text:
    text = Text("x")
    for _ in range(depth):
        text = Text(template, (("a", text),))
    return text


def test_nested_sentences_are_bounded_in_depth_and_length() -> None:
    """A table may send texts nested as deep as a frame holds, each part repeated many times."""
    assert str(nested("{a}", 3)) == "x"
    assert str(nested("{a}", 900)) == str(nested("{a!r}", 900)) == "…"
    assert len(str(nested("{a}{a}", 12))) == 4096
    assert len(str(nested("{a}" * 50, 900))) <= 20_000
    assert str(nested("{a}" * 50, 900)(b=1)).startswith("…")
