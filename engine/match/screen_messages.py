"""Sentences shown to the players and the arbiter.

No message for the players reveals a flag that nobody claimed, an illegal move that nobody challenged, a legal move or
an evaluation (K-02, K-08, K-12). Players see no other messages of the engine.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.board.color import Color
from engine.i18n import Text, say
from engine.match.match_value_types import GameResult, Message, RecordedViolation

COLORS = {Color.BLACK: say("Black"), Color.WHITE: say("White")}
_SUBMITTERS = {
    "black": COLORS[Color.BLACK],
    "white": COLORS[Color.WHITE],
    "winner": say("the winner"),
    "captain": say("the captain"),
}


@dataclass(frozen=True, slots=True)
class MessageTemplate:
    """A kind of message, with the sentence in which it is shown."""

    kind: str
    text: Text

    def __call__(self, at_ns: int, **fields: object) -> Message:
        """Return the message with the sentence's fields filled in; a colour is given by its name."""
        named = {name: COLORS[value] if isinstance(value, Color) else value for name, value in fields.items()}
        return Message(self.kind, self.text(**named), at_ns)


# --- for the players --------------------------------------------------------------------------------------------

late = MessageTemplate("late", say("The late player's time is running"))
late_player_arrived = MessageTemplate("arrived", say("The late player is here, clock stopped"))
passed = MessageTemplate("pass", say("{by} passed"))
challenge = MessageTemplate("challenge", say("{offender}'s time is running: challenge of the last turn"))
agreed = MessageTemplate("agreed", say("Agreed: {offender} corrects the move and presses"))
hold = MessageTemplate("hold", say("Clock stopped: wait for the arbiter"))
recovery = MessageTemplate("recovery", say("Power is back, clock stopped: wait for the arbiter"))
finish = MessageTemplate("finish", say("Time was claimed: {mover} completes the move and presses"))
play_out = MessageTemplate("play-out", say("Both flags: {mover} plays out the remaining moves"))
lost_on_time = MessageTemplate("overtime", say("{loser} has lost on time"))
overtime = MessageTemplate("overtime", say("{loser} has lost on time and plays on with extra time"))
choice = MessageTemplate("choice", say("{winner} wins on time: choose {won}–{lost} or free play"))
free_play = MessageTemplate("free-play", say("Free play on {winner}'s time"))
free_challenge = MessageTemplate(
    "free-challenge", say("Challenged: {winner} corrects the last move on the running time")
)
count = MessageTemplate("count", say("Count the discs and enter them"))
end = MessageTemplate("end", say("The game has ended: check the result"))
not_upheld = MessageTemplate("challenge-not-upheld", say("The arbiter rejects the challenge"))
disagreement = MessageTemplate("disagreement", say("No agreement, clock stopped: wait for the arbiter"))
count_again = MessageTemplate("count-again", say("No agreement on the count: count again, the arbiter is called"))
#: ChouChou with more than two players; in pairs it names the player who reached the target (CC-WIN-4)
player_won = MessageTemplate("result", say("Player {n} has won"))
out = MessageTemplate("out", say("Player {n} has exceeded the time and is out"))
#: CC-SUP-1: opponents receive pieces
penalty = MessageTemplate("penalty", say("Player {n} moved pieces twice in a row: {pieces} to each opponent"))
submitted = MessageTemplate("submitted", say("The card has been handed in"))
_card = MessageTemplate("card", say("Both have signed: {who} hands the card in"))
_result = MessageTemplate("result", say("{outcome}, Black–White {discs}"))


def confirmed(kind: str, squares: tuple[str, ...], at_ns: int) -> Message:
    named = kind, *squares
    return Message("challenge-confirmed", say("Confirmed: {named}", named=" ".join(named)), at_ns, named)


def denied(kind: str, squares: tuple[str, ...], at_ns: int) -> Message:
    named = kind, *squares
    return Message("challenge-denied", say("Not found: {named}", named=" ".join(named)), at_ns, named)


def result(card: GameResult, at_ns: int) -> Message:
    won = say("Draw") if card.winner is None else say("{winner} wins", winner=COLORS[card.winner])
    if card.black_discs is None or card.white_discs is None:
        return Message("result", won, at_ns)
    return _result(at_ns, outcome=won, discs=f"{card.black_discs}–{card.white_discs}")


def card(submitter: str, at_ns: int) -> Message:
    return _card(at_ns, who=_SUBMITTERS[submitter])


# --- for the arbiter --------------------------------------------------------------------------------------------

start_board = MessageTemplate("start-board", say("The game did not start from the usual position"))
reopened = MessageTemplate("reopened", say("Colours, draw right and seats are being settled again"))
unread = MessageTemplate("unread", say("The board was not read up to turn {ply}"))
called = MessageTemplate("called", say("The arbiter is called"))
called_by = MessageTemplate("called", say("The arbiter is called by {by}"))
too_large = MessageTemplate("too-large", say("The error is too large to point out: the arbiter decides"))
both_flags = MessageTemplate("both-flags", say("Both flags have fallen (anyone may point it out, M43-16)"))
flag = MessageTemplate("flag", say("{color}'s time is used up (an arbiter may call it)"))
second_flag = MessageTemplate("flag", say("{color}'s extra time is used up (an arbiter may call it)"))
both_flags_unread = MessageTemplate(
    "both-flags-unread",
    say("Both flags, and nobody read the board: taken as both sides having moves (TEAM-7.7b); please confirm"),
)
moves_again = MessageTemplate("moves-again", say("After both flags the other side can move again: the arbiter decides"))
no_right_holder = MessageTemplate(
    "no-right-holder", say("Nobody holds the draw right in this game: the arbiter decides")
)
board_adopted = MessageTemplate("board-adopted", say("Play continues from the board as changed during the hold"))
late_never_came = MessageTemplate(
    "late-never-came", say("The late player's time is used up: {squares}–0, unrated, or lost on time, rated (AMB-05)")
)
late_never_came_without_discs = MessageTemplate(
    "late-never-came", say("The late player's time is used up: a loss, unrated, or lost on time, rated (AMB-05)")
)
late_start_unpressed = MessageTemplate(
    "late-start-unpressed",
    say("The player present pressed {seconds} s after the order: the late player's time runs from the order on"),
)
late_time_given_back = MessageTemplate(
    "late-time-given-back",
    say("The player present pressed {seconds} s after the order: the late player's time runs from that press"),
)
count_differs = MessageTemplate(
    "count-differs",
    say("The count entered, {black}–{white}, differs from the board, {read_black}–{read_white} (Black–White)"),
)
card_repaired = MessageTemplate(
    "card-repaired",
    say("The count {black}–{white} does not total {squares}: read to the winner's disadvantage (M43-18.5)"),
)
card_undecided = MessageTemplate(
    "card-undecided", say("The count {black}–{white} does not decide the game: the arbiter decides (AMB-13)")
)
_finding = MessageTemplate("finding", say("{by} {ply}. {kind}: {what}"))


def finding(filed: RecordedViolation, at_ns: int) -> Message:
    return _finding(at_ns, by=filed.by, ply=filed.ply, kind=filed.kind, what=filed.text)
