"""The one thing to do next in a division, in a sentence that a newcomer understands.

The law: there is always exactly one, and it links to the page where it is done.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.tournament.formats import FORMATS
from engine.tournament.words import Words
from kiosk.head.desk import Desk
from kiosk.head.errors import HeadError
from kiosk.head.event.pairing import is_over
from kiosk.head.event.state import DivisionState
from kiosk.head.web.japanese import in_japanese


@dataclass(frozen=True, slots=True)
class Step:
    """``page``: the division's page where it is done; ``waits``: nobody has to do anything now."""

    words: Words
    page: str
    button: Words
    waits: bool = False


def _needs_lots(division: DivisionState) -> bool:
    """Whether the hall must have seen the lots before round 1."""
    lots = FORMATS[division.format].facts.lots
    return lots is not None and lots.needed


def next_step(desk: Desk, division: DivisionState) -> Step:
    """What somebody should do now."""
    if any(ahead is division for ahead, *_ in desk.rounds.to_follow()):
        number = len(division.rounds) + 1
        return Step(
            Words(f"卓では第{number}回戦がもう始まっています。「本部操作」の「確認してください」を読み、"
                  "「卓のとおりに回戦を発表する」を押してください。",
                  f'Tables play round {number} already. Read "Please look at this" at "Desk", and press '
                  '"Publish these rounds as the tables have them".'),
            "round", Words("進行を見る", "Look at the round"),
        )  # fmt: skip
    if not division.rounds:
        found = _before(division)
        if found is not None:
            return found
    if not division.round_is_complete:
        return _running(desk, division)
    return _between(desk, division)


def _before(division: DivisionState) -> Step | None:
    present = [player for player in division.event.players if not player.absent]
    here = [player for player in present if player.id in division.here]
    if len(present) < 2:
        return Step(
            Words("選手を登録します。表計算ソフトから貼り付けるか、1人ずつ入力してください。",
                  "Enter the players: paste them from a spreadsheet, or type them one by one."),
            "players", Words("選手を登録する", "Enter the players"),
        )  # fmt: skip
    if division.format == "team":
        in_teams = {id for team in division.event.teams for id in team.players}
        alone = sum(player.id not in in_teams for player in present)
        if alone or len(division.teams()) < 2:
            return Step(
                Words(f"チームを作ります。まだチームに入っていない選手が{alone}人います。",
                      f"Make the teams: {alone} players are in no team yet."),
                "teams", Words("チームを作る", "Make the teams"),
            )  # fmt: skip
    if here and len(here) < len(present):
        missing = len(present) - len(here)
        return Step(
            Words(f"受付中です。まだ{missing}人来ていません。来たら受付し、来ない人は「欠席」にしてください。",
                  f"Check-in is on: {missing} have not come yet. Check them in, or mark them absent."),
            "players", Words("受付を続ける", "Go on with check-in"),
        )  # fmt: skip
    if _needs_lots(division) and not any(player.lot for player in present):
        return Step(
            Words(f"選手は{len(present)}人です。全員がそろったら抽選をします。",
                  f"{len(present)} players. When everybody is there, draw the lots."),
            "lots", Words("抽選をする", "Draw the lots"),
        )  # fmt: skip
    return None


def _running(desk: Desk, division: DivisionState) -> Step:
    number = len(division.rounds)
    open_games = [game for game in division.current if game.is_open]
    if not any(game.table for game in open_games):
        return Step(
            Words(f"第{number}回戦:使える卓がありません。この部門に卓を割り当ててください。",
                  f"Round {number}: there is no table to play at. Give this division tables."),
            "settings", Words("卓を割り当てる", "Give it tables"),
        )  # fmt: skip
    by_hand = [game for game in open_games if game.table is not None and game.table not in desk.tables]
    if by_hand:
        return Step(
            Words(f"第{number}回戦:キオスクのない卓が{len(by_hand)}つあります。対局が終わったら結果を入力してください。",
                  f"Round {number}: {len(by_hand)} games are at tables without a kiosk. Type their cards in."),
            "results", Words("結果を入力する", "Type in results"),
        )  # fmt: skip
    return Step(
        Words(f"第{number}回戦の対局中です(残り{len(open_games)}局)。結果は自動で届きます。することはありません。",
              f"Round {number} is being played, games left: {len(open_games)}. Results come by themselves; "
              "nothing to do."),
        "round", Words("進行を見る", "Look at the round"), waits=True,
    )  # fmt: skip


def _between(desk: Desk, division: DivisionState) -> Step:
    number = len(division.rounds) + 1
    try:
        if division.rounds and is_over(division.whole()):
            return Step(
                Words("全対局が終わりました。順位を確かめて表彰へ。",
                      "All games are played. Check the standings; awards next."),
                "standings", Words("最終順位を見る", "See the final standings"), waits=True,
            )  # fmt: skip
        if desk.auto(division):
            return Step(
                Words("自動進行です。次の回戦はすぐ発表されます。",
                      "Automatic mode: the next round will be published at once."),
                "round", Words("進行を見る", "Look at the round"), waits=True,
            )  # fmt: skip
        sheets = _missing_sheets(division, number)
        if sheets:
            return Step(
                Words(f"第{number}回戦のオーダー表を入力します(あと{sheets}チーム)。",
                      f"Enter the order sheets of round {number}: {sheets} teams are missing."),
                "teams", Words("オーダーを入力する", "Enter order sheets"),
            )  # fmt: skip
        thought = desk.rounds.ask_draft(division.slug)
        if not thought.done():
            return Step(
                Words(f"第{number}回戦の組み合わせを計算しています…", f"Working out the pairing of round {number} …"),
                "round", Words("進行を見る", "Look at the round"), waits=True,
            )  # fmt: skip
        thought.result()
    except HeadError as error:
        return Step(
            Words(
                f"第{number}回戦を組めません:{in_japanese(str(error)) or error}",
                f"Round {number} cannot be paired: {error}",
            ),
            "round", Words("組み合わせを見る", "Look at the pairing"),
        )  # fmt: skip
    return Step(
        Words(f"第{number}回戦の組み合わせ案ができています。確かめて発表してください。",
              f"The pairing of round {number} is ready. Look at it, then publish it."),
        "round", Words("確かめて発表する", "Look and publish"),
    )  # fmt: skip


def _missing_sheets(division: DivisionState, round: int) -> int:
    if division.format != "team":
        return 0
    return sum(not team.orders.get(str(round)) for team in division.event.teams)
