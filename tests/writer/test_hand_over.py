"""The pieces of the hand-over between calls and threads: bells, posts, requests, warnings, and parts loaded on demand."""

from __future__ import annotations

import logging
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from stepscope.writer import SummaryWriter, background, complaints, needs
from stepscope.writer.array_queue import ArrayQueue
from stepscope.writer.bell import Bell
from stepscope.writer.post import Post
from stepscope.writer.request import Request
from stepscope.writer.summary import Deferred


def until(condition: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + 60
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.005)
    return condition()


def in_threads(count: int, work: Callable[[], object]) -> list[threading.Thread]:
    threads = [threading.Thread(target=work, daemon=True) for _ in range(count)]
    for thread in threads:
        thread.start()
    return threads


def test_a_bell_wakes_all_who_wait_and_nobody_stays_on_its_list() -> None:
    bell, rung, woken = Bell(), [False], []

    def wait() -> None:
        woken.append(bell.wait(lambda: rung[0], 60))

    threads = in_threads(5, wait)
    assert until(lambda: len(bell._waiting) == 5)
    bell.ring()
    assert until(lambda: len(bell._waiting) == 5), "the condition does not hold yet"
    rung[0] = True
    bell.ring()
    for thread in threads:
        thread.join(60)
    assert woken == [True] * 5
    assert not bell.is_awaited


def test_a_bell_that_nobody_rings_lets_go_in_time() -> None:
    bell = Bell()
    assert bell.wait(lambda: False, 0.01) is False
    assert bell.wait(lambda: True, 0.0) is True
    assert not bell.is_awaited


def test_a_bell_that_is_rung_between_test_and_wait_is_heard() -> None:
    bell = Bell()
    answers = iter([False, True])  # It holds as soon as the waiter is on the list.
    assert bell.wait(lambda: next(answers), None) is True


def test_a_post_has_one_worker_however_many_ask_and_somebody_comes_back() -> None:
    at_work, most, done, to_do = [0], [0], [0], [0]

    def work() -> Callable[[], None]:
        at_work[0] += 1
        most[0] = max(most[0], at_work[0])
        while to_do[0]:
            to_do[0] -= 1
            done[0] += 1
        at_work[0] -= 1
        return lambda: None

    post = Post(work, lambda: to_do[0] > 0)
    for _ in range(300):
        to_do[0] += 1
        post.man()
    post._next_start = 0.0
    post.man()
    assert until(lambda: done[0] == 300 and not post.is_manned)
    assert most[0] == 1
    assert not post.is_mine


