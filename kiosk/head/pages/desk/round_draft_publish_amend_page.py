"""The round page of a division: progress, changes of the running round, the draft of the next round, manual changes of
it, publishing and undoing."""

from __future__ import annotations

from collections.abc import Collection
from concurrent.futures import Future
from typing import TypeVar

from starlette.responses import Response

from engine.end_reason import EndReason
from engine.i18n import Text, say, text_of
from engine.tournament.event_model import WIN, Bye, Game, KeepApartRule, Stage, Winner
from engine.tournament.explain_pairings import words_of_wins
from engine.tournament.multi_game_matches import parts_of
from engine.tournament.pairing_history_and_constraints import Constraints, history_before, stored_constraints
from engine.tournament.player_entry_fields import may_be_same
from kiosk.head.access.roles import Role
from kiosk.head.desk.round_draft_publish_amend_undo import amendment_key
from kiosk.head.desk.round_pairing_constraints import keep_apart_rules_in
from kiosk.head.errors import HeadError, NotFound
from kiosk.head.event.pairings_standings_and_correction_impact import Draft, is_over
from kiosk.head.event.tournament_state import DivisionState
from kiosk.head.pages.desk.desk_overview_page import still_playing
from kiosk.head.pages.desk.division_page_helpers import division_form, live_page, show
from kiosk.head.pages.desk.next_division_action import next_action
from kiosk.head.pages.desk.results_and_corrections_page import move_game, other_tables
from kiosk.head.web.form_player_and_result_parsing import BadForm, parse_choice, parse_int
from kiosk.head.web.page_routes_and_password_reentry import PageRoute
from kiosk.head.web.request_context_and_page_rendering import RequestContext
from kiosk.records.japanese_name_search_and_order import collation_key

T = TypeVar("T")

#: a draft has at most 500 lines; each can be ticked to be kept
_KEEP = {f"keep{number}" for number in range(1, 501)}


def _items(visit: RequestContext) -> dict[str, str]:
    division = visit.division
    playing = visit.draw(
        "desk/_round_in_play.html", division=division, step=next_action(visit.desk, division),
        playing=still_playing(division), games=[game for game in division.current if not game.is_bye],
        byes=[game for game in division.current if game.is_bye],
    )  # fmt: skip
    draft = visit.draw("desk/_draft.html", division=division, **_draft(visit))
    undo = visit.draw("desk/_undo.html", division=division, may_end=_may_end(division))
    return {"playing": playing, "amend": _amendment_forms(visit), "draft": draft, "undo": undo}


def _may_end(division: DivisionState) -> bool:
    """Check whether the operator can end the division now, though the format has more rounds."""
    try:
        return bool(division.rounds) and division.round_is_complete and not is_over(division.whole())
    except HeadError:
        return False


def _amendment_forms(visit: RequestContext) -> str:
    """Return the forms that change the round that is played; empty before round 1."""
    division = visit.division
    if not division.rounds:
        return ""
    waiting = [player.id for player in division.without_game()]
    byes = [game.black for game in division.current if game.is_bye]
    open_games = [game for game in division.current if game.is_open]
    free = {*waiting, *byes, *(name for game in open_games for name in game.players)}
    facts = division.event.facts
    return visit.draw(
        "desk/_amend_round.html", division=division, waiting=waiting, byes=byes,
        open_games=sorted(open_games, key=lambda game: game.table or 0), choices=_by_name(division, free),
        tables=other_tables(visit.desk),
        pairs=not (facts.teams or facts.all_meet) and any(game.stage.designated for game in division.current),
    )  # fmt: skip


def _amendment(visit: RequestContext) -> Response:
    """Show what changes in the running round, and at which cost, before it is confirmed."""
    division, two = visit.division, (visit.query.get("one", ""), visit.query.get("other", ""))
    if not set(two) <= division.players().keys():
        raise NotFound.saying("choose a player of the list")
    change = visit.desk.rounds.ask_amendment(division.slug, *two).result()
    ended = {frozenset(entry.players) for entry in change.removed}
    games = [game for game in division.current if game.players in ended]
    begun = visit.head.tables.live.running({game.table: game.id for game in games if game.table is not None})
    return show(
        visit, "round", "desk/amendment.html",
        change=change, seen=amendment_key(change), games=games, begun=sorted(begun), one=two[0], other=two[1],
    )  # fmt: skip


def _amend(visit: RequestContext) -> None:
    visit.desk.rounds.amend(visit.division.slug, visit.form["seen"], *_two_ids(visit))


def _change_table(visit: RequestContext) -> None:
    game = visit.form["game"]
    if game not in {one.id for one in visit.division.current}:
        raise NotFound.saying("that game no longer exists; choose one from the list")
    move_game(visit, game)


