"""``kiosk draw``, ``kiosk pair``, ``kiosk standings``, ``kiosk certify``: lots, next round, ranking and grades from an
event file (CONTRACT.md).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from engine.i18n import Text, raised_as, say
from kiosk.commands.command_helpers import PATH, as_json_option, print_answer, read_text, write_text
from kiosk.errors import InputError, unreadable
from kiosk.locale import ENGLISH, JAPANESE, render, render_both
from kiosk.untrusted_file_sandbox import Limits, in_child

if TYPE_CHECKING:
    from engine.tournament import PairedRound, Standings
    from engine.tournament.event_model import Bye, Event, Game
    from engine.tournament.explain_pairings import PairReason
    from engine.tournament.grade_and_oza_awards import Award

#: bytes from which an event file is read within limits; that of a hundred players with transcripts is smaller
_LARGE = 256 * 1024
#: for ten thousand players of ten rounds with their transcripts
_LIMITS = Limits(memory=384 * 1024 * 1024, processor_s=60, deadline_s=120)


@click.command()
@click.argument("event", type=PATH)
@click.option("--out", type=PATH, help="Write the event with the drawn lots and leagues to this file.")
@as_json_option
def draw(event: Path, out: Path | None, as_json: bool) -> None:
    """Draw the lots of EVENT, an event file, and form the leagues.

    Lots in the file are kept. The others come from the three ballots of the opening, or from the recorded seed; the
    same file always gives the same draw. Write it into the file before round 1.
    """
    from engine.tournament import TournamentError
    from engine.tournament.meijin40_lots_in_event_file import as_dict, draw_into
    from kiosk.records.event_file import to_dict

    loaded = load_event(event)
    with raised_as(InputError, say("{event}: {why}", event=event), TournamentError):
        filled, drawn = draw_into(loaded)
    data = as_dict(filled, drawn)
    if out is not None:
        write_text(out, json.dumps(to_dict(filled), ensure_ascii=False, indent=1) + "\n")
    if as_json:
        click.echo(json.dumps(data, ensure_ascii=False))
        return
    click.echo(render_both(say("lots")))
    for player in sorted(filled.players, key=lambda player: (player.lot is None, player.lot)):
        lot = f"  {render_both(say('absent'))}" if player.lot is None else f"{player.lot:>4}"
        league = f"  {player.league}" if player.league else ""
        preliminary = drawn.preliminary.get(player.id)
        number = f"  ({preliminary})" if preliminary is not None else ""
        click.echo(f"{lot}{league}  {loaded.called(player.id)}{number}")
    for name, from_, to in drawn.moves:
        click.echo(f"! {loaded.called(name)}: {from_} → {to}")
    for warning in drawn.warnings:
        click.echo(f"! {render_both(warning)}")


@click.command()
@click.argument("event", type=PATH)
@click.option("--cost", "cost_round", type=int, help="Compute the cost of this round as it was played instead.")
@click.option("--explain", is_flag=True, help="Explain each pair: why it meets, and the cost of the best other round.")
@click.option("--player", help="Explain only this player's pair (an id).")
@click.option("--round", "number", type=int, help="Explain this round of the file instead.")
@as_json_option
def pair(
    event: Path, cost_round: int | None, explain: bool, player: str | None, number: int | None, as_json: bool
) -> None:
    """Pair the next round of EVENT, an event file.

    The result depends on the file alone: the same file gives the same round again. Constraints of a round are in its
    options: locked, forbidden, byes, colours (docs/reference/event-file.md).
    """
    from engine.tournament import TournamentError, cost_of_round, next_round
    from kiosk.records.event_file import paired_to_dict

    loaded = load_event(event)
    reasons: tuple[PairReason, ...] = ()
    with raised_as(InputError, say("{event}: {why}", event=event), TournamentError):
        if cost_round is not None:
            cost = cost_of_round(loaded, cost_round)
            _print(cost, as_json, [f"round {cost['round']}: played {cost['played']}, optimum {cost['optimum']}"])
            return
        if number is not None:
            from engine.tournament.explain_pairings import explain_played

            reasons = explain_played(loaded, number, player)
            data = {"round": number, "reasons": [_reason_to_dict(reason) for reason in reasons]}
            _print(data, as_json, _reason_lines(loaded, reasons))
            return
        paired = next_round(loaded)
        if explain or player is not None:
            from engine.tournament.explain_pairings import explain_round

            reasons = explain_round(loaded, paired, player)
    data = paired_to_dict(loaded, paired)
    if explain or player is not None:
        data["reasons"] = [_reason_to_dict(reason) for reason in reasons]
    _print(data, as_json, _pair_lines(loaded, paired, reasons))


def _pair_lines(event: Event, paired: PairedRound, reasons: Iterable[PairReason]) -> Iterator[str]:
    yield f"{render_both(say('round {n}', n=paired.round))}  {_cost_words(event, paired.cost)}".rstrip()
    yield from (_game_line(event, game) for game in paired.games)
    yield from (f"! {render_both(warning)}" for warning in paired.warnings)
    yield from _reason_lines(event, reasons)


def _reason_lines(event: Event, reasons: Iterable[PairReason]) -> Iterator[str]:
    for reason in reasons:
        yield " - ".join(event.called(name) for name in reason.players)
        yield from (f"      {render_both(words)}" for words in reason.reasons)


@click.command()
@click.argument("event", type=PATH)
@click.option("--after", type=int, help="After this round; by default the last finished one.")
@click.option("--explain", is_flag=True, help="Explain why each row ranks above the next.")
@click.option("--why", nargs=2, metavar="ID ID", help="Explain only why one of these two ranks above the other.")
@as_json_option
def standings(event: Path, after: int | None, explain: bool, why: tuple[str, str] | None, as_json: bool) -> None:
    """Rank the players of EVENT, an event file."""
    from engine.tournament import TournamentError
    from engine.tournament import standings as ranking

    loaded = load_event(event)
    with raised_as(InputError, say("{event}: {why}", event=event), TournamentError):
        table = ranking(loaded, after)
        if why is not None:
            from engine.tournament.explain_standings import explain_place

            above, below, reason = explain_place(loaded, table, *why)
            answer = {"above": above, "below": below, "why": _in_both(reason)}
            _print(answer, as_json, _place(loaded, above, below, reason))
            return
    data = table.as_dict()
    reasons: tuple[Text, ...] = ()
    if explain:
        from engine.tournament.explain_standings import explain_standings

        reasons = explain_standings(loaded, table)
        rows = zip(table.rows, reasons, strict=True)
        data["rows"] = [{**row.as_dict(), "why": _in_both(reason)} for row, reason in rows]
    _print(data, as_json, _standings_lines(loaded, table, reasons))


def _place(event: Event, above: str, below: str, reason: Text) -> Iterator[str]:
    yield f"{event.called(above)} > {event.called(below)}"
    yield f"      {render_both(reason)}"


def _standings_lines(event: Event, table: Standings, reasons: Sequence[Text]) -> Iterator[str]:
    yield render_both(say("after round {n}", n=table.after_round))
    for number, row in enumerate(table.rows):
        keys = "  ".join(f"{name} {value}" for name, value in zip(row.key_names, row.keys, strict=True))
        yield f"{row.rank:>4}  {event.called(row.id)}  {keys}"
        yield from (f"        {render_both(why)}" for why in reasons[number : number + 1])
    if table.womens_champion:
        title = render_both(say("Women's Meijin"))
        yield f"{title}: {event.called(table.womens_champion)}"


@click.command()
@click.argument("event", type=PATH)
@as_json_option
def certify(event: Path, as_json: bool) -> None:
    """List the grades and Oza qualifications that EVENT awards, by the tables of the 43rd and 40th Meijin."""
    from engine.tournament import TournamentError, is_over
    from engine.tournament.grade_and_oza_awards import awards

    loaded = load_event(event)
    with raised_as(InputError, say("{event}: {why}", event=event), TournamentError):
        given = awards(loaded)
        over = is_over(loaded)
    if not over:
        print_answer(say("kiosk: the event is not over; these are the grades if it ended now"), err=True)
    _print({"awards": [asdict(award) for award in given]}, as_json, _award_lines(loaded, given))


def _award_lines(event: Event, given: Sequence[Award]) -> Iterator[str]:
    for award in given:
        notes = [award.grade or "-", award.rule]
        notes += [render_both(say("charged"))] if award.fee else []
        notes += [render_both(say("Oza"))] if award.oza else []
        yield f"{event.called(award.id)}  {'  '.join(notes)}"
    if not given:
        yield render_both(say("no awards"))


def load_event(path: Path) -> Event:
    """Return the event of an event file.

    :raises InputError: if the file cannot be read or is no event file; the message names file and field
    """
    with unreadable(path):
        large = path.stat().st_size > _LARGE
    return in_child(lambda: _read_event(path), _LIMITS, path) if large else _read_event(path)


def _read_event(path: Path) -> Event:
    from engine.tournament import EventError
    from kiosk.records.event_file import from_json

    with raised_as(InputError, say("{path}: {why}", path=path), EventError):
        return from_json(read_text(path))


#: names of a cost's terms; the explanations define them
_COST_NAMES = {
    "penalty": say("penalty"), "second_byes": say("second byes"), "rematches": say("rematches"),
}  # fmt: skip


def _cost_words(event: Event, cost: Mapping[str, object]) -> str:
    """Return a round's cost in words, without terms that are 0."""
    from engine.tournament.format_spec_and_options import PROFILE

    words = [f"{render_both(name)} {cost[key]}" for key, name in _COST_NAMES.items() if cost.get(key)]
    counts = cost.get("differences")
    if isinstance(counts, list):
        text, from_1 = say("{gap} wins apart"), counts[::-1]
        if PROFILE.of(event) == "same_first":
            text, from_1 = say("{gap} or more wins apart"), counts
        words += [f"{render_both(text(gap=gap))}: {n}" for gap, n in enumerate(from_1, start=1) if n]
    return "  ".join(words)


