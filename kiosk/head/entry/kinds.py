"""Kinds of divisions to choose from: every format with defaults that a tournament in Japan starts from.

The law: a kind is data. Whatever it sets can be changed on the division's page before round 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.tournament.words import Words


@dataclass(frozen=True, slots=True)
class Kind:
    """``title``: what the division is called unless somebody says otherwise; ``plan``: table and column of RULES.md
    7.3; ``players``: how many it is for; ``stages``: main times that differ."""

    key: str
    group: str
    format: str
    title: Words
    about: Words
    players: str = ""
    main_s: int = 1200
    rules: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    stages: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    plan: tuple[str, str] | None = None


#: the groups in their order, with their headings
GROUPS: Mapping[str, Words] = {
    "m43": Words("名人戦方式(第43期)", "Meijin rules, 43rd"),
    "m40": Words("名人戦方式(第40期・普及部門方式)", "Meijin rules, 40th"),
    "others": Words("団体・珠取", "Teams and ChouChou"),
    "free": Words("そのほかの方式", "Other formats"),
}

_DIVISION = Words(
    "スイス式4回戦、準決勝、決勝。近い順位どうしの対戦、順位は勝数と石差。",
    "Four rounds between neighbours, semi-finals, finals; ranked by wins and disc difference.",
)
_OPEN43 = Words(
    "予選6回戦(ブライトウェル)、準決勝・順位決定戦、決勝・3位決定戦・女子決勝。",
    "Six league rounds (Brightwell), semi-finals and placement games, finals with the women's final.",
)
_ELEMENTARY = {"final": {"main_s": 900}}


def _m43(key: str, title: Words, plan: str, division: str, **more: Any) -> Kind:
    plan_of = ("M43T", plan)
    return Kind(key, "m43", "m43-division", title, _DIVISION, options={"division": division}, plan=plan_of, **more)


KINDS: tuple[Kind, ...] = (
    Kind(
        "open", "m43", "m43-open", Words("無差別の部", "Open"), _OPEN43, "8–",
        options={"division": "open"}, plan=("M43T", "open"),
    ),
    _m43("women", Words("女子の部", "Women"), "women", "women", players="8–"),
    _m43("masters", Words("マスターの部", "Masters"), "master", "master", players="8–"),
    _m43("students", Words("学生の部", "Students"), "students", "students", players="8–"),
    _m43(
        "elementary", Words("小学生の部", "Elementary"), "elementary", "elementary",
        players="8–", main_s=600, stages=_ELEMENTARY,
    ),
    Kind(
        "m40-open", "m40", "m40-open", Words("無差別の部", "Open"),
        Words("4リーグに分かれて6回戦、準決勝、決勝。抽選は投票用紙から。",
              "Four leagues, six rounds, finals; lots from ballots."),
        "65–256", options={"division": "open"}, plan=("M40T", "open"),
    ),
    Kind(
        "m40-33-64", "m40", "m40-33-64", Words("33〜64人の部", "33–64 players"),
        Words("4リーグで4回戦、準決勝、決勝。", "Four leagues, four rounds, semi-finals, finals."), "33–64",
        plan=("M40T", "master"),
    ),
    Kind(
        "m40-17-32", "m40", "m40-17-32", Words("17〜32人の部", "17–32 players"),
        Words("トーナメントと敗者の順位戦、6回戦。", "A bracket with placement games, six rounds."), "17–32",
        plan=("M40T", "master"),
    ),
    Kind(
        "m40-13-16", "m40", "m40-13-16", Words("13〜16人の部", "13–16 players"),
        Words("トーナメントと敗者復活、6回戦。", "A bracket with repechage, six rounds."), "13–16",
        plan=("M40T", "master"),
    ),
    Kind(
        "m40-9-12", "m40", "m40-9-12", Words("9〜12人の部", "9–12 players"),
        Words("4回戦、準決勝、決勝。", "Four rounds, semi-finals, finals."), "9–12", plan=("M40T", "master"),
    ),
    Kind(
        "m40-elementary", "m40", "m40-elementary", Words("小学生の部", "Elementary"),
        Words("5回戦、準決勝・順位決定戦、決勝。持ち時間10分、決勝トーナメント15分。",
              "Five rounds, semi-finals and placement games, finals; 10 minutes, 15 in the knock-out."),
        "8–", main_s=600, options={"division": "elementary"}, stages={"knockout": {"main_s": 900}},
        plan=("M40T", "elementary"),
    ),
    Kind(
        "team", "others", "team", Words("団体戦", "Teams"),
        Words("3人1組、5回戦。最終回戦に決勝。", "Teams of three, five rounds, the last with the final."),
        "2– teams",
    ),
    Kind(
        "chouchou", "others", "chouchou", Words("珠取の部", "ChouChou"),
        Words("近い順位どうしの対戦。10個取れば勝ち。", "Neighbours meet; who has captured ten pieces wins."),
        main_s=600, options={"rounds": 5, "finals": "none", "target": 10},
    ),
    Kind(
        "swiss", "free", "swiss", Words("スイス式", "Swiss"),
        Words("国際大会の方式。予選のあと準決勝と決勝。",
              "As at international events: rounds, then semi-finals and final."),
        "8–", 1500, "wof", {"rounds": 7, "finals": "1-4"},
    ),
    Kind(
        "round-robin", "free", "round-robin", Words("総当たり", "Round robin"),
        Words("全員が全員と対戦。", "Everybody meets everybody."), "3–12", options={"cycles": 1},
    ),
    Kind(
        "knockout", "free", "knockout", Words("勝ち抜き", "Knock-out"),
        Words("負けたら終わり。シードは離れた場所に。", "Who loses is out; seeds stand far apart."), "2–",
        options={"third_place": True},
    ),
    Kind(
        "adjacent", "free", "adjacent", Words("順位の近い対戦", "Neighbours meet"),
        Words("勝数と石差の近い人どうしで、好きな回戦数だけ。",
              "As many rounds as you like between neighbours; easy for a club."),
        "4–", options={"rounds": 4, "finals": "none"},
    ),
    Kind(
        "othello-pool", "free", "othello-pool", Words("オセロ方式", "Othello system"),
        Words("1つのグループで、終わりは本部が決めます。", "One pool; the desk decides when it ends."),
        "4–", rules="m40",
        options={"direction": "lowest", "ranking": "m40k"},
    ),
)  # fmt: skip


def kind_of(key: str) -> Kind | None:
    return next((kind for kind in KINDS if kind.key == key), None)
