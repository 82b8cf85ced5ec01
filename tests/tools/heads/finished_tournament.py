"""A finished tournament at a running head, with transcripts, list numbers, and names in Latin letters."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from events.recorded_events import random_game
from heads.tournaments import outcome
from heads.world import event, running_head

from kiosk.head.event.act_types import Title, event_of
from kiosk.head.event.tournament_state import TableRules
from kiosk.head.program import HeadApplication
from kiosk.link.table_keys import new_keys, save_keys

#: division -> its Japanese name, format, number of players, number of played rounds
DIVISIONS = {
    "open": ("無差別", "swiss", 8, 3),
    "women": ("女子", "round-robin", 4, 3),
    "juniors": ("小学生", "knockout", 4, 2),
    "friends": ("交流", "adjacent", 6, 3),
}


@contextmanager
def played_tournament(
    directory: Path, divisions: Mapping[str, tuple[str, str, int, int]] = DIVISIONS
) -> Iterator[tuple[HeadApplication, str]]:
    """Yield the head and its address. Five of the open division have rating list numbers; one friend has no name in
    Latin letters."""
    with running_head(directory, event=None) as (program, url):
        save_keys(program.config.keys, new_keys(range(1, 9)))
        desk, rng = program.desk, random.Random(5)
        desk.divisions.rename_tournament("春の大会 Spring Open", "2031-04-05")
        for slug, (name, format, players, rounds) in divisions.items():
            options = {"rounds": rounds} if format in ("swiss", "adjacent") else {}
            data = event(players, format, **options)
            for at, player in enumerate(data["players"]):
                player |= {"id": f"{slug[0]}{at}", "latin": f"PLAYER{at} {slug.title()}", "national": f"00{at}"}
                player |= {"wof": 5300 + at} if slug == "open" and at < 5 else {}
            if slug == "friends":
                data["players"][0].pop("latin")
            desk.divisions.create(event_of(data), TableRules("", 1200), slug, title=Title(name, slug.title()))
            for _ in range(rounds):
                _play(program, slug, rng)
        yield program, url


def _play(program: HeadApplication, slug: str, rng: random.Random) -> None:
    """Play the next round of a division with random games and enter their transcripts."""
    rounds = program.desk.rounds
    rounds.publish(rounds.draft(slug).digest, slug)
    for game in program.desk.state.division(slug).current:
        if game.is_open:
            moves, black, white = random_game(rng)
            if black == white:
                moves, black, white = "", 33, 31
            result = replace(outcome(game, black, white), transcript=moves or None)
            program.desk.results.enter(game.id, result)
