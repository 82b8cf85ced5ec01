"""Tests of entry numbers, entry fees, receipts, and the organiser on printed pages."""

from __future__ import annotations

import struct
import zlib

import httpx
from heads.staff import token
from httpx import Client

from hardware.camera.picture_decoding_overlays_and_quality import dimensions
from kiosk.head.program import HeadApplication

MONEY = "/division/main/money"


def picture(width: int, height: int) -> bytes:
    """Return a grey PNG with a text chunk."""

    def chunk(name: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))

    rows = zlib.compress(b"".join(b"\0" + b"\x80" * width for _ in range(height)))
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    said = chunk(b"tEXt", b"Author\0somebody")
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + said + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def test_only_players_who_have_paid_get_a_receipt(program: HeadApplication, web: Client) -> None:
    """One amount applies to all players without an amount of their own; one press marks as paid, one undoes it;
    numbers follow the order of names and are never reused. Receipts have number, amount and name."""
    csrf = token(web)
    players = program.desk.state.division("main").event.players
    special, guest, plain = (player.id for player in players[:3])
    program.desk.players.change("main", special, {"fee": 500, "number": 30, "name": "Ada Special"})
    program.desk.players.change("main", guest, {"fee": 0, "name": "Bo Guest"})
    assert web.post(f"{MONEY}/fees", data={"csrf": csrf, "fee": "２，０００円"}).status_code == 303
    assert web.post(f"{MONEY}/numbers", data={"csrf": csrf}).status_code == 303
    known = program.desk.state.division("main").players()
    assert [known[id].fee for id in (special, guest, plain)] == [500, 0, 2000]
    assert sorted(int(str(one.number)) for one in known.values()) == list(range(30, 30 + len(players)))
    for id in (special, guest, plain, players[4].id):
        assert web.post(f"{MONEY}/mark", data={"csrf": csrf, "mark": f"paid {id}"}).status_code == 303
    web.post(f"{MONEY}/mark", data={"csrf": csrf, "mark": f"not-paid {players[4].id}"})
    page = web.get(MONEY).text
    assert "3 of 16 have paid" in page and "¥2,500 in all" in page
    paper = web.get("/print/receipts?division=main&lang=ja").text
    assert paper.count('class="receipt"') == 2 and "￥500―" in paper and "No. 30" in paper and "領収書" in paper
    other = web.get(f"/print/receipts?division=main&player={special}&to=みどり商会").text
    assert other.count('class="receipt"') == 1 and "みどり商会" in other and "Ada Special" not in other
    assert "Bo Guest" not in paper, "who pays nothing needs no receipt"
    assert web.post(f"{MONEY}/mark", data={"csrf": csrf, "mark": "paid p99"}).status_code == 404
    assert web.post(f"{MONEY}/fees", data={"csrf": csrf, "fee": "-5"}).status_code == 400


def test_the_organiser_s_name_seal_and_logo_are_printed(program: HeadApplication, web: Client) -> None:
    """An upload is never stored as it is: it is scaled and encoded anew. Only images in use can be fetched, and only
    when signed in; a file that is no picture is refused and changes nothing."""
    csrf = token(web)
    sent = {"seal": ("seal.png", picture(1400, 1000)), "logo": ("logo.png", picture(80, 70))}
    answer = web.post("/publish/organiser", data={"csrf": csrf, "organiser": "千代田オセロ会"}, files=sent)
    assert answer.status_code == 303, answer.text
    state = program.desk.state
    assert state.organiser == "千代田オセロ会"
    seal = web.get(f"/organiser/{state.seal}.jpg").content
    assert dimensions(seal) == (700, 500) and b"somebody" not in seal
    paper = web.get("/print/standings").text
    assert "千代田オセロ会" in paper and f"/organiser/{state.logo}.jpg" in paper
    assert httpx.get(f"{web.base_url}/organiser/{state.seal}.jpg", follow_redirects=False).status_code != 200
    assert web.get(f"/organiser/{'0' * 64}.jpg").status_code == 404
    wrong = {"seal": ("seal.png", b"GIF89a" + bytes(100)), "logo": ("", b"")}
    assert web.post("/publish/organiser", data={"csrf": csrf, "organiser": "x"}, files=wrong).status_code == 400
    assert program.desk.state == state
    kept = {"seal": ("", b""), "logo": ("", b"")}
    form = {"csrf": csrf, "organiser": "千代田オセロ会", "no-seal": "1"}
    assert web.post("/publish/organiser", data=form, files=kept).status_code == 303
    assert (program.desk.state.seal, program.desk.state.logo) == ("", state.logo)