def _draft(visit: RequestContext) -> dict[str, object]:
    """Return the draft with all details about it, or the reason why there is none."""
    division, desk = visit.division, visit.desk
    number = len(division.rounds) + 1
    values: dict[str, object] = {
        "part_of": lambda game: parts_of(division.event, [game])[0],
        "draft": None, "wins": {}, "review": None, "thinking": False, "explanations": None, "explained": "",
        "problem": desk.problem(division.slug),
        "auto": desk.auto(division), "choices": [], "sitting": (), "already_playing": (), "forfeiting": (),
        "constraints": stored_constraints(division.event, number), "number": number,
        "everybody": _by_name(division, {*division.players(), *division.teams()}),
        "apart": [(wish, None) for wish in keep_apart_rules_in(division, number)],
    }  # fmt: skip
    if not division.round_is_complete or not division.event.players:
        return values
    try:
        draft = _ready(desk.rounds.ask_draft(division.slug))
        if draft is None:
            return values | {"thinking": True}
        values |= {"draft": draft, "choices": _choices(division, draft), "sitting": _league_byes(draft)}
        values["wins"] = _wins(division)
        values["forfeiting"] = _forfeiting_players(division, draft)
        values["already_playing"] = _players_still_playing(visit, draft)
        review = _ready(desk.rounds.ask_review(division.slug, draft))
        values["review"] = review
        values["apart"] = [
            (wish, _keep_apart_cost(visit, draft, wish)) for wish in keep_apart_rules_in(division, number)
        ]
        if visit.query.get("why") and not draft.by_hand:  # a manual draft has only a total penalty
            values["explained"] = visit.query["why"]
            explanations = _ready(desk.rounds.ask_pair_reasons(division.slug, draft, visit.query["why"]))
            values["explanations"] = explanations
    except HeadError as error:
        values["problem"] = text_of(error)
    return values


def _wins(division: DivisionState) -> dict[str, Text]:
    """Return the wins of each player so far; none before round 1, nor where pieces are counted. Where all meet, a bye
    is a rest and no win."""
    if not division.rounds or division.event.facts.captures:
        return {}
    past = history_before(division.whole(), len(division.rounds) + 1, tuple(Stage))
    rest = WIN if division.event.facts.all_meet else 0
    return {id: words_of_wins(one.score - rest * one.byes) for id, one in past.records.items()}


def _keep_apart_cost(visit: RequestContext, draft: Draft, wish: KeepApartRule) -> object:
    """Return the extra penalty of a constraint: None while it is not computed; "" if the rules leave no pairing without
    it either."""
    if draft.by_hand:
        return None
    try:
        return _ready(visit.desk.rounds.constraints.ask_cost(visit.division.slug, draft, wish))
    except HeadError:
        return ""


def _choices(division: DivisionState, draft: Draft) -> list[tuple[str, str]]:
    """Return the players or teams of the draft, by name, for the forms that change it."""
    paired = {name for game in draft.games for name in game.players}
    if division.event.facts.teams:
        paired = {team.id for team in division.event.teams if paired & {team.id, *team.players}}
    return _by_name(division, paired)


def _by_name(division: DivisionState, ids: Collection[str]) -> list[tuple[str, str]]:
    """Return the given teams and players, by name."""
    players = [player.id for player in sorted(division.event.players, key=collation_key)]
    return [(id, division.called(id)) for id in (*division.teams(), *players) if id in ids]


def _league_byes(draft: Draft) -> tuple[str, ...]:
    """Return the players with a bye in a league round that could be paired without byes."""
    paired = [name for game in draft.games for name in game.players]
    byes = tuple(game.player for game in draft.games if isinstance(game, Bye))
    league = all(game.stage is Stage.LEAGUE for game in draft.games)
    return byes if league and len(paired) % 2 == 0 else ()


def _forfeiting_players(division: DivisionState, draft: Draft) -> list[str]:
    """Return who lost the last game without playing it and is paired again: perhaps somebody who went home."""
    paired = {name for game in draft.games for name in game.players}
    ended = [game.outcome for game in division.current if game.outcome and not game.is_bye]
    lost = [one for one in ended if one.end in (EndReason.FORFEIT, EndReason.LATE) and one.winner is not Winner.DRAW]
    return [name for one in lost for name in one.players if name in paired and not one.half_points(name)]


def _players_still_playing(visit: RequestContext, draft: Draft) -> list[Text]:
    """Return who of a draft plays in another division now, judged by name and, where both have it, year of birth."""
    division, found = visit.division, []
    entered = visit.desk.state.division(division.slug).players()  # the names shown may be others
    drawn = [entered[id] for game in draft.games if isinstance(game, Game) for id in game.players]
    for other in visit.desk.state.divisions.values():
        for game in other.current if other.slug != division.slug else ():
            for there in (other.players()[id] for id in game.players if game.is_open and not game.is_bye):
                found += [
                    say("{player} plays in {division} now", player=division.called(one.id), division=other.name)
                    for one in drawn
                    if may_be_same(one, there)
                ]
    return found


def _ready(future: Future[T]) -> T | None:
    """Return the answer if it is computed; the page is drawn again when it comes."""
    return future.result() if future.done() else None


def _publish(visit: RequestContext) -> str:
    visit.desk.rounds.publish(visit.form["digest"], visit.form["division"] or visit.division.slug)
    return f"/division/{visit.division.slug}/round"


def _swap(visit: RequestContext) -> None:
    visit.desk.rounds.swap(visit.division.slug, visit.form["digest"], *_two_ids(visit))


