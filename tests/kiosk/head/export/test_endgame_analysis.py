"""Tests of the endgame analysis of all games, in a separate process after the event."""

from __future__ import annotations

import json
from pathlib import Path

import httpx
import pytest
from heads.finished_tournament import played_tournament
from heads.staff import first_chief, token
from waiting import HANGS_S, until

from kiosk.head.backup.non_database_files_and_config_checks import ENDINGS
from kiosk.head.errors import Conflict
from kiosk.head.export.endgame_analysis import EndgameAnalyser
from kiosk.head.export.event_archive import unfinished_items
from kiosk.head.program import HeadApplication
from kiosk.head.publish.game_positions_and_best_play import boards_of

pytestmark = pytest.mark.slow
HALL = {"juniors": ("小学生", "knockout", 4, 2)}


def transcripts(program: HeadApplication) -> set[str]:
    rounds = program.desk.state.division("juniors").whole().rounds
    return {game.transcript for round_ in rounds for game in round_.games if game.transcript}


@pytest.mark.timeout(240)
def test_proved_values_are_on_game_pages_and_kept_over_restarts(tmp_path: Path) -> None:
    """Every game is searched back to the requested number of empties; a request after a restart uses the results.
    While a game is to be played nothing is searched, and a round that is taken back ends a search."""
    with (
        played_tournament(tmp_path, HALL) as (program, url),
        httpx.Client(base_url=url, timeout=HANGS_S, headers={"accept-language": "en"}) as web,
    ):
        desk, data = program.desk, program.config.data
        endings = EndgameAnalyser(desk, data, lambda: None, most=11)
        endings.start()
        until(lambda: not endings.progress.running)
        assert set(desk.endings) == transcripts(program)
        assert endings.progress.done == len(desk.endings) and endings.progress.shallow == 0
        for transcript, scores in desk.endings.items():
            near = [board for board in boards_of(transcript) if board.empty.bit_count() <= 11]
            assert len(scores) == len(near)
            black, white = near[-1].final_score()
            assert abs(scores[0]) == abs(black - white)
        kept = dict(desk.endings)
        assert EndgameAnalyser(desk, data, lambda: None).progress.done == 0 and dict(desk.endings) == kept

        first_chief(web, program.access.setup_code)
        games = web.get("/event/en/juniors/games.html").text
        page = web.get("/event/en/juniors/games/" + games.split('href="games/')[1].split('"')[0]).text
        assert "From 11 empty squares on" in page
        assert f"Proved so far: {len(kept)} games" in web.get("/close").text

        one = min(kept)
        (data / ENDINGS).write_text(json.dumps({moves: scores for moves, scores in kept.items() if moves != one}))
        forgotten = EndgameAnalyser(desk, data, lambda: None, box_s=0.0)
        forgotten.start()
        until(lambda: not forgotten.progress.running)
        assert forgotten.progress.shallow == forgotten.progress.done == 1, "says that it did not get as far"

        (data / ENDINGS).unlink()

        def between() -> None:
            """Take a round back after the positions were collected and before the search begins."""
            if endless.progress.of and not unfinished_items(desk.state):
                desk.rounds.undo("juniors", 2, "again")

        endless = EndgameAnalyser(desk, data, between, box_s=600.0)
        endless.start()
        until(lambda: not endless.progress.running)
        with pytest.raises(Conflict, match="still to be played"):
            endless.start()
        refused = web.post("/close/endings", data={"csrf": token(web)})
        assert refused.status_code == 409 and "still to be played" in refused.text
