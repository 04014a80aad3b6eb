"""The call tree of an area: calls with the same names around them are one row, outwards and inwards."""

from __future__ import annotations

from collections import defaultdict

from hypothesis import given
from hypothesis import strategies as st

from session.drawn_sessions import analysed, drawn
from stepscope.analyses.timeline.calls import call_tree
from stepscope.analyses.timeline.cut import cut_spans, owning_tracks
from stepscope.model.profile import NONE, Profile
from stepscope.session.analysed import AnalysedSession
from stepscope.session.parts.calls import CALLS, CallsFound, CallsWanted
from stepscope.session.trace_window import trace_groups

PICTURE = """
    main     1111111111
    main     pppppppp..
    main     .ooo.oo.oo
    main     ..l......l
"""

Path = tuple[str, ...]


def asked(session: AnalysedSession, start_ms: float, end_ms: float, *, bottom_up: bool = False) -> CallsFound:
    return CALLS.make(session, CallsWanted(start_us=start_ms * 1e3, end_us=end_ms * 1e3, tracks="0", bottom_up=bottom_up))


def paths(found: CallsFound) -> dict[Path, tuple[int, float, float]]:
    """Count, wall and self time of each row by the names from the top to it."""
    named: list[Path] = []
    for row in found.rows:
        named.append((*named[row.parent], row.name) if row.parent is not None else (row.name,))
        assert row.level == len(named[-1]) - 1
    return {path: (row.count, row.wall_us, row.self_us) for path, row in zip(named, found.rows, strict=True)}


def test_calls_of_one_name_at_one_place_are_one_row() -> None:
    found = asked(drawn(PICTURE), 0, 10)
    step, p = "ProfilerStep#1", "p"
    assert paths(found) == {
        (step,): (1, 10_000, 0),
        (step, p): (1, 8_000, 3_000),
        (step, "o"): (1, 2_000, 1_000),
        (step, p, "o"): (2, 5_000, 4_000),
        (step, p, "o", "l"): (1, 1_000, 1_000),
        (step, "o", "l"): (1, 1_000, 1_000),
    }
    assert found.total_us == 10_000
    assert [row.share for row in found.rows][:2] == [1.0, 0.8]


def test_from_the_innermost_call_outwards_time_is_self_time() -> None:
    found = asked(drawn(PICTURE), 0, 10, bottom_up=True)
    step = "ProfilerStep#1"
    assert {path: wall for path, (_, wall, _) in paths(found).items()} == {
        ("o",): 5_000,
        ("p",): 3_000,
        ("l",): 2_000,
        ("o", "p"): 4_000,
        ("o", step): 1_000,
        ("p", step): 3_000,
        ("l", "o"): 2_000,
        ("o", "p", step): 4_000,
        ("l", "o", "p"): 1_000,
        ("l", "o", step): 1_000,
        ("l", "o", "p", step): 1_000,
    }
    assert found.total_us == 10_000


def test_spans_are_cut_at_the_edges_of_the_area() -> None:
    assert paths(asked(drawn(PICTURE), 2, 3))[("ProfilerStep#1", "p", "o", "l")] == (1, 1_000, 1_000)
    assert paths(asked(drawn(PICTURE), 4, 5)) == {("ProfilerStep#1",): (1, 1_000, 0), ("ProfilerStep#1", "p"): (1, 1_000, 1_000)}
    assert asked(drawn(PICTURE), 20, 30).rows == []


def slow_tree(profile: Profile, window: tuple[int, int]) -> dict[Path, list[int]]:
    """Count, wall and self time by path, one span after the other."""
    spans, found = profile.spans, defaultdict[Path, list[int]](lambda: [0, 0, 0])
    cut = cut_spans(profile, owning_tracks(profile), window)
    for place, row in enumerate(cut.rows.tolist()):
        path: list[str] = []
        at = row
        while at != NONE:
            path.append(profile.names[int(spans.name[at])])
            at = int(spans.parent[at])
        sums = found[tuple(reversed(path))]
        sums[0] += 1
        sums[1] += int(cut.wall[place])
        sums[2] += int(cut.own[place])
    return found


LINES = st.lists(st.text(alphabet="pol.", min_size=12, max_size=12), min_size=1, max_size=5)


@given(LINES, st.integers(0, 11), st.integers(1, 12))
def test_any_nesting_sums_up_as_one_by_one(lines: list[str], start: int, length: int) -> None:
    session = analysed(drawn("\n".join(f"main     {line}" for line in ["1" * 12, *lines])).profiles[0])
    profile, window = session.profiles[0], (start * 1_000_000, (start + length) * 1_000_000)
    tree = call_tree(profile, trace_groups(session), owning_tracks(profile), window)
    named: list[Path] = []
    for node in tree.nodes:
        named.append((*named[node.parent], profile.names[node.name]) if node.parent != NONE else (profile.names[node.name],))
    got = {path: [node.count, node.wall_ns, node.self_ns] for path, node in zip(named, tree.nodes, strict=True)}
    assert got == {path: sums for path, sums in slow_tree(profile, window).items() if sums[1] > 0}
    assert sum(node.self_ns for node in tree.nodes) == tree.total_ns
