"""Simulated players who also play ChouChou: they enter captured pieces on the score board."""

from __future__ import annotations

from engine.board.color import Color
from engine.match.match_state import MatchState
from engine.match.rule_sets_and_options import ScoreRule
from hardware.real_and_simulated_time import NS_PER_S
from kiosk.demo.simulated_game_plan_and_board import GamePlan, PlayerError
from kiosk.demo.simulated_players import HOLD_NS, TAP_NS, THINK_S, SimulatedPlayers, answer_of, side_of
from kiosk.table.state import TableState

#: pieces captured by a turn of ChouChou
CAPTURES = (0, 0, 1, 1, 2, 3)


def captured_pieces(plan: GamePlan, ply: int) -> tuple[int, int]:
    """Return what Black and White have captured at ChouChou after turn ``ply``."""
    pieces = [0, 0]
    for each in range(ply + 1):
        pieces[each % 2] += plan.chance(each).choice(CAPTURES)
    return pieces[0], pieces[1]


class ChouChouPlayers(SimulatedPlayers):
    async def _turn(self, match: MatchState, plan: GamePlan) -> bool:
        if match.rules.score is ScoreRule.CAPTURES:
            return await self._capture(self.program.state, match, plan)
        return await super()._turn(match, plan)

    async def _capture(self, state: TableState, match: MatchState, plan: GamePlan) -> bool:
        """Play a turn of ChouChou: captured pieces are entered on the score board, then the clock is pressed; reaching
        the target ends the game. No board is read.
        """
        ply, seat = len(match.turns), match.seat_of(side_of(match))
        pieces = captured_pieces(plan, ply)
        if seat is None:
            return False
        if state.captures != pieces:
            if not state.counting:
                await self._think(round(plan.chance(ply).uniform(*THINK_S) * NS_PER_S))
                return await self._both()
            color = Color.BLACK if state.captures[0] != pieces[0] else Color.WHITE
            index = 0 if color is Color.BLACK else 1
            press = self._tap if state.captures[index] < pieces[index] else self._long
            return await press(match.seat_of(color))
        if state.counting or max(pieces) >= match.options.target:
            return await self._both()
        if not self.world.done and ply >= plan.ply // 4 and plan.planned_error is PlayerError.CALL_ARBITER:
            self._note_done()
            return self._pins.arbiter is not None and await self._press(self._pins.arbiter, TAP_NS)
        await self._think(round(plan.chance(ply).uniform(*THINK_S) * NS_PER_S))
        return await self._tap(seat)

    async def _both(self) -> bool:
        """Hold both buttons together."""
        before = answer_of(self.program.state)
        left, right = self._factory.button(self._pins.left), self._factory.button(self._pins.right)
        pressed_ns = left.press(release=False)
        right.press(pressed_ns, release=False)
        await self._pace.sleep(HOLD_NS)
        for button in (left, right):
            button.release(pressed_ns + HOLD_NS)
        return await self._wait_for_display(lambda now: answer_of(now) != before)