def _game_line(event: Event, entry: Game | Bye) -> str:
    from engine.end_reason import EndReason
    from engine.tournament.event_model import Bye, Stage
    from engine.tournament.multi_game_matches import parts_of

    names = " - ".join(map(event.called, entry.players))
    if isinstance(entry, Bye):
        return f"   -  {names}  {render_both(say('bye'))}"
    notes = "" if entry.stage is Stage.LEAGUE else f"  {entry.stage}"
    if (part := parts_of(event, [entry])[0]) is not None:
        notes += f"  {render_both(part)}"
    if entry.end is EndReason.NOT_PLAYED:
        notes += f"  {render_both(say('not played, a draw'))}"
    return f"{entry.table:>4}  {names}{notes}"


def _print(data: object, as_json: bool, lines: Iterable[str]) -> None:
    """Print JSON or lines. ``lines`` is evaluated only for text output, because the catalogue takes longer to load than
    a small round to pair.
    """
    if as_json:
        click.echo(json.dumps(data, ensure_ascii=False))
    else:
        click.echo("\n".join(lines))


def _in_both(text: Text) -> dict[str, str]:
    return {lang: render(text, lang) for lang in (JAPANESE, ENGLISH)}


def _reason_to_dict(reason: PairReason) -> dict[str, object]:
    reasons = [_in_both(words) for words in reason.reasons]
    return {"players": reason.players, "reasons": reasons, "price": reason.price}