def test_without_threads_the_call_works(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> int:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr("stepscope.writer.post.start_new_thread", refuse)
    monkeypatch.setattr(background, "start_new_thread", refuse)
    order: list[str] = []

    def work() -> Callable[[], None]:
        order.append("worked" if post.is_mine else "by somebody else")
        return lambda: order.append("left")

    post = Post(work, lambda: False)
    post.man()
    assert order == ["worked", "left"]
    assert background.start(lambda: None) is False


def test_logging_without_threads_writes_at_the_call(
    log: Path, monkeypatch: pytest.MonkeyPatch, read_files: Callable[[Path], list[object]]
) -> None:
    def refuse(*_: object) -> int:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr("stepscope.writer.post.start_new_thread", refuse)
    monkeypatch.setattr(background, "start_new_thread", refuse)
    writer = SummaryWriter(log)
    for step in range(5):
        writer.add_scalar("a", step, step)
        writer.add_text("t", "text", step)
    writer.close()
    (written,) = read_files(log)
    assert written.points["a"][-1][0] == 4  # pyright: ignore[reportAttributeAccessIssue]
    assert sum(path.read_bytes().count(b"t/text_summary") for path in log.iterdir()) == 5


def test_a_request_passes_behind_the_arrays_before_it() -> None:
    goes_on, noticed = threading.Event(), []
    arrays = ArrayQueue("folder", noticed.append)
    early, late = Request(), Request(closing=True, finished=True)
    arrays.follow(early)
    assert early.passed, "nothing was put before it"

    def slow() -> bytes:
        goes_on.wait(60)
        return b"event"

    arrays.put(Deferred(slow, 10))
    arrays.follow(late)
    assert not late.passed
    goes_on.set()
    assert until(lambda: len(arrays._ready) == 2)
    assert arrays.take() == b"event"
    assert (late.passed, arrays.take(), late.passed) == (False, None, True)
    assert arrays.unfinished == 0
    arrays.close()


def test_warnings_of_threads_are_told_by_others(caplog: pytest.LogCaptureFixture) -> None:
    warned = threading.Event()

    def work() -> None:
        complaints.warn("from a thread: %d", 1)
        warned.set()

    assert background.start(work)
    assert warned.wait(60)
    assert caplog.messages == []
    complaints.warn("from a call")
    assert caplog.messages == ["from a thread: 1", "from a call"]
    assert background.start(lambda: (complaints.warn("again"), complaints.tell_soon())[1])
    assert until(lambda: "again" in caplog.messages)


def test_a_logging_handler_that_fails_or_hangs_costs_nothing_else(log: Path) -> None:
    """As that of a stream does which a signal handler finds half written."""
    goes_on, hangs = threading.Event(), threading.Event()

    class Odd(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if "fails" in record.getMessage():
                raise RuntimeError("reentrant call")
            if threading.current_thread() is not threading.main_thread():
                hangs.set()
                goes_on.wait(60)

    handler = Odd()
    logger = logging.getLogger("stepscope.writer")
    logger.addHandler(handler)
    try:
        complaints.warn("this fails")
        assert background.start(lambda: (complaints.warn("this hangs"), complaints.tell_soon())[1])
        assert hangs.wait(60)
        with SummaryWriter(log) as writer:
            writer.add_scalar("a", 1.0, 1)
            writer.flush()
    finally:
        logger.removeHandler(handler)
        goes_on.set()


class Part:
    """What has a method that needs a part of the writer."""

    def __init__(self) -> None:
        self.left_out: list[str] = []
        self.logged: list[int] = []

    def leave_out(self, error: BaseException) -> None:
        self.left_out.append(type(error).__name__)

    @needs.needs("layout")
    def use(self, value: int) -> None:
        self.logged.append(value)

    @needs.needs("no_such_part")
    def miss(self, value: int) -> None:
        self.logged.append(value)

    @needs.needs("layout")
    def fail(self, error: Exception) -> None:
        raise error

    @needs.needs("layout")
    def import_what_cannot_be_read(self) -> None:
        import no_such_module_at_all  # noqa: F401  # pyright: ignore[reportMissingImports, reportUnusedImport]


def test_parts_are_loaded_by_a_thread_and_what_cannot_be_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    part = Part()
    monkeypatch.delitem(sys.modules, "stepscope.writer.layout", raising=False)
    part.use(1)
    part.use(2)
    assert part.logged == [1, 2]
    assert "stepscope.writer.layout" in sys.modules
    part.miss(3)
    assert part.left_out == ["ModuleNotFoundError"]
    for error in (ValueError("wrong"), FileNotFoundError("of the caller's own")):
        with pytest.raises(type(error)):
            part.fail(error)
    with pytest.raises(ModuleNotFoundError):
        part.import_what_cannot_be_read()


def test_an_import_that_the_system_refuses_costs_the_value(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "no_such_module_at_all.py").write_text("raise OSError(24, 'Too many open files')")
    monkeypatch.syspath_prepend(tmp_path)
    part = Part()
    part.import_what_cannot_be_read()
    assert part.left_out == ["OSError"]


def test_an_import_that_hangs_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    goes_on = threading.Event()
    monkeypatch.setattr(needs, "LONGEST_LOAD_SECONDS", 0.01)
    monkeypatch.setattr(needs, "import_module", lambda _: goes_on.wait(60))
    part = Part()
    part.miss(1)
    goes_on.set()
    assert (part.left_out, part.logged) == (["TimeoutError"], [])
