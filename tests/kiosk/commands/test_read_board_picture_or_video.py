"""Tests of ``kiosk read-board`` as specified in CONTRACT.md, on rendered boards."""

from __future__ import annotations

import json
import struct
import zlib
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from commands.called import Cli, kiosk
from drawn_tables.camera_over_drawn_table import SimulatedCamera
from drawn_tables.seeded_table_scene import TUNE, SceneRequest, moment_of, table_of
from drawn_tables.table_renderer import RenderedImage, draw

from engine.board.color import Color
from engine.board.position import Position
from engine.board.transcript import parse_transcript, plies
from hardware.camera.frame_sources import RecordingReader
from hardware.camera.frames_and_camera_faults import Frame
from kiosk.commands.game_from_video import VideoReading, derive_moves, game_from_frames

START = "-" * 27 + "OX------XO" + "-" * 27


@pytest.fixture(scope="module")
def drawn() -> RenderedImage:
    table = table_of(TUNE, 3, SceneRequest(size=(640, 480), stress=False, elevation=(60.0, 80.0)))
    return draw(table, moment_of(table, START, 1))


def test_the_answer_has_the_fields_of_the_contract(drawn: RenderedImage, tmp_path: Path, cli: Cli) -> None:
    """Cells, confidences, corners clockwise in pixels, no refusal, milliseconds; exit status 0."""
    path = tmp_path / "board.png"
    cv2.imwrite(str(path), drawn.image)
    corners = [f"{x:.1f},{y:.1f}" for x, y in drawn.corners]
    answer = cli.json("read-board", path, "--corners", *corners)
    assert set(answer) == {"cells", "confidence", "corners", "refused", "ms"}
    assert answer["cells"] == START
    assert len(answer["confidence"]) == 64
    assert all(0 <= value <= 1 for value in answer["confidence"])
    assert np.abs(np.array(answer["corners"]) - drawn.corners).max() < 0.1
    assert answer["refused"] is None


def test_a_picture_without_a_board_is_refused_and_that_is_no_error(tmp_path: Path, cli: Cli) -> None:
    """The exit status is 0, with a reason of the contract and a sentence."""
    path = tmp_path / "dark.png"
    cv2.imwrite(str(path), np.zeros((480, 640, 3), np.uint8))
    answer = cli.json("read-board", path)
    assert (answer["cells"], answer["refused"]["reason"]) == (None, "dark")
    assert answer["refused"]["text"]


@pytest.mark.parametrize(
    ("args", "word"),
    [
        (("README.md",), "JPEG"),
        (("gone.jpg",), "gone.jpg: No such file"),
        (("gone.mp4", "--film"), "gone.mp4: No such file"),
        (("{folder}",), "Is a directory"),
        (("{board}", "--corners", "1,2", "3,4", "5,6", "nonsense"), "nonsense"),
        (("{board}", "--corners", "1,2", "3,4", "5,6", "7,8"), "corners"),
    ],
)
def test_unusable_input_is_one_sentence(
    args: tuple[str, ...], word: str, drawn: RenderedImage, tmp_path: Path, cli: Cli
) -> None:
    """The exit status is 2, and one sentence on stderr names what is wrong."""
    path = tmp_path / "board.png"
    cv2.imwrite(str(path), drawn.image)
    assert word in cli.refused("read-board", *(arg.format(board=path, folder=tmp_path) for arg in args))


def _png(width: int, height: int) -> bytes:
    """Return a black picture of one bit for each pixel, compressed to a thousandth of its size."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    head = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    data = zlib.compress(bytes((1 + width // 8) * height))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


@pytest.mark.parametrize("name", ["film.jpg", "film.png", "film.mp4"])
def test_a_film_without_a_picture_is_refused(name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Also one with a picture's extension, of which OpenCV opens any."""
    film = tmp_path / name
    film.write_bytes(b"no film" * 100)
    assert kiosk(capfd, "read-board", film, "--film", "--json")[0] == 2


