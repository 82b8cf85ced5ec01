"""Sentences shown to the players and the arbiter.

No message for the players reveals a flag that nobody claimed, an illegal move that nobody challenged, a legal move or
an evaluation (K-02, K-08, K-12). Players see no other messages of the engine.
"""

from __future__ import annotations

from engine.board.color import Color
from engine.i18n import say
from engine.match.match_value_types import GameResult, Message, RecordedViolation

COLORS = {Color.BLACK: say("Black"), Color.WHITE: say("White")}
_SUBMITTERS = {
    "black": COLORS[Color.BLACK],
    "white": COLORS[Color.WHITE],
    "winner": say("the winner"),
    "captain": say("the captain"),
}


# --- for the players --------------------------------------------------------------------------------------------


def late(at_ns: int) -> Message:
    return Message("late", say("The late player's time is running"), at_ns)


def late_player_arrived(at_ns: int) -> Message:
    return Message("arrived", say("The late player is here, clock stopped"), at_ns)


def passed(by: Color, at_ns: int) -> Message:
    return Message("pass", say("{by} passed", by=COLORS[by]), at_ns)


def challenge(offender: Color, at_ns: int) -> Message:
    return Message(
        "challenge", say("{offender}'s time is running: challenge of the last turn", offender=COLORS[offender]), at_ns
    )


def confirmed(kind: str, squares: tuple[str, ...], at_ns: int) -> Message:
    named = kind, *squares
    return Message("challenge-confirmed", say("Confirmed: {named}", named=" ".join(named)), at_ns, named)


def denied(kind: str, squares: tuple[str, ...], at_ns: int) -> Message:
    named = kind, *squares
    return Message("challenge-denied", say("Not found: {named}", named=" ".join(named)), at_ns, named)


def agreed(offender: Color, at_ns: int) -> Message:
    return Message("agreed", say("Agreed: {offender} corrects the move and presses", offender=COLORS[offender]), at_ns)


def hold(at_ns: int) -> Message:
    return Message("hold", say("Clock stopped: wait for the arbiter"), at_ns)


def recovery(at_ns: int) -> Message:
    return Message("recovery", say("Power is back, clock stopped: wait for the arbiter"), at_ns)


def finish(mover: Color, at_ns: int) -> Message:
    return Message(
        "finish", say("Time was claimed: {mover} completes the move and presses", mover=COLORS[mover]), at_ns
    )


def play_out(mover: Color, at_ns: int) -> Message:
    return Message("play-out", say("Both flags: {mover} plays out the remaining moves", mover=COLORS[mover]), at_ns)


def overtime(loser: Color, at_ns: int) -> Message:
    return Message("overtime", say("{loser} has lost on time and plays on with extra time", loser=COLORS[loser]), at_ns)


def choice(winner: Color, squares: int, at_ns: int) -> Message:
    text = say(
        "{winner} wins on time: choose {won}–{lost} or free play",
        winner=COLORS[winner],
        won=squares // 2 + 1,
        lost=squares // 2 - 1,
    )
    return Message("choice", text, at_ns)


def free_play(winner: Color, at_ns: int) -> Message:
    return Message("free-play", say("Free play on {winner}'s time", winner=COLORS[winner]), at_ns)


def free_challenge(winner: Color, at_ns: int) -> Message:
    return Message(
        "free-challenge",
        say("Challenged: {winner} corrects the last move on the running time", winner=COLORS[winner]),
        at_ns,
    )


def count(at_ns: int) -> Message:
    return Message("count", say("Count the discs and enter them"), at_ns)


def end(at_ns: int) -> Message:
    return Message("end", say("The game has ended: check the result"), at_ns)


def not_upheld(at_ns: int) -> Message:
    return Message("challenge-not-upheld", say("The arbiter rejects the challenge"), at_ns)


def disagreement(at_ns: int) -> Message:
    return Message("disagreement", say("No agreement, clock stopped: wait for the arbiter"), at_ns)


def count_again(at_ns: int) -> Message:
    return Message("count-again", say("No agreement on the count: count again, the arbiter is called"), at_ns)


def result(card: GameResult, at_ns: int) -> Message:
    won = say("Draw") if card.winner is None else say("{winner} wins", winner=COLORS[card.winner])
    if card.black_discs is not None and card.white_discs is not None:
        discs = f"{card.black_discs}–{card.white_discs}"
        won = say("{outcome}, Black–White {discs}", outcome=won, discs=discs)
    return Message("result", won, at_ns)


def player_won(player: int, at_ns: int) -> Message:
    """Return the message that a player won, in ChouChou with more than two players; in pairs it names the player who
    reached the target (CC-WIN-4).
    """
    return Message("result", say("Player {n} has won", n=player), at_ns)


