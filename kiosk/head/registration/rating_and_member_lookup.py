"""Lists of known players that entries are completed from: a rating list, a federation's members.

- A list only helps with typing; losing it loses no entry of the event. A list's number identifies a person; a name only
  suggests one, because two people may share it.
- It lies beside the store, readable by its owner only.
- It is kept in memory as the lines of its file, so that a long list takes little memory; only search results are
  parsed.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice
from pathlib import Path

import msgspec

from engine.i18n import say
from engine.tournament.player_entry_fields import KNOWN, birth_years_differ, name_key
from kiosk.head.errors import HeadError
from kiosk.head.registration.player_list_columns_and_cells import UnreadableList
from kiosk.head.registration.player_list_import import decode, iter_players
from kiosk.records.elo_result_file_reader import EloError, read_elo
from kiosk.records.papp_files import PappError, listed_players
from kiosk.records.rating_list_numbers_and_names import latin_name, list_number

#: above the size of any federation
MAX_KNOWN = 100_000
#: letters by which a file's format is detected
_BEGINNING = 100_000
#: players by which a list is told from any other text
_BEGUN = 200
#: letters of a search text; players that a search returns, and a suggestion
MAX_TYPED, MOST_FOUND, MOST_SUGGESTED = 60, 12, 6


class PlayerList:
    """The list in ``file``, which need not exist. Thread-safe: a list is replaced as a whole."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._players: list[bytes] = []
        self._keys: list[str] = []
        self._names: list[str] = []
        #: number of the world rating list -> index
        self._numbers: dict[int, int] = {}
        if file.is_file():
            with contextlib.suppress(OSError):  # make files of earlier versions private
                file.chmod(0o600)
            with contextlib.suppress(ValueError, KeyError), file.open("rb") as kept:  # truncated file: import again
                self._index([line for raw in kept if (line := raw.strip(b"[],\n"))])

    def __len__(self) -> int:
        return len(self._players)

    def replace(self, players: Iterable[Mapping[str, object]]) -> None:
        """Replace the list, reading one player after the other.

        :raises HeadError: it cannot be written, or read to its end.
        """
        draft = self._file.with_suffix(".new")
        lines: list[bytes] = []
        try:
            draft.unlink(missing_ok=True)
            with open(draft, "xb", opener=_owner_only) as file:
                file.write(b"[")
                for player in players:
                    line = msgspec.json.encode({name: player[name] for name in KNOWN if player.get(name) is not None})
                    file.write((b",\n" if lines else b"") + line)
                    lines.append(line)
                file.write(b"]")
            draft.replace(self._file)
        except OSError as error:
            why = say("the player list cannot be kept in {_file} ({error}); look at the disk")
            raise HeadError(why(_file=self._file, error=error)) from error
        self._index(lines)

    def _index(self, lines: list[bytes]) -> None:
        """Index one line after the other, so that a long list is not copied in memory."""
        keys, names, numbers = [], [], {}
        for at, line in enumerate(lines):
            player = msgspec.json.decode(line, type=dict[str, object])
            keys.append(name_key(str(player["name"])))
            names.append(str(player.get("latin") or player["name"]))
            if wof := list_number(player.get("wof")):
                numbers[wof] = at
        self._players, self._keys, self._names, self._numbers = lines, keys, names, numbers

    def find(self, typed: str) -> list[dict[str, object]]:
        """Return the players whose name contains every typed word, those that begin with it first."""
        words = [name_key(word) for word in typed[:MAX_TYPED].split()]
        if not words:
            return []
        hits = [at for at, key in enumerate(self._keys) if all(word in key for word in words)]
        hits.sort(key=lambda at: not self._keys[at].startswith(words[0]))
        return [msgspec.json.decode(self._players[at]) for at in hits[:MOST_FOUND]]

    def find_by_name(self, name: str) -> dict[str, object] | None:
        """Return the only player of exactly that name."""
        key = name_key(name)
        hits = [line for line, known in zip(self._players, self._keys, strict=True) if known == key]
        return msgspec.json.decode(hits[0]) if len(hits) == 1 else None

    def find_by_number(self, wof: object) -> dict[str, object] | None:
        """Return the player with this number of the world rating list."""
        at = self._numbers.get(list_number(wof) or 0)
        return None if at is None else msgspec.json.decode(self._players[at])

    def suggest(self, name: str) -> list[dict[str, object]]:
        """Return players of the world rating list who may be meant by this spelling in Latin letters: those with all
        his names, in any order; if there are none, those who share one. Suggestions only.
        """
        words = _words(name)
        shared = [(words & _words(self._names[at]), at) for at in self._numbers.values()] if words else []
        most = max((len(common) for common, _ in shared if any(len(word) > 1 for word in common)), default=0)
        hits = [at for common, at in shared if most and len(common) == most]
        return [msgspec.json.decode(self._players[at]) for at in hits[:MOST_SUGGESTED]]