@pytest.mark.parametrize("name", ["bomb.png", "bomb.mp4"])
def test_a_film_of_oversized_pictures_is_refused(name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A picture of 256 megapixels in 32 kB, 2.3 GB when decoded, is refused with one sentence."""
    (tmp_path / name).write_bytes(_png(16_000, 16_000))
    for more in ("--film",), *([()] if name == "bomb.png" else []):
        code, out, err = kiosk(capfd, "read-board", tmp_path / name, *more)
        assert (code, out) == (2, "")
        assert "16000×16000" in err and err.count("\n") == 1


def test_a_damaged_or_empty_file_is_told_in_one_line(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """What the libraries that decode pictures and films write on stderr is not shown."""
    noise = np.random.default_rng(1).integers(60, 200, (480, 640, 3)).astype(np.uint8)
    png, jpeg = (cv2.imencode(kind, noise)[1].tobytes() for kind in (".png", ".jpg"))
    for name, content, args, words in (
        ("cut.jpg", jpeg[:50_000] + b"\xff\xd9", (), "cut.jpg is damaged"),
        ("cut.png", png[:50_000] + png[50_500:], (), "cut.png is damaged"),
        ("empty.jpg", b"", (), "empty.jpg is empty"),
        ("empty.mp4", b"", ("--film",), "empty.mp4 is empty"),
        ("cut.mp4", b"\0\0\0\x18ftypmp42" + bytes(900), ("--film",), "cut.mp4 is no film"),
    ):
        (tmp_path / name).write_bytes(content)
        code, out, err = kiosk(capfd, "read-board", tmp_path / name, *args)
        assert (code, out, err.count("\n")) == (2, "", 1) and words in err


class Game:
    """Writes a film of a few moves; before each an arm covers the board. ``rest``: pictures of the unchanged board."""

    def __init__(self, transcript: str, rest: int = 6) -> None:
        self.rest = rest
        table = table_of(TUNE, 3, SceneRequest(size=(640, 480), stress=False, elevation=(60.0, 80.0)))
        self.camera = SimulatedCamera(table, START)
        self.left = [position for _, position in plies(parse_transcript(transcript))]
        self.frame = 0

    def read(self) -> Frame | None:
        step, self.frame = self.frame % (self.rest + 3), self.frame + 1
        if step == self.rest:
            if not self.left:
                return None
            self.camera.reach(27)
        elif step == self.rest + 2:
            self.camera.lay(self.left.pop(0).cells())
            self.camera.reach(None)
        return self.camera.read()

    def brighten(self, stops: float) -> bool:
        return False

    def close(self) -> None: ...


def test_a_film_gives_the_transcript() -> None:
    """A film of three moves gives its game or the mirrored game, however the camera was turned."""
    film = game_from_frames(Game("f5d6c3"))
    assert film.refused is None
    assert film.ended is None
    assert "".join(film.moves) in ("f5d6c3", "c4e3f6", "e6f4c3", "d3c5f6")
    assert film.unsure == []
    assert replace(film).json()["transcript"] == "".join(film.moves)


def derived(*boards: str) -> VideoReading:
    film = VideoReading(positions=list(enumerate(boards)))
    derive_moves(film)
    return film


def boards_of(transcript: str) -> list[str]:
    return [position.cells() for _, position in plies(parse_transcript(transcript))]


def changed(cells: str, **discs: str) -> str:
    squares = {square: "abcdefgh".index(square[0]) + 8 * (int(square[1]) - 1) for square in discs}
    return "".join(next((discs[name] for name, at in squares.items() if at == n), cell) for n, cell in enumerate(cells))


def test_a_film_continues_from_the_board_after_a_wrong_move() -> None:
    """The disc that was not turned keeps its colour, and the fault is named at its ply."""
    first, second = boards_of("f5d6")
    wrong = changed(second, d5="X")
    after = Position.from_cells(wrong, Color.BLACK)
    move = after.geometry.names(after.legal_moves())[0]
    film = derived(first, wrong, after.play(after.geometry.square(move)).cells())
    assert film.moves == ["f5", "d6", move] and film.ended is None
    assert [(fault["ply"], fault["findings"][0]["kind"]) for fault in film.json()["faults"]] == [(2, "IM-4")]
    assert film.json()["faults"][0]["findings"][0]["squares"] == ("d5",)


def test_a_corrected_move_is_no_fault() -> None:
    """No fault is reported if a still board with unturned discs is completed afterwards."""
    first, second, third = boards_of("f5d6c3")
    film = derived(first, changed(second, d5="X"), second, third)
    assert (film.moves, film.faults, film.ended) == (["f5", "d6", "c3"], [], None)


def test_a_film_continues_after_missing_moves() -> None:
    """If a hand covered two moves, the plies before which moves are missing are reported."""
    boards = boards_of("f5d6c3d3c4f4")
    film = derived(boards[0], boards[3], boards[4], boards[5])
    assert (film.moves, film.gaps, film.ended) == (["f5", "c4", "f4"], [2], None)
    assert derived(boards[0], boards[3]).ended == boards[3]


def test_a_film_is_compared_with_the_record(tmp_path: Path, cli: Cli) -> None:
    """A film of the pictures that a table has recorded is compared with the game's record."""
    recorder = RecordingReader(Game("f5d6", rest=12), tmp_path, lambda _: None)
    while recorder.read() is not None:
        pass
    moves = game_from_frames(Game("f5d6")).moves
    code, out, _ = cli("read-board", str(tmp_path), "--film", "--record", moves[0] + "a1", "--json")
    answer = json.loads(out)
    assert (code, answer["moves"]) == (0, moves)
    assert answer["record"] == {"played": 2, "first_same": 1, "same": 1}
    assert cli("read-board", str(tmp_path), "--film", "--record", "x9")[0] == 2


@pytest.fixture(scope="module")
def filmed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the recorded pictures of two moves."""
    folder = tmp_path_factory.mktemp("film")
    recorder = RecordingReader(Game("f5d6", rest=12), folder, lambda _: None)
    while recorder.read() is not None:
        pass
    return folder


@pytest.mark.parametrize("record", ["f5d6", "c4e3"])
def test_a_film_is_compared_with_the_record_from_whichever_side_it_was_taken(
    record: str, filmed: Path, cli: Cli
) -> None:
    """At the start position nobody sees which corner is a1; the record tells it."""
    answer = cli.json("read-board", filmed, "--film", "--record", record)
    assert answer["transcript"] == record
    assert answer["record"] == {"played": 2, "first_same": 2, "same": 2}


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("{board}", "--film"), "is one picture"),
        (("{damaged}", "--film"), "no picture in"),
        (("{moving}", "--film"), "never seen at rest"),
        (("{board}", "--record", "f5"), "add --film"),
        (("{board}", "--film", "--record", "x9"), "--record: byte 0"),
    ],
)
def test_what_is_no_film_is_said(
    args: tuple[str, ...], words: str, drawn: RenderedImage, filmed: Path, tmp_path: Path, cli: Cli
) -> None:
    """A picture that can be read, and none that can, are not told as a film without a board."""
    places = {name: tmp_path / name for name in ("damaged", "moving")}
    for place in places.values():
        place.mkdir()
    names = sorted(filmed.iterdir())[:2]
    for name in names:
        (places["moving"] / name.name).write_bytes(name.read_bytes())
        (places["damaged"] / name.name).write_bytes(name.read_bytes()[:900])
    places["board"] = tmp_path / "board.png"
    cv2.imwrite(str(places["board"]), drawn.image)
    assert words in cli.refused("read-board", *(arg.format(**places) for arg in args))


def test_what_a_film_shows_is_told_in_words(filmed: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """Unread squares, a last board that fits no move, and a film without moves, each in both languages."""
    first, second = boards_of("f5d6")
    shown = {
        "読めないマス": derived(first, changed(second, a1="?")),
        "合う手がありません": derived(first, changed(first, a1="X", h8="X", a8="O", h1="O", b7="O")),
        "着手は見つかりません": derived(Position.start().cells()),
    }
    for words, video in shown.items():
        monkeypatch.setattr("kiosk.commands.game_from_video.read_video", lambda _, video=video: video)
        code, out, _ = cli("read-board", filmed, "--film")
        assert code == 0 and words in out, out
