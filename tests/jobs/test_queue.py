"""The queue of jobs with real threads: joining, cancelling, leases, errors, fairness, and what is kept."""

from __future__ import annotations

import gc
import threading
import time
import weakref
from collections.abc import Callable, Iterator

import pytest

from stepscope.jobs import job as job_module
from stepscope.jobs import queue as queue_module
from stepscope.jobs.job import Cancelled, Job, Progress, State
from stepscope.jobs.queue import JobQueue
from stepscope.model.errors import BadInput, NotThere, TooMuch

LONG = 60.0
"""Seconds to wait for what must come; reached only when it does not."""


@pytest.fixture
def queue() -> Iterator[JobQueue]:
    made = JobQueue()
    yield made
    made.close()


class Clock:
    """The clock by which leases run out, in the hands of a test: a busy machine must not end one."""

    def __init__(self) -> None:
        self.now = 1000.0

    def monotonic(self) -> float:
        return self.now

    def time(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(job_module, "time", made)
    return made


class Gate:
    """Work that says when it began, and goes on when it is let."""

    def __init__(self) -> None:
        self.began = threading.Event()
        self.go = threading.Event()

    def __call__(self, job: Job[str]) -> str:
        self.began.set()
        assert self.go.wait(LONG)
        job.checkpoint()
        return "made"


def until_told_to_stop(began: threading.Event) -> Callable[[Job[None]], None]:
    """Work that only ends at a checkpoint."""

    def work(job: Job[None]) -> None:
        began.set()
        while True:
            job.checkpoint()
            time.sleep(0.001)

    return work


def test_a_job_gives_its_result(queue: JobQueue) -> None:
    job = queue.submit("sum", "Add", lambda _: 1 + 2)
    assert job.wait(LONG)
    assert (job.state, job.result()) == (State.DONE, 3)


def test_a_job_at_work_has_no_result(queue: JobQueue) -> None:
    gate = Gate()
    job = queue.submit("a", "Wait", gate)
    assert not job.wait(0)
    with pytest.raises(RuntimeError):
        job.result()
    gate.go.set()
    assert job.wait(LONG)


def test_progress_is_what_was_reported_last(queue: JobQueue) -> None:
    reported, go = threading.Event(), threading.Event()

    def work(job: Job[None]) -> None:
        job.report(1, 8, "files")
        job.report(3, 8, "files", "Reading", detail={"bytes": 12})
        reported.set()
        go.wait(LONG)

    job = queue.submit("read", "Read", work)
    assert reported.wait(LONG)
    assert job.progress == Progress(3, 8, "files", "Reading", {"bytes": 12})
    assert job.state is State.RUNNING
    go.set()


def test_the_same_key_joins_and_runs_once(queue: JobQueue) -> None:
    gate, ran = Gate(), list[int]()

    def work(job: Job[str]) -> str:
        ran.append(1)
        return gate(job)

    first = queue.submit("k", "Make", work)
    second = queue.submit("k", "Make", work)
    assert first is second
    results: list[str] = []
    askers = [threading.Thread(target=lambda: results.append(first.result() if first.wait(LONG) else "late")) for _ in range(2)]
    for asker in askers:
        asker.start()
    gate.go.set()
    for asker in askers:
        asker.join(LONG)
    assert (results, ran) == (["made", "made"], [1])
    assert queue.submit("k", "Make", work) is first, "a result is kept"


def test_no_key_never_joins(queue: JobQueue) -> None:
    assert queue.submit(None, "A", lambda _: 1) is not queue.submit(None, "A", lambda _: 1)


def test_cancelling_a_queued_job_never_runs_it() -> None:
    queue = JobQueue(workers=1, background=1)
    gate, ran = Gate(), threading.Event()
    running = queue.submit("a", "A", gate)
    waiting = queue.submit("b", "B", lambda _: ran.set())
    assert gate.began.wait(LONG)
    queue.cancel(waiting.id, "")
    assert waiting.wait(0)
    assert waiting.state is State.CANCELLED
    gate.go.set()
    assert running.wait(LONG)
    after = queue.submit("c", "C", lambda _: 1)
    assert after.wait(LONG)
    assert not ran.is_set()
    queue.close()


def test_cancelling_a_running_job_stops_it_at_its_next_checkpoint(queue: JobQueue) -> None:
    began = threading.Event()
    job = queue.submit("a", "A", until_told_to_stop(began))
    assert began.wait(LONG)
    queue.cancel(job.id, "")
    assert job.wait(LONG)
    assert job.state is State.CANCELLED
    with pytest.raises(Cancelled):
        job.result()


def test_work_cancelled_after_its_last_checkpoint_is_cancelled_and_its_result_closed(queue: JobQueue) -> None:
    class File:
        closed = threading.Event()

        def close(self) -> None:
            self.closed.set()

    began, go = threading.Event(), threading.Event()

    def work(_: Job[File]) -> File:
        began.set()
        go.wait(LONG)
        return File()

    job = queue.submit("a", "A", work)
    assert began.wait(LONG)
    queue.cancel(job.id, "")
    go.set()
    assert job.wait(LONG)
    assert job.state is State.CANCELLED
    assert File.closed.wait(LONG)


@pytest.mark.parametrize("fails", [False, True])
def test_cancelling_a_finished_job_changes_nothing(queue: JobQueue, fails: bool) -> None:
    job = queue.submit("a", "A", _refuse if fails else lambda _: 7)
    assert job.wait(LONG)
    state = job.state
    queue.cancel(job.id, "")
    assert job.state is state
    assert state is (State.FAILED if fails else State.DONE)


def test_asking_again_after_a_cancel_starts_anew(queue: JobQueue) -> None:
    began = threading.Event()
    job = queue.submit("a", "A", until_told_to_stop(began))
    assert began.wait(LONG)
    queue.cancel(job.id, "")
    again = queue.submit("a", "A", lambda _: None)  # at once: the cancelled one may still be at work
    assert again is not job
    assert again.wait(LONG)
    assert again.state is State.DONE


def test_one_of_two_owners_leaves_the_job_to_the_other(queue: JobQueue) -> None:
    gate = Gate()
    job = queue.submit("a", "A", gate, owner="ann")
    assert queue.submit("a", "A", gate, owner="bob") is job
    queue.cancel(job.id, "ann")
    assert queue.listed("ann") == []
    assert queue.listed("bob") == [job]
    gate.go.set()
    assert job.wait(LONG)
    assert job.result() == "made"


def test_somebody_elses_job_is_not_there(queue: JobQueue) -> None:
    job = queue.submit("a", "A", lambda _: 1, owner="ann")
    for ask in (queue.find, queue.cancel):
        with pytest.raises(NotThere):
            ask(job.id, "bob")


def test_work_that_nobody_asks_for_is_abandoned(queue: JobQueue, clock: Clock) -> None:
    began = threading.Event()
    job = queue.submit("a", "A", until_told_to_stop(began), lease=3)
    assert began.wait(LONG)
    clock.now += 4
    deadline = time.monotonic() + LONG
    while job.state is State.RUNNING and time.monotonic() < deadline:
        time.sleep(0.01)
    assert job.state is State.CANCELLED
    assert queue.submit("a", "A", lambda _: None, lease=3) is not job


def test_queued_work_that_nobody_asks_for_is_never_begun(clock: Clock) -> None:
    queue = JobQueue(workers=1, background=1)
    gate, ran = Gate(), threading.Event()
    queue.submit("a", "A", gate)
    assert gate.began.wait(LONG)
    left = queue.submit("b", "B", lambda _: ran.set(), lease=3)
    clock.now += 4
    gate.go.set()
    assert queue.submit("c", "C", lambda _: 1).wait(LONG)
    assert left.state is State.CANCELLED
    assert not ran.is_set()
    queue.close()


def test_asking_keeps_the_lease(queue: JobQueue, clock: Clock) -> None:
    began = threading.Event()
    job = queue.submit("a", "A", until_told_to_stop(began), lease=3)
    assert began.wait(LONG)
    for _ in range(4):
        clock.now += 2
        assert queue.submit("a", "A", until_told_to_stop(began), lease=3) is job
    assert (job.state, job.lapsed) == (State.RUNNING, False)
    clock.now += 4
    deadline = time.monotonic() + LONG
    while job.state is State.RUNNING and time.monotonic() < deadline:
        time.sleep(0.001)
    assert job.state is State.CANCELLED


def test_waiting_keeps_the_lease(queue: JobQueue, clock: Clock) -> None:
    gate = Gate()
    job = queue.submit("a", "A", gate, lease=3)
    waiter = threading.Thread(target=job.wait, args=(LONG,))
    waiter.start()
    while not job._waiting:
        time.sleep(0.001)
    clock.now += 100
    assert not job.lapsed
    gate.go.set()
    waiter.join(LONG)
    assert job.result() == "made"


def test_watching_keeps_the_lease_and_tells_the_end(queue: JobQueue, clock: Clock) -> None:
    gate, told = Gate(), threading.Event()
    job = queue.submit("a", "A", gate, lease=3)
    leave = job.watch(told.set)
    assert gate.began.wait(LONG)
    clock.now += 100
    assert not job.lapsed
    assert not told.is_set()
    gate.go.set()
    assert told.wait(LONG)
    assert job.result() == "made"
    leave()
    again = threading.Event()
    job.watch(again.set)()
    assert again.is_set(), "a finished job tells at once"


def _refuse(_: Job[int]) -> int:
    raise BadInput("No.", "no")


def test_an_error_reaches_everybody_who_waits_and_is_then_forgotten(queue: JobQueue) -> None:
    go = threading.Event()

    def work(_: Job[int]) -> int:
        go.wait(LONG)
        raise BadInput("No.", "no")

    job = queue.submit("a", "A", work)
    seen: list[str] = []

    def ask() -> None:
        assert job.wait(LONG)
        try:
            job.result()
        except BadInput as problem:
            seen.append(problem.code)

    askers = [threading.Thread(target=ask) for _ in range(2)]
    for asker in askers:
        asker.start()
    while job.idle_for:  # until somebody is waiting
        time.sleep(0.001)
    go.set()
    for asker in askers:
        asker.join(LONG)
    assert seen == ["no", "no"]
    again = queue.submit("a", "A", lambda _: 5)
    assert again.wait(LONG)
    assert again.result() == 5


def test_an_error_between_two_polls_is_reported_once(queue: JobQueue) -> None:
    job = queue.submit("a", "A", _refuse)
    while job.state is not State.FAILED:
        time.sleep(0.001)
    polled = queue.submit("a", "A", _refuse)
    assert polled is job
    with pytest.raises(BadInput):
        polled.result()
    assert queue.submit("a", "A", lambda _: 5) is not job


def test_an_old_error_that_nobody_saw_does_not_meet_the_next_asker(queue: JobQueue, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue_module, "ERROR_SECONDS", 0.0)
    job = queue.submit("a", "A", _refuse)
    while job.state is not State.FAILED:
        time.sleep(0.001)
    time.sleep(0.01)
    assert queue.submit("a", "A", lambda _: 5) is not job


def test_an_unexpected_error_fails_the_job_and_not_the_worker(queue: JobQueue) -> None:
    for _ in range(10):
        job = queue.submit(None, "A", lambda _: [][1])
        assert job.wait(LONG)
        assert isinstance(job.error, IndexError)
    assert queue.submit(None, "B", lambda _: 1).wait(LONG)


def test_owners_take_turns() -> None:
    queue = JobQueue(workers=1, background=1)
    gate, order = Gate(), list[str]()
    queue.submit(None, "first", gate, owner="ann")
    assert gate.began.wait(LONG)
    jobs = [queue.submit(None, "many", lambda _: order.append("ann"), owner="ann") for _ in range(3)]
    jobs += [queue.submit(None, "few", lambda _: order.append("bob"), owner="bob") for _ in range(2)]
    gate.go.set()
    assert all(job.wait(LONG) for job in jobs)
    assert order == ["bob", "ann", "bob", "ann", "ann"]
    queue.close()


def test_leased_work_goes_first_and_background_leaves_it_a_worker() -> None:
    queue = JobQueue(workers=2, background=1)
    gate, ran = Gate(), threading.Event()
    queue.submit(None, "export", gate)
    assert gate.began.wait(LONG)
    waiting = queue.submit(None, "another export", lambda _: ran.set())
    asked = queue.submit(None, "read", lambda _: 1, lease=LONG)
    assert asked.wait(LONG)
    assert not ran.is_set()
    gate.go.set()
    assert waiting.wait(LONG)
    queue.close()


def test_too_many_waiting_jobs_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue_module, "MOST_QUEUED", 3)
    monkeypatch.setattr(queue_module, "MOST_QUEUED_OF_ONE", 2)
    queue = JobQueue(workers=1, background=1)
    gate = Gate()
    queue.submit(None, "A", gate, owner="ann")
    assert gate.began.wait(LONG)
    for _ in range(2):
        queue.submit(None, "A", lambda _: 1, owner="ann")
    with pytest.raises(TooMuch):
        queue.submit(None, "A", lambda _: 1, owner="ann")
    queue.submit(None, "B", lambda _: 1, owner="bob")
    with pytest.raises(TooMuch):
        queue.submit(None, "B", lambda _: 1, owner="bob")
    gate.go.set()
    queue.close()


