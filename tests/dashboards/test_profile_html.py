"""The overview as one HTML file: nothing to fetch or run, everything escaped, the page's colours, and small."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dashboards.profile_server import ProfileServer
from dashboards.saved_page import HOSTILE, Elements, saved
from stepscope.dashboards.profile.html_look import EPOCH_COLOURS, GROUP_COLOURS, HEAT_LEVELS
from stepscope.dashboards.profile.html_ranks import MOST_CELLS
from stepscope.dashboards.profile.html_words import GROUP_LABELS, LONGEST_TEXT, share_text, time_range, time_text, words

STYLE = Path(__file__).resolve().parents[2] / "web" / "src" / "style"
GROUPS = Path(__file__).resolve().parents[2] / "src" / "stepscope" / "dashboards" / "profile" / "ui" / "groups.ts"
PICTURE = """
    main     1111111111222222222233333333334444444444
    main     iiiilo    iiiilo    iiiilo    iiiilo
    gpu 0         KKKK      KKKK      KKKK      KKKK
"""


def test_a_step_that_is_not_typical_says_what_its_part_grew_by(profiles: ProfileServer) -> None:
    profiles.record("train", "worker0", """
        main     1111111111222222222233333333333333333333344444444445555555555
        main     iiiilo    iiiilo    iiiilo    iiiiiii    iiiilo    iiiilo
        gpu 0         KKKK      KKKK      KKKK                 KKKK      KKKK
    """)  # fmt: skip
    page, _ = saved(profiles)
    assert "step 3, 21 ms: +7 ms waiting for input" in Elements(page).text.replace("\u202f", " ")


def test_it_says_what_the_overview_says(profiles: ProfileServer) -> None:
    profiles.record("train", "worker0", PICTURE, K="volta_sgemm")
    page, headers = saved(profiles)
    report = profiles.report()
    text = Elements(page).text
    for part in (
        report["summary"],
        report["checked"]["text"],
        "volta_sgemm",
        *(note["text"] for note in report["data_quality"]["notes"]),
    ):
        assert part in text
    for card in [each for each in report["findings"] if each["verdict"] == "fires"][:3]:
        assert card["title"] in text
        assert card["code"] in text
        assert f"{card['wrong_when'][:1].lower()}{card['wrong_when'][1:]}" in text
    assert headers["content-type"] == "text/html; charset=utf-8"
    assert re.fullmatch(r'attachment; filename="train[\w.-]*\.html"', headers["content-disposition"])


def test_it_needs_nothing_and_runs_nothing(profiles: ProfileServer) -> None:
    profiles.record("train", "worker0", PICTURE)
    page, _ = saved(profiles)
    elements = Elements(page).found
    assert not {"script", "link", "img", "iframe", "object", "embed", "base", "form"} & {tag for tag, _ in elements}
    assert not [name for _, attributes in elements for name in attributes if name.startswith("on") or name in ("src", "href")]
    assert "url(" not in page
    assert "@import" not in page
    policy = next(found["content"] for tag, found in elements if tag == "meta" and found.get("http-equiv"))
    assert policy == "default-src 'none'; style-src 'unsafe-inline'"
    assert "prefers-color-scheme:dark" in page
    assert "@media print" in page


def test_names_of_a_recording_stay_text(profiles: ProfileServer) -> None:
    profiles.record("train", HOSTILE.replace("/", "")[:60].replace("\x1b", ""), PICTURE, K=HOSTILE, o=HOSTILE, i=HOSTILE)
    page, _ = saved(profiles)
    elements = Elements(page)
    assert "<script>alert(1)</script>" in elements.text
    assert not {"script", "img"} & {tag for tag, _ in elements.found}
    assert "\x1b" not in page
    assert "\u202e" not in page
    assert "\\u202e" in elements.text


def test_several_ranks_are_a_table(profiles: ProfileServer) -> None:
    for rank in range(2):
        profiles.record("train", f"rank{rank}", PICTURE, rank=rank)
    page, _ = saved(profiles)
    assert 'aria-label="Ranks"' in page
    assert {"rank0", "rank1"} <= set(re.findall(r"rank\d", Elements(page).text))
    assert "Most exposed operationsMean over 2 ranks." in Elements(page).text


def test_every_step_of_every_rank_is_a_cell_with_its_time(profiles: ProfileServer) -> None:
    profiles.record("train", "rank0", PICTURE, rank=0)
    profiles.record("train", "rank1", PICTURE, rank=1, unit=2_000_000)
    page, _ = saved(profiles)
    titles = [title.replace("\u202f", " ") for title in re.findall(r"<title>(.*?)</title></rect>", page)]
    assert titles[:2] == ["rank0, step 1: 10 ms, 0% communication", "rank0, step 2: 10 ms, 0% communication"]
    assert titles[4:5] == ["rank1, step 1: 20 ms, 0% communication"]
    assert len(titles) == 8
    levels = re.findall(r'class="heat(\d)"', page)
    assert levels == ["0"] * 4 + [str(HEAT_LEVELS - 1)] * 4
    assert page.count('class="outlined"') == 1, "the slowest"
    assert "rank1 is the slowest" in Elements(page).text


def test_what_a_step_waits_for_others_is_a_line_in_its_cell(profiles: ProfileServer) -> None:
    profiles.record("train", "rank0", PICTURE.replace("KKKK", "KCCC"), rank=0)
    profiles.record("train", "rank1", PICTURE, rank=1)
    page, _ = saved(profiles)
    assert "rank0, step 1: 10 ms, 30% communication" in page.replace("\u202f", " ")
    cell = re.search(r'<rect class="heat\d" x="64.0" y="0.0" width="([\d.]+)"', page)
    line = re.search(r'<path class="time-communication" d="M64.0 [\d.]+h([\d.]+)v', page)
    assert cell is not None
    assert line is not None
    assert float(line[1]) == pytest.approx(0.3 * float(cell[1]), abs=0.01)
    assert "wait for rank1." in Elements(page).text


def test_no_rank_is_the_slowest_among_equals(profiles: ProfileServer) -> None:
    for rank in range(2):
        profiles.record("train", f"rank{rank}", PICTURE, rank=rank)
    page, _ = saved(profiles)
    assert "is the slowest" not in Elements(page).text
    assert 'class="outlined"' not in page
    assert "0.1%" in Elements(page).text


def test_in_what_ranks_differ_comes_first(profiles: ProfileServer) -> None:
    profiles.record("train", "rank0", PICTURE)
    profiles.record("train", "rank1", f"{PICTURE.rstrip()}".replace("4444444444", "444444444455555"))
    page, _ = saved(profiles)
    text = Elements(page).text
    assert "steps4 on 1 rank, 5 on 1 rank" in text
    assert text.index("steps4 on 1 rank") < text.index("Step time is")


@pytest.mark.slow
def test_a_map_of_many_ranks_and_steps_is_bounded(profiles: ProfileServer) -> None:
    steps = "".join(str(step % 10) * 2 for step in range(300))
    for rank in range(80):
        profiles.record("train", f"rank{rank}", f"main  {steps}\nmain  {'il' * 300}\ngpu 0 {' K' * 300}", rank=rank)
    page, _ = saved(profiles)
    cells = page.count("</title></rect>")
    assert MOST_CELLS / 2 < cells <= MOST_CELLS
    assert "A cell is the longest of 4 steps." in page
    assert len(page) < 1_500_000


def test_a_range_is_said(profiles: ProfileServer) -> None:
    profiles.record("train", "worker0", PICTURE)
    page, _ = saved(profiles, range="2:4")
    assert "steps 2 to 3" in Elements(page).text


def test_a_thousand_steps_are_small(profiles: ProfileServer) -> None:
    steps = "".join(str(step % 10) * 4 for step in range(1200))
    profiles.record("train", "worker0", f"main  {steps}\nmain  {'iilo' * 1200}\ngpu 0 {'   K' * 1200}")
    page, _ = saved(profiles)
    assert len(page) < 200_000
    assert "a column is the longest of 3" in page


def test_colours_and_labels_are_the_pages() -> None:
    css = "".join(path.read_text() for path in STYLE.glob("*.css"))
    for group, colours in GROUP_COLOURS.items():
        found = re.search(rf"--time-{group.replace('_', '-')}: light-dark\((#\w+), (#\w+)\)", css)
        assert found is not None
        assert found.groups() == colours
    tokens = {"train": "run-0", "first_step": "run-5", "validation": "run-4", "checkpoint": "run-1", "between": "line-strong"}
    for part, token in tokens.items():
        found = re.search(rf"--{token}: light-dark\((#\w+), (#\w+)\)", css)
        assert found is not None
        assert found.groups() == EPOCH_COLOURS[part]
    assert dict(re.findall(r"group: '(\w+)',\s+label: '([^']+)'", GROUPS.read_text())) == GROUP_LABELS


@pytest.mark.parametrize(
    ("ms", "text"),
    [(0, "0"), (177.443, "177 ms"), (1234.5, "1.23 s"), (0.0005, "500 ns"), (0.05, "50 µs"), (999.9, "1 s"), (5e9, "5,000,000 s")],
)
def test_times(ms: float, text: str) -> None:
    assert time_text(ms).replace("\u202f", " ") == text


def test_ranges_shares_and_cut_names() -> None:
    assert time_range(7, 9).replace("\u202f", " ") == "7–9 ms"
    assert time_range(0.5, 9).replace("\u202f", " ") == "500 µs–9 ms"
    assert [share_text(share).replace("\u202f", " ") for share in (0, 0.0001, 0.052, 0.33)] == ["0%", "under 0.1%", "5.2%", "33%"]
    assert len(words("x" * 10_000)) == LONGEST_TEXT + 1
    assert words("a\nb") == "a\\nb"
    assert words("a\nb", lines=True) == "a\nb"