def out(player: int, at_ns: int) -> Message:
    return Message("out", say("Player {n} has exceeded the time and is out", n=player), at_ns)


def penalty(player: int, pieces: int, at_ns: int) -> Message:
    """CC-SUP-1: return the message that opponents receive pieces."""
    text = say("Player {n} moved pieces twice in a row: {pieces} to each opponent", n=player, pieces=pieces)
    return Message("penalty", text, at_ns)


def card(submitter: str, at_ns: int) -> Message:
    return Message("card", say("Both have signed: {who} hands the card in", who=_SUBMITTERS[submitter]), at_ns)


def submitted(at_ns: int) -> Message:
    return Message("submitted", say("The card has been handed in"), at_ns)


# --- for the arbiter --------------------------------------------------------------------------------------------


def finding(filed: RecordedViolation, at_ns: int) -> Message:
    found = say("{by} {ply}. {kind}: {what}", by=COLORS[filed.by], ply=filed.ply, kind=filed.kind, what=filed.text)
    return Message("finding", found, at_ns)


def start_board(at_ns: int) -> Message:
    return Message("start-board", say("The game did not start from the usual position"), at_ns)


def reopened(at_ns: int) -> Message:
    return Message("reopened", say("Colours, draw right and seats are being settled again"), at_ns)


def unread(ply: int, at_ns: int) -> Message:
    return Message("unread", say("The board was not read up to turn {ply}", ply=ply), at_ns)


def called(by: Color | None, at_ns: int) -> Message:
    if by is None:
        return Message("called", say("The arbiter is called"), at_ns)
    return Message("called", say("The arbiter is called by {by}", by=COLORS[by]), at_ns)


def too_large(at_ns: int) -> Message:
    return Message("too-large", say("The error is too large to point out: the arbiter decides"), at_ns)


def both_flags(at_ns: int) -> Message:
    return Message("both-flags", say("Both flags have fallen (anyone may point it out, M43-16)"), at_ns)


def flag(color: Color, at_ns: int, *, second: bool = False) -> Message:
    if second:
        used = say("{color}'s extra time is used up (an arbiter may call it)", color=COLORS[color])
    else:
        used = say("{color}'s time is used up (an arbiter may call it)", color=COLORS[color])
    return Message("flag", used, at_ns)


def both_flags_unread(at_ns: int) -> Message:
    return Message(
        "both-flags-unread",
        say("Both flags, and nobody read the board: taken as both sides having moves (TEAM-7.7b); please confirm"),
        at_ns,
    )


def moves_again(at_ns: int) -> Message:
    return Message("moves-again", say("After both flags the other side can move again: the arbiter decides"), at_ns)


def no_right_holder(at_ns: int) -> Message:
    return Message("no-right-holder", say("Nobody holds the draw right in this game: the arbiter decides"), at_ns)


def board_adopted(at_ns: int) -> Message:
    return Message("board-adopted", say("Play continues from the board as changed during the hold"), at_ns)


def late_never_came(squares: int, at_ns: int) -> Message:
    return Message(
        "late-never-came",
        say(
            "The late player's time is used up: {squares}–0, unrated, or lost on time, rated (AMB-05)", squares=squares
        ),
        at_ns,
    )


def late_start_unpressed(seconds: int, at_ns: int) -> Message:
    return Message(
        "late-start-unpressed",
        say(
            "The player present pressed {seconds} s after the order: the late player's time runs from the order on",
            seconds=seconds,
        ),
        at_ns,
    )


def late_time_given_back(seconds: int, at_ns: int) -> Message:
    return Message(
        "late-time-given-back",
        say(
            "The player present pressed {seconds} s after the order: the late player's time runs from that press",
            seconds=seconds,
        ),
        at_ns,
    )


def count_differs(entered: tuple[int, int], read: tuple[int, int], at_ns: int) -> Message:
    return Message(
        "count-differs",
        say(
            "The count entered, {black}–{white}, differs from the board, {read_black}–{read_white} (Black–White)",
            black=entered[0],
            white=entered[1],
            read_black=read[0],
            read_white=read[1],
        ),
        at_ns,
    )


def card_repaired(entered: tuple[int, int], squares: int, at_ns: int) -> Message:
    return Message(
        "card-repaired",
        say(
            "The count {black}–{white} does not total {squares}: read to the winner's disadvantage (M43-18.5)",
            black=entered[0],
            white=entered[1],
            squares=squares,
        ),
        at_ns,
    )


def card_undecided(entered: tuple[int, int], at_ns: int) -> Message:
    return Message(
        "card-undecided",
        say(
            "The count {black}–{white} does not decide the game: the arbiter decides (AMB-13)",
            black=entered[0],
            white=entered[1],
        ),
        at_ns,
    )