class Large:
    """A result whose end can be seen."""

    def __init__(self, closed: list[int]) -> None:
        self._closed = closed

    def close(self) -> None:
        self._closed.append(1)


def _made(job: Job[Large]) -> weakref.ref[Large]:
    assert job.wait(LONG)
    return weakref.ref(job.result())


@pytest.mark.slow
def test_only_so_many_results_are_kept_and_those_dropped_are_closed() -> None:
    queue = JobQueue(kept=3)
    closed: list[int] = []
    seen: list[weakref.ref[Large]] = []
    for place in range(8):
        seen.append(_made(queue.submit(place, "Make", lambda _: Large(closed))))
    queue.listed("")
    gc.collect()
    assert sum(one() is not None for one in seen) == 3
    assert len(closed) == 5
    assert len(queue.listed("")) == 3
    queue.close()
    assert len(closed) == 8


def test_results_that_are_not_kept_push_no_other_out() -> None:
    queue = JobQueue(kept=2)
    closed: list[int] = []
    kept = queue.submit("kept", "Read", lambda _: "read", lease=LONG)
    assert kept.wait(LONG)
    for place in range(20):
        tile = queue.submit(("tile", place), "Draw", lambda _: Large(closed), lease=LONG, keep=False)
        assert tile.wait(LONG)
        assert isinstance(tile.result(), Large)
        assert queue.submit(("tile", place), "Draw", lambda _: Large(closed), lease=LONG, keep=False) is not tile
    assert queue.submit("kept", "Read", lambda _: "again", lease=LONG) is kept
    assert closed == [], "whoever was told has the result"
    queue.close()


