"""``kiosk convert``: conversion between record formats, selected by file extension.

Events become events, game records become game records. ``.txt`` is PAPP's player list beside an event format and a list
of transcripts beside a game format.
"""

from __future__ import annotations

from pathlib import Path

import click

from engine.i18n import Text, raised_as, say
from kiosk.commands.command_helpers import PATH, as_json_option, print_answer, print_result, read_text, write_text
from kiosk.errors import InputError, unreadable
from kiosk.untrusted_file_sandbox import Limits, in_child

#: for a database of a million games
_LIMITS = Limits(memory=4096 * 1024 * 1024, processor_s=1800, deadline_s=1800)
#: for an event of ten thousand players of ten rounds with their transcripts
_OF_EVENT = Limits(memory=448 * 1024 * 1024, processor_s=60, deadline_s=120)
#: game records; ``kiosk.records.game_file_formats.convert_games(source, target)`` reads and writes them
_GAMES = frozenset({".wtb", ".ggf", ".pgn", ".obf"})
#: files of other programs, in UTF-8 or ISO 8859-1
_OLD = frozenset({".elo", ".txt"})
_EVENTS = frozenset({".json", ".elo", ".csv", ".txt"})
#: ChouChou's score sheet, which is only written
_SHEET = frozenset({".xlsx"})


@click.command()
@click.argument("source", type=PATH)
@click.argument("target", type=PATH)
@click.option("--country", default="", help="Country of the tournament, for .ELO.")
@click.option("--sender", default="", help="Sender of the .ELO file to the rating list.")
@as_json_option
def convert(source: Path, target: Path, country: str, sender: str, as_json: bool) -> None:
    """Convert SOURCE to TARGET, in the formats of their extensions.

    Events: .json (event file), .ELO, .csv, .txt (PAPP's joueurs.txt); ChouChou's score sheet: to .xlsx.

    Games: .wtb, .ggf, .pgn, .obf, .txt (transcripts), .csv.
    """
    from kiosk.records.game_file_formats import convert_games

    kinds = source.suffix.lower(), target.suffix.lower()
    for path, kind in zip((source, target), kinds, strict=True):
        possible = _GAMES | _EVENTS | (_SHEET if path is target else frozenset())
        if kind not in possible:
            known = ", ".join(sorted(possible))
            unknown = say("{path}: no record format has the extension '{kind}'; there are {known}")
            raise InputError(unknown(path=path, kind=kind, known=known))
    if _GAMES.intersection(kinds):
        counts = in_child(lambda: convert_games(source, target), _LIMITS, source)
    else:
        counts, warnings = in_child(lambda: _convert_event(source, target, country, sender), _OF_EVENT, source)
        for warning in warnings:
            print_answer(warning, err=True)
    done = say("{path}: {games} games") if "games" in counts else say("{path}: {players} players, {rounds} rounds")
    print_result(counts, done(path=target, **counts), as_json)


def _old_text(path: Path) -> str:
    """Return the text, decoded as UTF-8, else ISO 8859-1, which is common in archives of European federations."""
    with unreadable(path):
        try:
            return path.read_text(encoding="utf-8-sig")
        except UnicodeDecodeError:
            return path.read_text(encoding="iso-8859-1")


def _convert_event(source: Path, target: Path, country: str, sender: str) -> tuple[dict[str, int], list[Text]]:
    """Convert; return the numbers of players and rounds, and sentences about what the target lacks."""
    from kiosk.records.elo_result_file_writer import UNTOLD, EloHeader, missing_data, write_elo
    from kiosk.records.event_file import from_dict
    from kiosk.records.event_file_formats_and_csv import READERS, WRITERS

    text = _old_text(source) if source.suffix.lower() in _OLD else read_text(source)
    left_out: list[Text] = []
    too_deep = say("{source} is nested too deeply; give an event file (CONTRACT.md)", source=source)
    wrong = say("{source}: {why}", source=source)
    with raised_as(InputError, too_deep, RecursionError), raised_as(InputError, wrong, ValueError):
        event = from_dict(READERS[source.suffix.lower()](text, left_out))
    sending = EloHeader(country or UNTOLD, sender or UNTOLD, target.stem)
    warnings: list[Text] = []
    written: str | bytes
    unfit = say("{source} cannot be written as '{suffix}': {why}", source=source, suffix=target.suffix)
    with raised_as(InputError, unfit, ValueError):
        if target.suffix.lower() == ".elo":
            written = write_elo(event, sending)
            warnings.extend(missing_data(event, sending))
        elif target.suffix.lower() in _SHEET:
            from kiosk.records.chouchou_score_sheet_workbook import write_sheet

            written = write_sheet(event)
        else:
            written = WRITERS[target.suffix.lower()](event)
    write_text(target, written)
    warnings += [say("{path}, {warning}", path=source, warning=warning) for warning in left_out]
    return {"players": len(event.players), "rounds": len(event.rounds)}, warnings
