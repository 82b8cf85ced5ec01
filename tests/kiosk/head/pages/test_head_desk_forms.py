"""Tests that send every form of the desk as a browser does: each field of the page, each button."""

from __future__ import annotations

import re

import msgspec
import pytest
from heads.forms import Button, Field, Form, forms_of, send_form, the_form
from heads.staff import token
from heads.tournaments import RULES, finish_round, outcome, publish_round
from heads.world import event
from httpx import Client

from kiosk.head.event.act_types import DivisionChanged, event_of
from kiosk.head.event.spectator_visibility import Boards, VisibilityRules
from kiosk.head.pages.hall_screens.rotating_hall_screens_page import ScreenRequest, Slide, page_seconds
from kiosk.head.program import HeadApplication

PEOPLE = "\n".join(f"Player {number}\t{number}" for number in range(1, 9))
ROUND = "/division/main/round"


def _change(web: Client, action: str, words: str, **typed: str) -> None:
    answer = send_form(web, ROUND, action, words, **typed)
    assert answer.status_code == 303, answer.text


def _pairs(program: HeadApplication) -> list[tuple[str, ...]]:
    return [game.players for game in program.desk.rounds.draft("main").games]


def test_a_button_drops_all_changes_of_a_draft(program: HeadApplication, web: Client) -> None:
    before = _pairs(program)
    _change(web, "/swap", "Swap", one=before[0][0], other=before[1][1])
    _change(web, "/wish", "gets a bye", one=before[3][0])
    assert _pairs(program) != before
    _change(web, "/afresh", "Drop all changes")
    assert _pairs(program) == before


def test_a_swap_is_kept_when_another_constraint_follows(program: HeadApplication, web: Client) -> None:
    """Swapped players are kept as locked pairs, which can be removed one by one."""
    first, second, *_, last = _pairs(program)
    _change(web, "/swap", "Swap", one=first[0], other=second[0])
    made = {frozenset((second[0], first[1])), frozenset((first[0], second[1]))}
    assert made <= set(map(frozenset, _pairs(program)))
    _change(web, "/wish", "must not meet", one=last[0], other=last[1])
    assert made <= set(map(frozenset, _pairs(program))) and last not in _pairs(program)
    _change(web, "/swap", "Swap", one=_pairs(program)[2][0], other=_pairs(program)[3][0])
    _change(web, "/wish/drop", "Drop", one=last[0])
    assert made <= set(map(frozenset, _pairs(program)))


def test_a_swap_is_kept_when_players_are_kept_apart(program: HeadApplication, web: Client) -> None:
    """Also when that is dropped; a pair of those who are kept apart is not."""
    first, second, third, fourth, *_ = _pairs(program)
    _change(web, "/swap", "Swap", one=first[0], other=second[0])
    _change(web, "/swap", "Swap", one=third[0], other=fourth[0])
    made = {frozenset((second[0], first[1])), frozenset((first[0], second[1])), frozenset((third[0], fourth[1]))}
    _change(web, "/apart", "Keep these players apart", one=fourth[0], other=third[1])
    assert made <= set(map(frozenset, _pairs(program))) and {fourth[0], third[1]} not in map(set, _pairs(program))
    _change(web, "/apart/drop", "Drop")
    assert made <= set(map(frozenset, _pairs(program)))
    form, button = the_form(web, ROUND, "/desk/undo")
    assert form.send(web, button).status_code == 303
    assert program.desk.state.division("main").event.options.apart


def test_the_settings_of_a_division_without_tables_are_saved(program: HeadApplication, web: Client) -> None:
    """Another division has taken all of them; an empty field means all that no other division has."""
    program.desk.divisions.set_tables("main", (1, 2))
    program.desk.divisions.create(event_of(event(8, "adjacent")), RULES, "few", tables=(1, 2))
    assert program.desk.state.division("main").tables == ()
    for typed, tables in (({}, ()), ({"tables": ""}, None)):
        answer = send_form(web, "/division/main/settings", "/settings", "Save", **typed)
        assert answer.status_code == 303, answer.text
        assert program.desk.state.division("main").tables == tables