def test_a_result_that_is_not_kept_is_told_to_the_next_poll(queue: JobQueue) -> None:
    job = queue.submit("tile", "Draw", lambda _: 1, lease=LONG, keep=False)
    while job.state is not State.DONE:
        time.sleep(0.001)
    polled = queue.submit("tile", "Draw", lambda _: 2, lease=LONG, keep=False)
    assert (polled is job, polled.result()) == (True, 1)
    assert queue.submit("tile", "Draw", lambda _: 2, lease=LONG, keep=False) is not job


def test_old_results_go_without_anybody_asking() -> None:
    queue = JobQueue(keep_seconds=0.05)
    closed: list[int] = []
    assert queue.submit("a", "Make", lambda _: Large(closed)).wait(LONG)
    deadline = time.monotonic() + LONG
    while not closed and time.monotonic() < deadline:
        time.sleep(0.01)
    assert closed == [1]
    queue.close()


def test_what_the_work_refers_to_is_let_go_when_it_ends(queue: JobQueue) -> None:
    class Input:
        pass

    given = Input()
    seen = weakref.ref(given)
    job = queue.submit("a", "A", lambda _, held=given: held is not None)
    assert job.wait(LONG)
    del given
    deadline = time.monotonic() + LONG
    while seen() is not None and time.monotonic() < deadline:
        gc.collect()
    assert seen() is None
    assert job.result()


