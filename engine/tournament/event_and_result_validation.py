"""Consistency checks of an event and of each result: identities, round numbers, no player twice, possible disc counts.

An event that contradicts itself is refused, with the path of the contradiction, before any pairing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from engine.board.variants import STANDARD
from engine.end_reason import EndReason
from engine.i18n import Text
from engine.tournament.event_model import COLOURS, EVERY_ROUND, Event, Game, Stage, Winner, event_error
from engine.tournament.format_spec_and_options import BYE_DISCS, FORFEIT_DISCS, TIE_BREAKS, VARIANT
from engine.tournament.multi_game_matches import most_games


def check_event(event: Event) -> None:
    """Check identities, round numbers, and that no player is twice in a round.

    :raises EventError: with the path of the field, e.g. ``rounds[2].round``
    """
    known: dict[str, int] = {}
    for index, player in enumerate(event.players):
        if player.id in known:
            raise event_error(
                "players[{index}].id {id!r} is already players[{id2}]; ids are unique",
                index=index,
                id=player.id,
                id2=known[player.id],
            )
        known[player.id] = index
    _check_board(event)
    _check_tie_breaks(event)
    _check_teams(event, known)
    _check_names(event, known)
    for index, round_ in enumerate(event.rounds):
        if round_.number != index + 1:
            raise event_error(
                "rounds[{index}].round is {number}; rounds must be listed as 1, 2, 3 …",
                index=index,
                number=round_.number,
            )
        where = f"rounds[{index}] (round {round_.number})"
        seen: set[str] = set()
        games: Counter[tuple[Stage, frozenset[str]]] = Counter()
        for entry in round_.entries:
            if isinstance(entry, Game):  # the further games of a match are of the same two players
                match = entry.stage, frozenset(entry.players)
                games[match] += 1
                if 1 < games[match] <= most_games(event, entry.stage):
                    continue
            for name in entry.players:
                if name not in known:
                    raise event_error(
                        "{where} names {name!r}, which is no id of 'players'; add the player or correct the id",
                        where=where,
                        name=name,
                    )
                if name in seen:
                    raise event_error(
                        "{where} has {name!r} twice; a player has one game or one bye in a round",
                        where=where,
                        name=name,
                    )
                seen.add(name)


def _check_board(event: Event) -> None:
    """Check that the format allows the board, and that options of discs fit it."""
    if event.variant != STANDARD and VARIANT not in event.facts.choices:
        raise event_error(
            "options.variant is {name!r}; the rules of {format} are for {usual} only, remove it or choose another "
            "format",
            name=event.variant.name,
            format=event.format,
            usual=STANDARD.name,
        )
    for option, low in ((BYE_DISCS, event.half), (FORFEIT_DISCS, event.half + 1)):
        discs, total = option.of(event), event.variant.total
        if discs is not None and not low <= discs <= total:
            raise event_error(
                "options.{name} is {discs}; on this board it is a number from {low} to {total}",
                name=option.name,
                discs=discs,
                low=low,
                total=total,
            )


def _check_tie_breaks(event: Event) -> None:
    """Check that no criterion is named twice, and none after the lot, which leaves nobody level.

    :raises EventError: if one is
    """
    named = TIE_BREAKS.of(event) or ()
    for at, name in enumerate(named):
        if name in named[:at]:
            raise event_error("options.tie_breaks has {name!r} twice; name each criterion once", name=name)
        if at and named[at - 1] == "lot":
            raise event_error(
                "options.tie_breaks has {name!r} after 'lot', which decides everything; put 'lot' last", name=name
            )


def _check_teams(event: Event, known: Mapping[str, int]) -> None:
    """Check that every player belongs to one team, and that captain and order sheets name its own players."""
    of_team: dict[str, str] = {}
    for index, team in enumerate(event.teams):
        where = f"teams[{index}]"
        if team.id in known or team.id in (other.id for other in event.teams[:index]):
            raise event_error("{where}.id {id!r} is already used; ids are unique", where=where, id=team.id)
        for name in team.players:
            if name not in known:
                raise event_error(
                    "{where} names {name!r}, which is no id of 'players'; add the player", where=where, name=name
                )
            if name in of_team:
                raise event_error(
                    "{where} names {name!r}, who is already in team {name2!r}; remove the player from one",
                    where=where,
                    name=name,
                    name2=of_team[name],
                )
            of_team[name] = team.id
        if team.captain is not None and team.captain not in team.players:
            raise event_error(
                "{where}.captain is {captain!r}, who is not in the team; name one of its players",
                where=where,
                captain=team.captain,
            )
        for number, order in team.orders.items():
            if not number.isdecimal() or number == "0":
                raise event_error(
                    "{where}.orders has {number!r}; order sheets are named by their round: 1, 2, 3 …",
                    where=where,
                    number=number,
                )
            if strangers := [name for name in order if name not in team.players]:
                raise event_error(
                    "{where}.orders.{number} names {strangers!r}, who is not in the team",
                    where=where,
                    number=number,
                    strangers=strangers[0],
                )
            if len(set(order)) != len(order):
                raise event_error(
                    "{where}.orders.{number} names a player twice; one player sits at one board",
                    where=where,
                    number=number,
                )


def _check_names(event: Event, known: Iterable[str]) -> None:
    """Check that every constraint and every absence names a player or a team of the event.

    :raises EventError: with the path of the option
    """
    ids = {*known, *(team.id for team in event.teams)}
    options = event.options
    wishes: list[tuple[str, str, Iterable[str]]] = []
    for option, pairs in (("locked", options.locked), ("forbidden", options.forbidden)):
        wishes += [(option, name, (p for pair in listed for p in pair)) for name, listed in pairs.items()]
    wishes += [("byes", name, players) for name, players in options.byes.items()]
    wishes += [("colours", name, colours) for name, colours in options.colours.items()]
    wishes += [("absences", name, players) for name, players in options.absences.items()]
    for index, wish in enumerate(options.apart):
        if (wish.by is None) == (len(wish.players) < 2) or (wish.by is not None and wish.players):
            raise event_error("options.apart[{index}] needs 'by', or two 'players' or more", index=index)
        wishes.append(("apart", EVERY_ROUND, wish.players))
    for option, name, players in wishes:
        if name != EVERY_ROUND and (not name.isdecimal() or name.startswith("0")):
            raise event_error(
                "options.{option}.{name}: wishes are named by their round, 1, 2, 3 …, or '*' for every round",
                option=option,
                name=name,
            )
        for player in players:
            if player not in ids:
                raise event_error(
                    "options.{option}.{name} names {player!r}, which is no id of 'players'; correct it",
                    option=option,
                    name=name,
                    player=player,
                )


# Validation of game results: the disc counts of RULES.md 3.4 against winner and end.
#
# A result that the rule books cannot produce is refused before any pairing uses it.

#: ends in which the discs alone decide the winner
BY_DISCS = frozenset({EndReason.NORMAL, None})
#: the most captured pieces in ChouChou: a pair's count is that of both partners
MOST_CAPTURED = 200


def check_entry_result(total: int | None, game: Game, path: Text | str) -> None:
    """Check whether a game can have its result. ``total``: of the two counts; None for captured pieces.

    :raises EventError: with the path of the field; if ``path`` is a text that names the game, with that
    """
    most = MOST_CAPTURED if total is None else total
    for name, discs in (("black_discs", game.black_discs), ("white_discs", game.white_discs)):
        if discs is not None and not 0 <= discs <= most:
            raise event_error(
                "{path}: {discs} discs; it must be from 0 to {most}", path=_of(path, name), discs=discs, most=most
            )
    check_result(total, game, path)


def check_result(total: int | None, game: Game, path: Text | str) -> None:
    """Check that winner, discs and end agree (RULES.md 3.4, S1 to S16).

    :raises EventError: if they do not
    """
    _check_whole(game, path)
    if total is None:  # captured pieces, of which the winner of a pair may have fewer (CC-WIN-4)
        if game.winner is Winner.DRAW:
            raise event_error(
                "{path}: a draw; ChouChou has no draws (CC-WIN-1), name the winner", path=_of(path, "winner")
            )
        return
    black, white = game.black_discs, game.white_discs
    if game.winner in (None, Winner.NEITHER) or black is None or white is None:
        return  # only won, lost or drawn was recorded (M40-15.1)
    # M43-17, M43-18.5: the figures on a card always total the squares of the board
    if black + white != total:
        raise event_error(
            "{path} has {black}-{white} discs; the two counts must total {board}",
            path=path,
            black=black,
            white=white,
            board=total,
        )
    if game.winner is Winner.DRAW:
        if black != white:
            raise event_error(
                "{path}: a draw, but the discs are {black}-{white}; a draw is {half}-{half}",
                path=_of(path, "winner"),
                black=black,
                white=white,
                half=total // 2,
            )
        return
    more = Winner.BLACK if black > white else Winner.WHITE
    # equal discs with a winner: a game with a draw right; after a flag or a ruling the winner may have fewer discs (S6)
    if game.end in BY_DISCS and black != white and more is not game.winner:
        raise event_error(
            "{path}: {winner} is the winner, but {more} has more discs ({black}-{white}); correct one of them, or "
            "say how the game ended",
            path=_of(path, "winner"),
            winner=COLOURS[game.winner],
            more=COLOURS[more],
            black=black,
            white=white,
        )


def _check_whole(game: Game, path: Text | str) -> None:
    """Check that a result is complete or absent, and belongs to two players."""
    black, white = game.black_discs, game.white_discs
    if game.black == game.white:
        raise event_error(
            "{path} pairs {black!r} with {black!r}; correct one of the two ids", path=path, black=game.black
        )
    if game.end is EndReason.BYE:
        raise event_error("{path} is 'bye'; write a bye as {{\"bye\": id}}", path=_of(path, "end"))
    if (black is None) != (white is None):
        missing = "black_discs" if black is None else "white_discs"
        raise event_error("{path}: one of the two counts is missing; give both or none", path=_of(path, missing))
    if game.winner is Winner.NEITHER and (
        game.end is not EndReason.FORFEIT or (black or 0, white or 0) != (0, 0) or game.rated
    ):
        raise event_error(
            "{path}: nobody won, which is a double forfeit: it ends as 'forfeit' with 0-0 discs and is not rated",
            path=_of(path, "winner"),
        )
    if game.winner is None and (black is not None or game.end is not None):
        raise event_error(
            "{path}: the game has a result but no winner; give the winner, or remove the result",
            path=_of(path, "winner"),
        )


def _of(path: Text | str, field: str) -> Text | str:
    """Return a path in a file extended by its field; a text that names the game is returned unchanged."""
    return f"{path}.{field}" if isinstance(path, str) else path