def test_a_form_leaves_what_another_operator_changed_meanwhile(program: HeadApplication, web: Client) -> None:
    """Only fields that differ from what the page showed are saved."""
    settings, save = the_form(web, "/division/main/settings", "/settings", "Save")
    named, save_name = the_form(web, "/desk/new", "/desk/name")
    seen, keep = the_form(web, "/publish", "/publish/spectators")
    closing, close = the_form(web, "/close", "/close")
    division, divisions = program.desk.state.division("main"), program.desk.divisions
    rules = msgspec.structs.replace(division.table_rules, main_s=1500)
    shown = VisibilityRules(Boards.DELAYED, worth=True)
    divisions.change(DivisionChanged("main", table=rules, auto=True, spectators=shown))
    divisions.set_tables("main", (1, 2))
    divisions.rename_tournament("Autumn", "2031-09-09", "Autumn")
    divisions.set_venue("Oslo", "Norway", "B. Lund")
    sent = [
        settings.send(web, save, title_en="Open Masters"), named.send(web, save_name, name_en="Autumn Open"),
        seen.send(web, keep, delay="3"), closing.send(web, close, sender="A. Sato"),
    ]  # fmt: skip
    assert [answer.status_code for answer in sent] == [303] * 4, [answer.text for answer in sent]
    state, division = program.desk.state, program.desk.state.division("main")
    assert (division.title[1], division.table_rules.main_s, division.auto) == ("Open Masters", 1500, True)
    assert division.tables == (1, 2)
    assert division.spectators == VisibilityRules(Boards.DELAYED, delay=3, worth=True)
    assert (state.name, state.date, state.name_en) == ("Autumn", "2031-09-09", "Autumn Open")
    assert (state.place, state.country, state.sender) == ("Oslo", "Norway", "A. Sato")


def test_a_round_whose_pairs_cost_nothing_says_so(program: HeadApplication, web: Client) -> None:
    program.desk.divisions.create(event_of(event(8, "adjacent")), RULES, "few")
    assert "Cost: none" in web.get("/division/few/round").text


def test_a_player_s_page_opens_while_no_round_can_be_paired(program: HeadApplication, web: Client) -> None:
    """In a round robin with one player left the number of rounds is unknown."""
    program.desk.divisions.create(event_of(event(1, "round-robin")), RULES, "few")
    assert web.get("/division/few/player/p1").status_code == 200


def test_a_keep_apart_rule_shows_its_cost_until_it_is_removed(program: HeadApplication, web: Client) -> None:
    """Each rule for clubs or players is in the draft with its cost. Removed before any round was paired with it,
    nothing is left in the event file; removed later, it stays there for the earlier rounds."""
    rounds = program.desk.rounds
    first = _pairs(program)[0]
    _change(web, "/apart", "Keep these players apart", one=first[0], other=first[1])
    assert frozenset(first) not in set(map(frozenset, _pairs(program)))
    page = web.get(ROUND).text
    assert "Kept apart" in page and "to the end" in page and "ffect on this round" in page
    _change(web, "/apart/drop", "Drop")
    assert program.desk.state.division("main").event.options.apart == ()
    for player in first:
        program.desk.players.change("main", player, {"club": "Kita"})
    _change(web, "/apart", "Players of one club, one school", rounds="2")
    assert frozenset(first) not in set(map(frozenset, _pairs(program)))
    rounds.publish(rounds.draft("main").digest, "main")
    finish_round(program)
    assert "up to round 2" in web.get(ROUND).text
    _change(web, "/apart/drop", "Drop")
    assert [wish.last for wish in program.desk.state.division("main").event.options.apart] == [1]
    assert "Kept apart" not in web.get(ROUND).text