def _owner_only(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


class CombinedPlayerList:
    """The desk's own list combined with the federation's. Where both have a player, the desk's fields take precedence
    and the federation's fill the gaps.
    """

    def __init__(self, own: PlayerList, federation: PlayerList) -> None:
        self.own, self.federation = own, federation

    def __len__(self) -> int:
        return len(self.own) + len(self.federation)

    def find(self, typed: str) -> list[dict[str, object]]:
        return self._merge_lists(self.own.find(typed), self.federation.find(typed))[:MOST_FOUND]

    def find_by_name(self, name: str) -> dict[str, object] | None:
        return self._merge(self.own.find_by_name(name), self.federation.find_by_name(name))

    def find_by_number(self, wof: object) -> dict[str, object] | None:
        return self._merge(self.own.find_by_number(wof), self.federation.find_by_number(wof))

    def suggest(self, name: str) -> list[dict[str, object]]:
        return self._merge_lists(self.own.suggest(name), self.federation.suggest(name))[:MOST_SUGGESTED]

    def _merge(self, own: dict[str, object] | None, other: dict[str, object] | None) -> dict[str, object] | None:
        if own is None or other is None or not _same_person(own, other):
            return own or other
        return other | own

    def _merge_lists(self, own: list[dict[str, object]], others: list[dict[str, object]]) -> list[dict[str, object]]:
        found = []
        for one in own:
            same = next((other for other in others if _same_person(one, other)), None)
            found.append((same or {}) | one)
            others = [other for other in others if other is not same]
        return found + others


def _same_person(one: Mapping[str, object], other: Mapping[str, object]) -> bool:
    """Compare by the number of the world rating list, else by name and, where both have it, year of birth."""
    numbers = one.get("wof"), other.get("wof")
    if None not in numbers:
        return list_number(numbers[0]) == list_number(numbers[1])
    same_name = name_key(str(one["name"])) == name_key(str(other["name"]))
    return same_name and not birth_years_differ(one.get("birth_year"), other.get("birth_year"))


def _words(name: str) -> frozenset[str]:
    """Return a person's names in Latin letters, without accents and capitals."""
    return frozenset(latin_name(name, "").casefold().replace(",", " ").split())


def same_name(one: str, other: str) -> bool:
    """Check whether two names in Latin letters have the same parts; true where one of them has other letters."""
    return not _words(one) or not _words(other) or _words(one) == _words(other)


def read_file(content: bytes) -> Iterator[Mapping[str, object]]:
    """Yield the players of a PAPP list, an .ELO file or a CSV table, parsed while iterating.

    :raises HeadError: it is none of them; while iterating: a line is invalid.
    """
    players = _read(content)
    begun = list(islice(players, _BEGUN))
    if not begun:
        raise HeadError.saying("the file names no player; take a CSV with a column 'name', a PAPP list or an .ELO file")
    if not any(one.get(field) is not None for one in begun for field in KNOWN if field != "name"):
        raise HeadError.saying(
            "the file says nothing but names, as any text does; see that it is the list of players, a CSV with "
            "headings such as name, grade and number"
        )
    return chain(begun, players)


def _read(content: bytes) -> Iterator[Mapping[str, object]]:
    try:
        text = decode(content)
        elo = "%_%" in text
        if not elo and not _is_papp(text):
            yield from iter_players(text, MAX_KNOWN)
            return
        if text.count("\n") > MAX_KNOWN:
            raise UnreadableList.saying("the list has more than {most} lines; take it in parts", most=MAX_KNOWN)
        if elo:
            players = read_elo(text)["players"]
            assert isinstance(players, list)
            yield from players
        else:
            yield from listed_players(text)
    except (EloError, PappError) as error:
        raise HeadError.saying("the list cannot be read: {error}", error=error) from error


def _is_papp(text: str) -> bool:
    lines = [line for line in text[:_BEGINNING].splitlines() if line.strip() and line.strip()[0] not in "%#"]
    return any("pays" in line and "=" in line for line in lines[:50]) or any(
        line.strip()[0].isdigit() and "{" in line for line in lines[:50]
    )