def test_leased_jobs_are_not_in_the_list_unless_asked(queue: JobQueue) -> None:
    shown = queue.submit("a", "A", lambda _: 1)
    queue.submit("b", "B", lambda _: 1, lease=1.0)
    both = queue.submit("c", "C", lambda _: 1, lease=1.0, listed=True)
    assert queue.listed("") == [shown, both]


def test_listeners_hear_every_change_until_they_leave(queue: JobQueue) -> None:
    heard: list[int] = []
    leave = queue.listen(lambda: heard.append(1))
    job = queue.submit("a", "A", lambda job: job.report(1, 2))
    assert job.wait(LONG)
    deadline = time.monotonic() + LONG
    while len(heard) < 4 and time.monotonic() < deadline:
        time.sleep(0.001)
    assert len(heard) == 4  # queued, running, one report, done
    leave()
    assert queue.submit("b", "B", lambda _: 1).wait(LONG)
    assert len(heard) == 4


def test_closing_cancels_everything_and_takes_no_more() -> None:
    queue = JobQueue(workers=1, background=1)
    began = threading.Event()
    running = queue.submit("a", "A", until_told_to_stop(began))
    waiting = queue.submit("b", "B", lambda _: 1)
    assert began.wait(LONG)
    queue.close()
    assert running.wait(LONG)
    assert (running.state, waiting.state) == (State.CANCELLED, State.CANCELLED)
    with pytest.raises(TooMuch):
        queue.submit("c", "C", lambda _: 1)


def test_many_askers_of_few_keys_all_get_their_result(queue: JobQueue) -> None:
    wrong: list[object] = []

    def ask(place: int) -> None:
        for turn in range(50):
            number = (place + turn) % 7
            job = queue.submit(("square", number), "Square", lambda _, number=number: number * number, lease=5.0, owner=str(place))
            if not job.wait(LONG) or job.result() != number * number:
                wrong.append((place, turn))

    askers = [threading.Thread(target=ask, args=(place,)) for place in range(8)]
    for asker in askers:
        asker.start()
    for asker in askers:
        asker.join(LONG)
    assert wrong == []