def test_a_second_press_drops_no_other_rule(program: HeadApplication, web: Client) -> None:
    for words in ("Players of one club, one school", "Players of one country"):
        _change(web, "/apart", words)
    form, button = the_form(web, ROUND, "/apart/drop", "Drop")
    assert [form.send(web, button).status_code for _ in range(2)] == [303, 404]
    assert [wish.by for wish in program.desk.state.division("main").event.options.apart] == ["country"]


def test_lots_by_hand_stay_with_their_players_when_an_entry_is_deleted(program: HeadApplication, web: Client) -> None:
    form, button = the_form(web, "/division/main/lots", "/lots/hand")
    program.desk.players.remove("main", "p1")
    assert form.send(web, button, lot1="7", lot2="8", lot3="9").status_code == 303
    players = program.desk.state.division("main").players()
    assert {id: one.lot for id, one in players.items() if one.lot} == {"p2": 8, "p3": 9}


def test_a_requested_bye_names_the_player_who_loses_a_game(program: HeadApplication, web: Client) -> None:
    one = _pairs(program)[0][0]
    assert "Everybody could play" not in web.get(ROUND).text
    _change(web, "/wish", "gets a bye", one=one)
    text = web.get(ROUND).text
    other = next(pair[0] for pair in _pairs(program) if len(pair) == 1 and pair[0] != one)
    assert "Everybody could play, but 2 have a bye:" in text and "penalty is no higher" not in text
    assert program.desk.state.division().called(other) in text


def test_only_players_of_the_draft_are_offered_for_a_change(program: HeadApplication, web: Client) -> None:
    page = web.get("/division/main/player/p3").text
    assert 'value="absent p3"' in page and "/leave" not in page, "before round 1 nobody withdraws"
    program.desk.players.set_absent("main", ["p3", "p4"], absent=True)
    form, _ = the_form(web, ROUND, "/swap")
    offered = next(one.values for one in form.fields if one.name == "one")
    assert len(offered) == 15 and {"p3", "p4"}.isdisjoint(offered)


def test_a_player_who_never_came_is_not_counted(program: HeadApplication, web: Client) -> None:
    """The desk counts the players in play and the absentees; a player who never came is in no standings and no
    count."""
    program.desk.players.set_absent("main", ["p3", "p4"], absent=True)
    assert "14 players (2 absent)" in web.get("/desk").text
    assert "14 players, 0 checked in" in web.get("/division/main/players").text
    publish_round(program)
    finish_round(program)
    ranked = {row["id"] for row in web.get("/standings.json").json()["rows"]}
    assert len(ranked) == 14 and {"p3", "p4"}.isdisjoint(ranked)
    assert web.get("/hall.json").json()["divisions"][0]["players"] == 14


def test_a_player_who_withdraws_before_round_1_is_not_waited_for(program: HeadApplication, web: Client) -> None:
    ids = list(program.desk.state.division().players())
    program.desk.players.check_in("main", ids[1:], arrived=True)
    assert "1 have not come yet" in web.get("/desk").text
    program.desk.players.leave("main", ids[0], "", "")
    assert "have not come yet" not in web.get("/desk").text
    page = web.get("/division/main/players").text
    assert f"{len(ids) - 1} players, {len(ids) - 1} checked in" in page and "All are here" not in page


def test_a_player_s_page_explains_the_pairing_and_the_rank(program: HeadApplication, web: Client) -> None:
    """It explains the last round and the row above, or a comparison with another chosen player."""
    publish_round(program)
    page = "/division/main/player/p5"
    asked = web.get(f"{page}?why=1").text
    assert "both have" in asked and "is ranked above" not in asked
    finish_round(program)
    assert "is ranked above" in web.get(f"{page}?why=1").text
    division = program.desk.state.division()
    order = [row.id for row in program.desk.ask_ranking().result().standings.rows]
    first, last = (division.called(name) for name in (order[0], order[-1]))
    assert f"{first} is ranked above {last}" in web.get(f"/division/main/player/{order[-1]}?why=1&than={order[0]}").text
    assert web.get(f"{page}?why=1&than=nobody").status_code == 200


