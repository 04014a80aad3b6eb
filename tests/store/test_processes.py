"""Whether a process still runs: this one, one that has ended, and one that only has the number of an older one."""

from __future__ import annotations

import os
import subprocess
import sys
import time

from stepscope.store.processes import still_runs, this_host


def test_a_process_runs_until_it_has_ended() -> None:
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    assert still_runs(child.pid, time.time()) is True
    child.communicate(b"\n")
    assert still_runs(child.pid, time.time()) is False


def test_a_process_that_began_later_is_another_one() -> None:
    assert still_runs(os.getpid(), time.time()) is True
    if sys.platform == "linux":
        assert still_runs(os.getpid(), time.time() - 1e6) is False


def test_a_number_that_no_process_can_have_says_nothing() -> None:
    assert [still_runs(pid, time.time()) for pid in (0, -1, 1 << 31, 10**30)] == [None] * 4


def test_this_host_is_what_files_are_named_by() -> None:
    assert this_host() == os.uname().nodename
