"""Generated players and teams of an event. All are fictitious."""

from __future__ import annotations

EVENT = "第43期オセロ名人戦 デモ / 43rd Meijin demo"
FAMILY = (
    "青葉", "雨宮川", "石橋原", "歌野", "海老坂", "大空", "霞野", "木漏", "雲井野", "小鳥遊川",
    "桜木坂", "白波瀬", "鈴音", "空知野", "月影", "野分", "花咲川", "星合", "水無瀬川", "夕凪",
)  # fmt: skip
GIVEN = (
    "あおい", "いつき", "うみ", "かえで", "きょう", "こはく", "さら", "しずく", "すばる", "そら", "つむぎ", "なお",
    "はる",
)  # fmt: skip
ABROAD = (
    ("Ardin Vossk", "NLD"), ("Mirelle Quaynor", "FRA"), ("Tobin Harrowgate", "GBR"), ("Selma Ostrvik", "NOR"),
    ("Piero Lantagna", "ITA"), ("Wenke Aldersund", "SWE"),
)  # fmt: skip
GRADES = ("8d", "7d", "6d", "5d", "4d", "3d", "2d", "1d", "1k", "2k")


def players(count: int) -> list[dict[str, object]]:
    """Return ``count`` entries for an event file: ids p1…, names, grades, every fourth a woman, the first two
    seeded.
    """
    entries: list[dict[str, object]] = []
    for index in range(count):
        abroad = ABROAD[index // 8 % len(ABROAD)] if index % 8 == 5 else None
        name = f"{FAMILY[index % len(FAMILY)]} {GIVEN[(index * 5 + index // 20) % len(GIVEN)]}"
        entry: dict[str, object] = {
            "id": f"p{index + 1}",
            "name": abroad[0] if abroad else name,
            "country": abroad[1] if abroad else "JPN",
            "grade": GRADES[min(index * len(GRADES) // max(count, 1), len(GRADES) - 1)],
            "sex": "F" if index % 4 == 2 else "M",
            "birth_year": 1970 + index * 7 % 45,
        }
        if index < 2:
            entry["seed"] = index + 1
        entries.append(entry)
    return entries


def teams(count: int) -> list[dict[str, object]]:
    """Return teams of three of ``players(count)``, in their order; remaining players have no team."""
    return [
        {
            "id": f"t{first // 3 + 1}",
            "name": f"チーム {FAMILY[first // 3 % len(FAMILY)]}",
            "players": members,
            "captain": members[0],
        }
        for first in range(0, count - 2, 3)
        for members in [[f"p{first + place}" for place in (1, 2, 3)]]
    ]