def test_a_correction_is_validated_before_the_password_is_asked_for(
    program: HeadApplication, web: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish_round(program)
    game = program.desk.state.division().current[2]
    program.desk.results.enter(game.id, outcome(game, 40))
    monkeypatch.setattr(type(program.access), "gave_password", lambda access, session: False)  # long ago
    page = f"/division/main/game/{game.id}"
    form, button = the_form(web, page, "/correct")
    wrong = form.send(web, button, black_discs="40", white_discs="20", reason="x")
    assert wrong.status_code == 400 and "not 64" in wrong.text and 'name="password"' not in wrong.text
    asked = form.send(web, button, black_discs="30", white_discs="34", reason="x")
    assert asked.status_code == 200 and 'name="password"' in asked.text


def test_a_latecomer_is_paired_with_the_waiting_player_in_two_presses(program: HeadApplication, web: Client) -> None:
    """The form proposes the two, and the cost is shown before anything changes."""
    program.desk.players.set_absent("main", ["p1"], absent=True)
    publish_round(program)
    before = program.desk.state.division("main").current
    waits = next(game.black for game in before if game.is_bye)
    program.desk.players.check_in("main", ["p1"], arrived=True)
    preview = send_form(web, ROUND, "/amend", "Show what changes")
    assert preview.status_code == 200 and "Penalty of the changed pairing" in preview.text
    assert program.desk.state.division("main").current == before
    form, button = the_form(web, f"/division/main/amend?one=p1&other={waits}", "/amend", "Change the round")
    assert form.send(web, button).status_code == 303
    now = program.desk.state.division("main").current
    assert now[:-1] == before[:-1] and now[-1].players == {"p1", waits}
    assert form.send(web, button).status_code == 400, "the two play each other already"
    assert web.get("/division/main/amend?one=p1&other=nobody").status_code == 404
    assert web.get("/division/main/amend?one=p1&other=p1").status_code == 400


def test_the_forfeit_of_an_absent_player_is_one_press(program: HeadApplication, web: Client) -> None:
    """The desk's next step leads to the game's form, which is filled in already."""
    publish_round(program)
    game = program.desk.state.division().current[1]
    assert game.white
    program.desk.players.set_absent("main", [game.white], absent=True)
    page = f"/division/main/game/{game.id}"
    for at in ("/desk", ROUND):
        assert f'href="{page}"' in web.get(at).text and "is not there" in web.get(at).text
    assert send_form(web, page, "/enter").status_code == 303
    entered = program.desk.state.division().current[1].outcome
    assert entered and (entered.winner, entered.black_discs, entered.white_discs) == ("black", 64, 0)
    assert (entered.end, entered.rated) == ("forfeit", False)
    assert "is not there" not in web.get("/desk").text


def test_a_double_forfeit_is_one_press(program: HeadApplication, web: Client) -> None:
    """The form is filled in already, for designated games and others, and offers no ending that would be refused."""
    publish_round(program)
    game = program.desk.state.division().current[1]
    assert game.white
    program.desk.players.set_absent("main", [game.black, game.white], absent=True)
    page = f"/division/main/game/{game.id}"
    assert 'value="not-played"' not in web.get(page).text
    assert send_form(web, page, "/enter").status_code == 303
    entered = program.desk.state.division().current[1].outcome
    assert entered and (entered.winner, entered.end, entered.rated) == ("neither", "forfeit", False)
    assert "Neither came" in web.get(page).text
    for at in ("/desk", "/division/main/results", "/pairings", "/wall", "/standings"):
        assert web.get(at).status_code in (200, 404), at
    assert "× – ×" in web.get("/division/main/results").text


def test_a_refused_line_is_explained_without_internal_names(program: HeadApplication, web: Client) -> None:
    """An error message does not contain field names such as "black_discs"."""
    program.desk.divisions.set_tables("main", range(1, 20))
    publish_round(program)
    form = {"csrf": token(web), "table": str(program.desk.state.division().current[2].table), "black_discs": "70"}
    answer = web.post("/division/main/typed.json", data=form).json()["said"]
    assert "'70' is not a whole number from 0 to 64" in answer and "black_discs" not in answer


@pytest.mark.parametrize("sign", "+-")
def test_equal_discs_with_a_winner_are_refused_without_a_draw_right(
    program: HeadApplication, web: Client, sign: str
) -> None:
    """If colours are designated nobody has a draw right, so the winner's mark is a typing error."""
    program.desk.divisions.set_tables("main", range(1, 20))
    publish_round(program)
    game = program.desk.state.division().current[2]
    assert game.designated
    form = {"csrf": token(web), "table": str(game.table), "black_discs": f"32{sign}"}
    assert "equal discs are a draw" in web.post("/division/main/typed.json", data=form).json()["said"]
    assert program.desk.state.division().current[2].is_open
    web.post("/division/main/typed.json", data=form | {"black_discs": "32"})
    entered = program.desk.state.division().current[2].outcome
    assert entered and entered.winner == "draw"


@pytest.mark.parametrize("winner", ["", "black"])
def test_a_missing_count_is_named(program: HeadApplication, web: Client, winner: str) -> None:
    """One of the two counts says neither the result nor, with a winner, the discs."""
    publish_round(program)
    page = f"/division/main/game/{program.desk.state.current[0].id}"
    answer = send_form(web, page, "/enter", black_discs="40", winner=winner)
    assert answer.status_code == 400 and "one of the two counts is missing; give both or none" in answer.text
    assert "data-typed" in answer.text and program.desk.state.current[0].is_open


def test_a_draft_names_players_of_a_simultaneous_division(program: HeadApplication, web: Client) -> None:
    desk = program.desk
    for slug, names in (
        ("open", [("Ito Aya", 2010), ("B", None), ("C", None), ("D", None)]),
        ("kids", [("ito  aya", None), ("E", None), ("F", None), ("G", None)]),
    ):
        players = [
            {"id": f"p{at}", "name": name} | ({"birth_year": year} if year else {})
            for at, (name, year) in enumerate(names, 1)
        ]
        event = event_of({"schema": "othello-event/1", "format": "swiss", "players": players})
        desk.divisions.create(event, RULES, slug)
    desk.rounds.draft("kids")
    assert "plays in" not in web.get("/division/kids/round").text
    desk.rounds.publish(desk.rounds.draft("open").digest, "open")
    page = web.get("/division/kids/round").text
    assert "ito  aya plays in open now" in " ".join(page.split("\n")) or "ito aya plays in open now" in page
    for slug, name in (("open", "伊藤 彩"), ("kids", "伊藤彩")):
        desk.players.change(slug, "p1", {"name": name, "latin": "Ito Aya"})
    desk.rounds.draft("kids")
    assert "Ito Aya plays in open now" in web.get("/division/kids/round?lang=en").text


# what the hall sees of plain tables


def test_a_long_list_of_pairings_is_shown_within_a_minute(program: HeadApplication, web: Client) -> None:
    """In two columns; with many screens each is shown for a shorter time: 150 games at 20 a screen are 8 screens."""
    publish_round(program)
    page = web.get("/wall?show=pairings&rows=4&seconds=12").text
    assert page.count('class="wall pairs"') == 2 and page.count('class="no"') == 8 and 'content="12;' in page
    division = program.desk.state.division()
    slides = [Slide("pairings", division, (), part, 8) for part in range(1, 9)]
    assert sum(page_seconds(ScreenRequest(), slides, at) for at in range(8)) <= 60
    four = [Slide("pairings", division, (), part, 2) for _ in range(4) for part in (1, 2)]
    assert sum(page_seconds(ScreenRequest(), four, at) for at in range(8)) <= 60, "of four divisions as of one"


# every form


def _typed(one: Field) -> str:
    """Return a value that a person might enter in a field that is still empty."""
    known = {
        "first": "10:00", "text": PEOPLE, "digest": one.value, "csrf": one.value, "title_ja": "別の部", "reason": "r",
        "tables": "", "name": f"Name {one.name}", "birth_year": "2001", "black_discs": "40", "white_discs": "24",
    }  # fmt: skip
    if one.kind in ("select", "hidden") or one.value:
        return next((value for value in one.values if value), one.value) if one.required else one.value
    if one.kind == "checkbox":
        return one.value
    return known.get(one.name, "")


def _shape(form: Form, button: Button) -> str:
    """Return a form's kind: forms that differ only in their players or games are of one kind."""
    action = re.sub(r"/(player|game|correction)/[^/]+", r"/\1/*", button.action or form.action)
    return f"{action} {button.name}={button.value.split(' ')[0] if not button.value.isdigit() else '*'}"


@pytest.mark.timeout(300)
def test_every_form_of_the_desk_is_accepted_by_its_address(program: HeadApplication, web: Client) -> None:
    """No button of any page of the desk is answered by "the form has an unknown field" or by an unknown address."""
    sent: dict[str, int] = {}
    _send_all(web, _pages(program), sent)
    if not program.desk.state.division().current:
        _change(web, "/publish", "Publish")
    _send_all(web, _pages(program), sent)
    assert set(sent.values()) <= {200, 303, 400, 404, 409}, sent
    assert len(sent) >= 30, sorted(sent)


def _pages(program: HeadApplication) -> list[str]:
    division = program.desk.state.division("main")
    games = [game.id for game in division.current[:2]]
    return [
        "/desk", "/desk/new",
        *(f"/division/main/{page}" for page in ("players", "import", "lots", "round", "results", "timetable")),
        "/division/main/player/p2", *(f"/division/main/game/{game}" for game in games), "/division/main/settings",
        ROUND, "/desk",
    ]  # fmt: skip


def _send_all(web: Client, pages: list[str], sent: dict[str, int]) -> None:
    for page in pages:
        while True:
            forms = forms_of(web.get(page).text, page)
            fresh = [(form, button) for form in forms for button in form.buttons if _shape(form, button) not in sent]
            fresh = [one for one in fresh if "sign-out" not in one[0].action and not one[0].action.endswith("/remove")]
            if not fresh:
                break
            form, button = fresh[0]
            typed = {one.name: _typed(one) for one in form.fields if one.kind != "file" and one.sent}
            answer = form.send(web, button, **typed)
            sent[_shape(form, button)] = answer.status_code
            assert "send it from the page" not in answer.text, f"{_shape(form, button)}: {answer.text}"
            assert "no such page" not in answer.text, _shape(form, button)


def test_a_form_names_late_entries_that_cannot_play(program: HeadApplication, web: Client) -> None:
    """Once a round is published, the form says which late entries the format refuses."""
    said = "The bracket is drawn: a late entry has no game."
    program.desk.divisions.change(DivisionChanged("main", format="knockout"))
    assert said not in web.get("/division/main/players").text
    publish_round(program)
    assert said in web.get("/division/main/players").text
    japanese = web.get("/division/main/players", headers={"accept-language": "ja"}).text
    assert "トーナメント表が決まったので、遅れて入る人の対局はありません。" in japanese and said not in japanese


@pytest.mark.parametrize("options", [{"data": event(3, "round-robin"), "tables": 3}])
def test_a_rest_where_all_meet_is_no_win(program: HeadApplication, web: Client) -> None:
    publish_round(program)
    (rested,) = [game.black for game in program.desk.state.division().current if game.is_bye]
    finish_round(program)
    program.desk.rounds.draft("main")
    name = program.desk.state.division().called(rested)
    assert f'{name} <small class="wins">0勝' in web.get("/division/main/round?lang=ja").text
