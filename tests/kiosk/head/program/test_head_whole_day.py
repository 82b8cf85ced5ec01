"""Test of a day of 64 players in two divisions, driven by the forms of the desk's pages, from the lists to the
certificates."""

from __future__ import annotations

import re
from pathlib import Path

from heads.staff import chief_at, token
from heads.world import NAMES, PlayedTable, quick_card
from waiting import until

from kiosk.records.event_file import to_dict

DIVISIONS = {
    "open": {"count": 48, "title_ja": "無差別の部", "main": "20", "tables": "1-24"},
    "elementary": {"count": 16, "title_ja": "小学生の部", "main": "10", "final": "15"},
}
#: acts in the open division before a round is published: the page's address and the form
HAPPENS = {3: [("p5/miss", {"mark": "miss 4"}), ("p9/leave", {"reason": "ill", "open_game": ""})], 5: [("p9/back", {})]}


def test_a_whole_day_from_the_lists_to_the_certificates(tmp_path: Path) -> None:
    with chief_at(tmp_path, 32, event=None) as (program, web):
        csrf, desk = token(web), program.desk
        tables = [PlayedTable(number, program.devices.collection) for number in range(1, 33)]

        def post(path: str, **form: str) -> None:
            answer = web.post(path, data={"csrf": csrf, **form})
            assert answer.status_code == 303, (path, answer.text)

        def play(table: PlayedTable) -> None:
            for command in table.execute_commands():
                if command.kind == "assign":
                    table.send("card", quick_card(command, 2 + (7 * table.number + 11 * int(table.seq)) % 61))

        def digest(slug: str) -> str:
            found = re.search(r'name="digest" value="([^"]+)"', web.get(f"/division/{slug}/round").text)
            return found[1] if found else ""

        for slug, division in DIVISIONS.items():
            form = {name: str(value) for name, value in division.items() if name != "count"}
            post("/desk/new", kind=slug, rules="m43", **form)
            people = [
                f"{NAMES[n % 16]} {n}\t{n % 5 + 1}段\t{'男女'[n % 2]}" for n in range(int(str(division["count"])))
            ]
            post(f"/division/{slug}/import/take", text="\n".join(["氏名\t段位\t性別", *people]))
            post(f"/division/{slug}/players/mark", mark="all-here")
            happens = HAPPENS if slug == "open" else {}
            while not desk.ask_ranking(slug).result().over:
                for path, sent in happens.get(len(desk.state.division(slug).rounds) + 1, []):
                    post(f"/division/{slug}/player/{path}", **sent)
                desk.rounds.draft(slug)
                post(f"/division/{slug}/publish", digest=digest(slug))
                until(lambda: [play(table) for table in tables] and desk.state.division(slug).round_is_complete)  # noqa: B023
            champion = desk.state.division(slug).called(desk.ask_ranking(slug).result().champion)
            for sheet in ("certificates", "prizes", "standings"):
                assert champion in web.get(f"/print/{sheet}?division={slug}&lang=ja").text, (slug, sheet)
        assert (len(desk.state.division("open").rounds), len(desk.state.division("elementary").rounds)) == (8, 6)
        assert to_dict(desk.state.division("open").whole())["options"]["absences"] == {"3": ["p9"], "4": ["p5", "p9"]}
