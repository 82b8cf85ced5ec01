"""Tests that help texts are in one language: all their words are from the catalogues."""

from __future__ import annotations

import re
from collections.abc import Iterator

import click
import pytest
from messages.catalogues import ROOT
from messages.pseudo import third_language, untranslated

from kiosk.cli import app, main
from kiosk.commands import translated_help_and_usage_errors
from kiosk.locale import JAPANESE, Lang

CALLS = {
    call.command_path: call
    for call in translated_help_and_usage_errors.calls(translated_help_and_usage_errors.Context(app, info_name="kiosk"))
}
WORD = re.compile(r"[A-Za-z]{2,}")


@pytest.fixture(autouse=True)
def _plain_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


@pytest.fixture(scope="module")
def pseudo_language(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lang]:
    with third_language(tmp_path_factory.mktemp("locale")) as lang:
        yield lang


@pytest.fixture
def pseudo(pseudo_language: Lang, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", pseudo_language)


def typed(call: click.Context) -> set[str]:
    """Return the words of a command that no language translates: commands, options, values."""
    found = set(call.command_path.split())
    if isinstance(call.command, click.Group):
        found |= set(call.command.list_commands(call))
    for param in call.command.get_params(call):
        found |= {*param.opts, *param.secondary_opts, str(param.default), param.metavar or ""}
        if isinstance(param, click.Argument):
            found.add(param.make_metavar(call))
        if isinstance(param.type, click.Choice):
            found |= set(map(str, param.type.choices))
        elif param.type.name not in ("text", "integer", "integer range", "float", "float range", "path", "boolean"):
            found.add(param.type.name.upper())  # a type that the help names, such as X,Y
    return {word for name in found for word in WORD.findall(name)}


@pytest.mark.usefixtures("pseudo")
def test_every_word_of_a_command_s_help_is_translatable() -> None:
    assert len(CALLS) > 40
    # a list of commands shows only the first sentence of each help, without its closing ⟧
    shown = {path: re.sub("⟦[^⟦⟧]*⟧?", " ", call.get_help()) for path, call in CALLS.items()}
    outside = {path: set(WORD.findall(shown[path])) - typed(call) for path, call in CALLS.items()}
    assert {path: words for path, words in outside.items() if words} == {}


#: one call for each kind of usage error
MISUSED = [
    ["frobnicate"], ["keys", "frobnicate"], ["--frobnicate"], ["pair"], ["pair", "event.json", "more"],
    ["pair", "--cost"], ["pair", "--json=3", "event.json"], ["pair", "--cost", "many", "event.json"],
    ["demo", "--players", "3"],
    ["doctor", "--minutes", "0"], ["demo", "--carrier", "pigeon"], ["play"], ["table"],
    ["keys", "new", "--tables", "1", "--out", str(ROOT / "README.md")],
    ["read-board", "--corners", "1", "2", "3", "4", "x.png"],
]  # fmt: skip


@pytest.mark.usefixtures("pseudo")
@pytest.mark.parametrize("args", MISUSED, ids=" ".join)
def test_every_word_of_a_usage_error_is_translatable(args: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(args)
    said = capfd.readouterr().err
    named = {word for call in CALLS.values() for word in typed(call)} | set(WORD.findall(" ".join(args)))
    assert ended.value.code == 2
    assert "⟦" in said and set(WORD.findall(untranslated(said))) - named == set()


def test_japanese_help_is_japanese_and_english_is_english(monkeypatch: pytest.MonkeyPatch) -> None:
    for call in CALLS.values():
        monkeypatch.setenv("LC_ALL", "ja_JP.UTF-8")
        japanese = call.get_help()
        assert "使い方" in japanese and "オプション" in japanese and "Usage" not in japanese
        monkeypatch.setenv("LC_ALL", "C.UTF-8")
        assert re.search(r"[぀-ヿ㐀-鿿]", call.get_help()) is None


@pytest.mark.parametrize("lang", [JAPANESE, "C"])
@pytest.mark.parametrize("columns", ["60", "80"])
def test_help_fits_the_terminal(lang: str, columns: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A Japanese character takes two columns, and no line begins with a closing punctuation mark."""
    monkeypatch.setenv("LC_ALL", lang)
    monkeypatch.setenv("COLUMNS", columns)
    lines = [line for call in CALLS.values() for line in call.get_help().splitlines()]
    assert [line for line in lines if translated_help_and_usage_errors._columns(line) > int(columns)] == []
    assert [line for line in lines if line.strip()[:1] in tuple("。、）」")] == []
