"""Cached background calculations: drafts, costs, explanations, standings.

An answer belongs to the state of the division it was computed from; when that changes it is computed again. No page or
table waits for a long calculation: it runs in a separate process, and the page shows that it is in progress.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from typing import TypeVar, cast

from engine.i18n import text_of
from engine.tournament import TournamentError
from kiosk.head.errors import HeadError
from kiosk.head.event.tournament_state import DivisionState

T = TypeVar("T")

#: largest weight (players times pairings) that is computed at once, without a noticeable delay
QUICK = 100


class Calculations:
    """Answers about divisions. Methods may be called from any thread."""

    def __init__(self, on_change: Callable[[], None] = lambda: None, quick: float = QUICK) -> None:
        """``on_change``: called when an answer is ready. ``quick``: calculations up to this weight run at once."""
        self._on_change = on_change
        self._quick = quick
        self._lock = threading.Lock()
        self._questions: dict[tuple[str, str], tuple[object, Future[object]]] = {}
        self._executor: Executor | None = None

    def ask(
        self,
        division: DivisionState,
        what: str,
        function: Callable[..., T],
        *arguments: object,
        weight: int = 0,
        depends: object = None,
    ) -> Future[T]:
        """Return the answer of ``function(*arguments)``, valid as long as ``depends`` is equal, by default as long as
        the division is unchanged. ``what`` names the question.
        """
        key, depends = (division.slug, what), division if depends is None else depends
        with self._lock:
            known = self._questions.get(key)
            quick = weight <= self._quick
            future: Future[T]
            if known is not None and (known[0] is depends or known[0] == depends) and not _is_interrupted(known[1]):
                future, own = cast(Future[T], known[1]), False
            else:
                future, own = Future() if quick else self._in_worker_process(function, *arguments), True
                self._forget(division)
                self._questions[key] = depends, cast(Future[object], future)
        if quick and own:
            _set_result(future, function, *arguments)
        elif quick:
            wait((future,))  # another thread computes it, and would notify no page
        return future

    def compute(self, function: Callable[..., T], *arguments: object, weight: int) -> T:
        """Compute an answer that is not cached, and wait for it."""
        if weight <= self._quick:
            return function(*arguments)
        with self._lock:
            future = self._in_worker_process(function, *arguments)
        return future.result()

    def _forget(self, division: DivisionState) -> None:
        """Drop answers about earlier states of the division."""
        self._questions = {
            key: (depends, future)
            for key, (depends, future) in self._questions.items()
            if key[0] != division.slug or depends is division or not isinstance(depends, DivisionState)
        }

    def close(self) -> None:
        with self._lock:
            if self._executor is not None:
                self._executor.shutdown(wait=True, cancel_futures=True)
                self._executor = None

    def _in_worker_process(self, function: Callable[..., T], *arguments: object) -> Future[T]:
        if self._executor is None:
            spawn = multiprocessing.get_context("spawn")
            self._executor = ProcessPoolExecutor(1, mp_context=spawn, initializer=init_worker_process)
        answer: Future[T] = Future()
        try:
            calculated = self._executor.submit(function, *arguments)
        except BrokenProcessPool:  # the process was killed; the next question starts another
            self._executor = None
            return self._in_worker_process(function, *arguments)
        calculated.add_done_callback(lambda done: self._pass_on(done, answer))
        return answer

    def _pass_on(self, calculated: Future[T], answer: Future[T]) -> None:
        """Pass on what the other process computed, or that it was killed."""
        error = None if calculated.cancelled() else calculated.exception()
        if calculated.cancelled() or isinstance(error, BrokenProcessPool):
            answer.set_exception(
                InterruptedCalculation.saying("the calculation was interrupted; it begins again by itself")
            )
        elif error is not None:
            answer.set_exception(_head_error(error))
        else:
            answer.set_result(calculated.result())
        self._on_change()


class InterruptedCalculation(HeadError):  # noqa: N818 - named after the condition
    """The calculating process was killed, by a person or for lack of memory."""

    status = 503


def _is_interrupted(future: Future[object]) -> bool:
    return future.cancelled() or (future.done() and isinstance(future.exception(), InterruptedCalculation))


def _set_result(future: Future[T], function: Callable[..., T], *arguments: object) -> None:
    try:
        future.set_result(function(*arguments))
    except (HeadError, TournamentError) as error:
        future.set_exception(_head_error(error))
    finally:
        future.cancel()  # an unexpected error ends only the caller; nobody else may wait for the answer


def _head_error(error: BaseException) -> BaseException:
    """Return an error of the engine as one of the head."""
    return HeadError(text_of(error)) if isinstance(error, TournamentError) else error


def init_worker_process() -> None:
    """Leave signals to the head, and end this process when the head was killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_the_head, daemon=True).start()


def _end_with_the_head() -> None:
    head = multiprocessing.parent_process()
    assert head is not None, "runs in a process that the head made"
    head.join()
    os._exit(0)