def _add_constraint(visit: RequestContext) -> None:
    """Add a constraint that the next pairing has to keep."""
    form = visit.form
    what = parse_choice(form, "what", ("locked", "forbidden", "byes", "black", "white"))
    if what in ("locked", "forbidden"):
        pair = _two_ids(visit)
        wished = Constraints(locked=(pair,)) if what == "locked" else Constraints(forbidden=(pair,))
    elif what == "byes":
        wished = Constraints(byes=(_checked_id(visit, form["one"]),))
    else:
        wished = Constraints(colours={_checked_id(visit, form["one"]): what})
    visit.desk.rounds.constraints.add(visit.division.slug, form["digest"], wished)


def _keep(visit: RequestContext) -> None:
    """Keep the ticked pairs and pair the others again."""
    rounds, slug = visit.desk.rounds, visit.division.slug
    draft = rounds.draft(slug)
    ticked = [number for number in range(1, len(draft.games) + 1) if visit.form[f"keep{number}"]]
    if not ticked:
        raise BadForm.saying("tick the pairs that shall stay")
    games = [draft.games[number - 1] for number in ticked]
    # whole matches are kept: the constraints of a team event name teams
    team = {name: team.id for team in visit.division.event.teams for name in team.players}
    pairs = [(game.black, game.white) for game in games if isinstance(game, Game)]
    byes = [game.player for game in games if isinstance(game, Bye)]
    constraints = Constraints(
        locked=tuple(dict.fromkeys((team.get(one, one), team.get(other, other)) for one, other in pairs)),
        byes=tuple(dict.fromkeys(team.get(name, name) for name in byes)),
    )
    rounds.constraints.add(slug, visit.form["digest"], constraints)


def _remove_constraint(visit: RequestContext) -> None:
    named = [name for name in (visit.form["one"], visit.form["other"]) if name]
    kind = parse_choice(visit.form, "what", ("locked", "forbidden", "byes", "colours"))
    visit.desk.rounds.constraints.remove(visit.division.slug, kind, named)


def _keep_apart(visit: RequestContext) -> None:
    """Add a rule that keeps players apart from the next round on: a club, a country, or named players."""
    form = visit.form
    what = parse_choice(form, "what", ("club", "country", "players"))
    rounds = parse_int(form, "rounds", 1, 99) if form["rounds"] else None
    named = [_checked_id(visit, form[field]) for field in _NAMED if form[field]] if what == "players" else []
    if what == "players" and len(set(named)) < 2:
        raise BadForm.saying("choose two different players")
    visit.desk.rounds.constraints.keep_apart(visit.division.slug, None if what == "players" else what, named, rounds)


def _end_apart(visit: RequestContext) -> None:
    visit.desk.rounds.constraints.end_apart(visit.division.slug, visit.form["wish"])


def _end(visit: RequestContext) -> None:
    ended = parse_choice(visit.form, "ended", ("yes", "no")) == "yes"
    visit.desk.divisions.end(visit.division.slug, ended=ended)


def _undo(visit: RequestContext) -> None:
    visit.desk.rounds.undo(visit.division.slug, parse_int(visit.form, "round", 1, 1000), visit.form["reason"])


def _restore(visit: RequestContext) -> None:
    visit.desk.rounds.restore(visit.division.slug, parse_int(visit.form, "undone", 0, 1000))


def _two_ids(visit: RequestContext) -> tuple[str, str]:
    one, other = _checked_id(visit, visit.form["one"]), _checked_id(visit, visit.form["other"])
    if one == other:
        raise BadForm.saying("choose two different players")
    return one, other


def _checked_id(visit: RequestContext, name: str) -> str:
    if name not in visit.division.players() and name not in visit.division.teams():
        raise BadForm.saying("choose a player of the list")
    return name


#: form fields of the players to keep apart from each other
_NAMED = ("one", "other", "third", "fourth")
_PAIR = {"digest", "one", "other"}
ADDRESSES: list[PageRoute] = [
    live_page("round", _items),
    division_form("publish", _publish, {"division", "digest"}, back="round"),
    division_form("swap", _swap, _PAIR, back="round"),
    division_form("wish", _add_constraint, {"what", *_PAIR}, back="round"),
    division_form("wish/drop", _remove_constraint, {"what", "one", "other"}, back="round"),
    division_form("apart", _keep_apart, {"what", "rounds", *_NAMED}, back="round"),
    division_form("apart/drop", _end_apart, {"wish"}, back="round"),
    division_form("keep", _keep, {"digest", *_KEEP}, back="round"),
    division_form("afresh", lambda visit: visit.desk.rounds.reset_draft(visit.division.slug), back="round"),
    PageRoute("/division/{division}/amend", _amendment, Role.DESK, back="/division/{division}/round"),
    division_form("amend", _amend, {"seen", "one", "other"}, back="round"),
    division_form("table", _change_table, {"game", "table"}, back="round"),
    division_form("end", _end, {"ended"}, back="round"),
    division_form("undo", _undo, {"round", "reason"}, back="round", again=True),
    division_form("restore", _restore, {"undone"}, back="round"),
]
