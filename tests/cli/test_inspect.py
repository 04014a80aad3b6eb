"""`stepscope inspect`: the sums, the table, and what is wrong."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable

from log_folder import LogFolder

Run = Callable[..., subprocess.CompletedProcess[str]]


def test_the_sums(verbs: Run, folder: LogFolder) -> None:
    sizes = [folder.write(f"r{place}", {"loss": [1, 2, 3], "acc": [1]}).stat().st_size for place in range(3)]
    got = json.loads(verbs("inspect", folder.path, "--json").stdout)
    seconds = got.pop("load_seconds")
    assert 0 < seconds < 30
    assert got == {"runs": 3, "series": 6, "points": 12, "files": 3, "bytes": sum(sizes), "skipped_records": 0, "health": []}


def test_the_table(verbs: Run, folder: LogFolder) -> None:
    folder.write("long/name", {"loss": [1.0] * 1234})
    folder.write("b", {"acc": [1]})
    text = verbs("inspect", folder.path).stdout
    assert text.startswith("2 runs, 2 series, 1,235 points in 2 files of ")
    assert "long/name       1   1,234      1" in text
    assert re.search(r"^Health: all .*good\.$", text, re.MULTILINE)


def test_points_are_scalars_in_the_sum_and_in_the_table(verbs: Run, folder: LogFolder) -> None:
    folder.write("one", {"loss": [1, 2, 3]}, others={"samples": "images", "notes": "text"})
    folder.write("two", {"loss": [1, 2]})
    folder.write("two", {"loss": [3]}, start=2e9, file="events.out.tfevents.2", others={"notes": "text"})
    assert json.loads(verbs("inspect", folder.path, "--json").stdout)["points"] == 6
    first, _, *rows = verbs("inspect", folder.path).stdout.splitlines()
    assert re.match(r"2 runs, 5 series, 6 points and 3 other values in 3 files ", first)
    assert [row.split()[:5] for row in rows[:3]] == [
        ["run", "series", "points", "others", "files"],
        ["one", "3", "3", "2", "1"],
        ["two", "2", "3", "1", "2"],
    ]
    assert "two       1       3      2" in verbs("inspect", folder.path, "--tag", "loss").stdout


def test_damage_is_told_with_its_file(verbs: Run, folder: LogFolder) -> None:
    path = folder.write("a", {"loss": [1, 2, 3]})
    data = bytearray(path.read_bytes())
    data[-2] ^= 1
    path.write_bytes(data)
    got = json.loads(verbs("inspect", folder.path, "--json").stdout)
    assert (got["skipped_records"], got["points"]) == (1, 2)
    (row,) = got["health"]
    assert (row["file"], row["skipped"], row["state"]) == (str(path), 1, "damaged")
    assert row["reason"]
    text = verbs("inspect", folder.path).stdout
    assert re.search(r"^Health: 1 \D*skipped", text, re.MULTILINE)
    assert str(path) in text


def test_verify_checks_large_records_too(verbs: Run, folder: LogFolder) -> None:
    from stepscope._native import EventEncoder

    def field(number: int, data: bytes) -> bytes:
        size, length = len(data), bytearray()
        while size > 0x7F:
            length.append(size & 0x7F | 0x80)
            size >>= 7
        return bytes([number << 3 | 2]) + bytes(length + bytes([size])) + data

    encoder = EventEncoder()
    encoder.add_file_version(0.0, b"test")
    picture = field(4, field(4, b"\x89PNG" + bytes(300_000)))
    encoder.add_event(field(5, field(1, field(1, b"image") + picture)))
    data = bytearray(encoder.take())
    data[len(data) // 2] ^= 1
    path = folder.path / "events.out.tfevents.1"
    path.write_bytes(data)
    assert json.loads(verbs("inspect", folder.path, "--json").stdout)["skipped_records"] == 0
    got = json.loads(verbs("inspect", folder.path, "--json", "--verify").stdout)
    assert (got["verified"], got["skipped_records"], got["health"][0]["file"]) == (True, 1, str(path))


def test_one_tag_or_one_file(verbs: Run, folder: LogFolder) -> None:
    path = folder.write("a", {"loss": [1, 2]})
    folder.write("b", {"acc": [1]})
    text = verbs("inspect", folder.path, "--tag", "loss").stdout
    assert ("\na  " in text, "\nb  " in text) == (True, False)
    assert json.loads(verbs("inspect", path, "--json").stdout)["points"] == 2
    assert "1 run," in verbs("--inspect", "--event_file", path).stdout
    assert "2 runs," in verbs("--inspect", "--logdir", folder.path).stdout


def test_an_empty_folder(verbs: Run, folder: LogFolder) -> None:
    text = verbs("inspect", folder.path).stdout
    assert text.startswith("0 runs, ")
    assert "No event files" in text


def test_names_cannot_move_the_cursor(verbs: Run, folder: LogFolder) -> None:
    folder.write("a\x1b[2Jb", {"loss": [1]})
    text = verbs("inspect", folder.path).stdout
    assert "\x1b" not in text
    assert "a\\x1b[2Jb" in text
