"""Tests of the extras of pyproject.toml, in environments that have the packages of some extras and no others."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
import venv
from collections.abc import Callable, Iterator
from functools import cache
from importlib import metadata
from pathlib import Path

import pytest
from known_answers import known
from packaging.requirements import Requirement
from waiting import HANGS_S

from kiosk.errors import EXTRAS, MissingExtraError, missing_extra, require_extra
from kiosk.link.table_keys import save_keys

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
BOARD = "-" * 27 + "OX------XO" + "-" * 27


def required(requirements: list[str], extra: str = "") -> Iterator[str]:
    """Yield the distributions that pip would install here."""
    for requirement in map(Requirement, requirements):
        if requirement.marker is None or requirement.marker.evaluate({"extra": extra}):
            if requirement.name != PROJECT["name"]:
                yield requirement.name
                inner = metadata.distribution(requirement.name).requires or []
                yield from (name for one in ("", *requirement.extras) for name in required(inner, one))
            else:
                yield from (name for one in requirement.extras for name in of_extra(one))


def of_extra(extra: str) -> list[str]:
    return list(required(PROJECT["optional-dependencies"][extra]))


class Environment:
    """A virtual environment with links to packages of this one."""

    def __init__(self, folder: Path, extras: tuple[str, ...]) -> None:
        venv.create(folder, symlinks=True)
        self.python = folder / "bin/python"
        site = next(folder.glob("lib/python*/site-packages"))
        (site / "this.pth").write_text(str(ROOT))
        names = {*required(PROJECT["dependencies"]), *(name for extra in extras for name in of_extra(extra))}
        for distribution in map(metadata.distribution, sorted(names)):
            for part in {
                file.parts[0] for file in distribution.files or () if file.parts[0] not in ("..", "__pycache__")
            }:
                if not (site / part).exists():
                    (site / part).symlink_to(Path(str(distribution.locate_file(part))))

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        environ = {**os.environ, "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "SDL_VIDEODRIVER": "dummy"}
        environ.pop("PYTHONPATH", None)
        command, place = [self.python, *arguments], self.python.parent
        return subprocess.run(command, env=environ, cwd=place, capture_output=True, text=True, timeout=HANGS_S)

    def kiosk(self, *arguments: object) -> subprocess.CompletedProcess[str]:
        return self.run("-m", "kiosk", *map(str, arguments))

    def lacks(self, extra: str, *arguments: object) -> None:
        """Check that a command ends with the message that names the extra."""
        ended = self.kiosk(*arguments)
        sentence = (
            f'kiosk: the extra "{extra}" is needed and not installed; in the program\'s folder run: '
            f'{self.python} -m pip install ".[{extra}]"\n'
        )
        assert (ended.returncode, ended.stderr) == (2, sentence), ended.stdout + ended.stderr


@pytest.fixture(scope="module")
def with_extras(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Environment]:
    return cache(lambda *extras: Environment(tmp_path_factory.mktemp("-".join(("base", *extras))) / "env", extras))


def test_the_modules_of_an_extra_are_in_it_and_in_no_smaller_installation(
    with_extras: Callable[..., Environment],
) -> None:
    show = "import sys; from importlib.util import find_spec as find; print([one for one in sys.argv[1:] if find(one)])"
    every = sorted({module for modules in EXTRAS.values() for module in modules})
    assert with_extras().run("-c", show, *every).stdout == "[]\n"
    for extra, modules in EXTRAS.items():
        assert with_extras(extra).run("-c", show, *modules).stdout == f"{list(modules)}\n"
    assert with_extras("all").run("-c", show, *every).stdout == f"{every}\n"


def test_the_commands_of_the_board_the_clock_and_the_link_need_no_extra(
    with_extras: Callable[..., Environment], tmp_path: Path
) -> None:
    base = with_extras()
    for command in (
        ("--help",),
        ("check", BOARD, BOARD, "--to-move", "black", "--json"),
        ("perft", "8"),
        ("replay", known("games/WTH_1977.wtb")),
        ("keys", "new", "--tables", "1-3", "--out", tmp_path / "keys"),
        ("update", "key", "--out", tmp_path / "maker"),
    ):
        ended = base.kiosk(*command)
        assert (ended.returncode, ended.stderr) == (0, ""), (command, ended.stderr)
    assert "卓" in subprocess.run(
        [base.python, "-m", "kiosk", "--help"], env={"LC_ALL": "ja_JP.UTF-8", "PYTHONUTF8": "1"}, cwd=tmp_path,
        capture_output=True, text=True, encoding="utf-8", timeout=HANGS_S, check=True,
    ).stdout  # fmt: skip


def test_a_command_without_its_extra_names_it_and_the_command_that_installs_it(
    with_extras: Callable[..., Environment], tmp_path: Path
) -> None:
    table, head = tmp_path / "table.toml", tmp_path / "head.toml"
    table.write_text('table = 1\ndata = "data"\n[board]\nsource = "none"\n[buttons]\nfactory = "none"\n')
    head.write_text('data = "data"\nkeys = "keys.json"\n')
    save_keys(tmp_path / "keys.json", {})
    base = with_extras()
    base.lacks("table", "table", "--config", table)
    base.lacks("head", "head", "--config", head)
    base.lacks("demo", "demo")
    with_extras("table").lacks("demo", "demo")
    base.lacks("camera", "read-board", tmp_path / "board.jpg")
    base.lacks("camera", "bench-camera")
    with_extras("head").lacks("camera", "read-board", tmp_path / "board.jpg")


def test_a_setting_without_its_extra_names_it(with_extras: Callable[..., Environment], tmp_path: Path) -> None:
    table, head = tmp_path / "table.toml", tmp_path / "head.toml"
    table.write_text(
        'table = 1\ndata = "data"\n[board]\nsource = "camera"\ndevice = "/dev/video0"\n[buttons]\nfactory = "none"\n'
    )
    save_keys(tmp_path / "keys.json", {})
    with_extras("table").lacks("camera", "table", "--config", table)
    head.write_text('data = "data"\nkeys = "keys.json"\nport = 0\nstore = "postgresql:///othello"\n')
    with_extras("head").lacks("postgres", "head", "--config", head)
    head.write_text('data = "data"\nkeys = "keys.json"\nport = 0\n[publish]\nto = "sftp://me@192.168.10.1/site"\n')
    with_extras("head").lacks("publish", "head", "--config", head)


def test_a_photograph_at_a_head_without_the_camera_extra_is_refused(with_extras: Callable[..., Environment]) -> None:
    head = with_extras("head")
    ended = head.run(
        "-c",
        "from pathlib import Path\n"
        "from kiosk.head.errors import HeadError\n"
        "from kiosk.head.tables.photograph_board_reading_and_storage import Photographs\n"
        "try:\n"
        "    Photographs(Path()).read(b'')\n"
        "except HeadError as error:\n"
        "    print(error)",
    )
    assert ended.stdout.startswith('the extra "camera" is needed and not installed;'), ended.stderr


def test_the_doctor_reports_an_extra_that_the_configuration_needs(
    with_extras: Callable[..., Environment], tmp_path: Path
) -> None:
    save_keys(tmp_path / "keys.json", {})
    file = tmp_path / "head.toml"
    file.write_text('data = "data"\nkeys = "keys.json"\nstore = "postgresql:///othello"\n')
    ended = with_extras("head").kiosk("doctor", "--config", file)
    assert ended.returncode == 1
    assert 'NO  packages: the extra "postgres" is needed' in ended.stdout, ended.stderr
    file = tmp_path / "table.toml"
    file.write_text('table = 1\ndata = "data"\n[board]\nsource = "camera"\n[screen]\nenabled = false\n')
    ended = with_extras("table").kiosk("doctor", "--config", file)
    assert ended.returncode == 1
    assert 'NO  packages: the extra "camera" is needed' in ended.stdout, ended.stderr


@pytest.mark.parametrize(
    ("extra", "imports"),
    [
        (
            "table",
            "kiosk.table.table_assembly, kiosk.table.screen.pygame_screen, "
            "kiosk.table.device.pre_start_and_enrolment_screens",
        ),
        ("head", "kiosk.head.program, kiosk.doctor.head_checks"),
        (
            "camera",
            "kiosk.table.device.camera_calibration_screen, kiosk.doctor.camera_checks, "
            "kiosk.commands.read_board_picture_or_video",
        ),
        (
            "demo",
            "kiosk.demo.hall_processes, kiosk.demo.run_to_end_at_terminal, kiosk.head.program,"
            " kiosk.table.table_assembly",
        ),
    ],
)
def test_an_extra_is_complete(with_extras: Callable[..., Environment], extra: str, imports: str) -> None:
    ended = with_extras(extra).run("-c", f"import {imports}")
    assert (ended.returncode, ended.stderr) == (0, "")


def test_the_named_command_depends_on_the_kind_of_installation(monkeypatch: pytest.MonkeyPatch) -> None:
    def command(prefix: str) -> str:
        monkeypatch.setattr(sys, "prefix", prefix)
        return str(MissingExtraError("camera")).rpartition(": ")[2]

    assert command("/opt/othello-kiosk/0.1.0") == "sudo make install-table EXTRAS=camera"
    with monkeypatch.context() as installed:
        installed.setattr(Path, "exists", lambda path: path == Path("/etc/othello-kiosk/head.toml"))
        assert command("/opt/othello-kiosk/0.1.0") == "sudo make install-head EXTRAS=camera"
    assert command("/home/me/.local/share/pipx/venvs/othello-kiosk") == 'pipx install --force ".[all]"'
    assert command("/home/me/.local/share/uv/tools/othello-kiosk") == 'uv tool install --force ".[all]"'
    assert command("/home/me/env") == f'{sys.executable} -m pip install ".[camera]"'


def test_only_a_module_of_an_extra_is_a_missing_extra() -> None:
    assert missing_extra(ModuleNotFoundError(name="kiosk.gone")) is None
    assert "[postgres]" in str(missing_extra(ModuleNotFoundError(name="psycopg.rows"), "head"))
    for extra in EXTRAS:
        require_extra(extra)
