"""Recordings of few steps: headline, parts and tables speak of the same steps, and what the first of them may hold is said."""

from __future__ import annotations

import pytest

from analyses.timeline import MS, timeline
from opened_profiles import open_profile
from sample_files import SAMPLES, needs_samples
from stepscope.analyses.session.summary import Summary, summarise

WITHOUT = "without the first of 3 steps"


def summary(picture: str) -> Summary:
    return summarise([timeline(picture)])


def test_of_three_steps_the_sentence_says_that_the_first_is_left_out() -> None:
    found = summary("""
        main   111111112222233333
        main   ppppl   l....l....
        gpu 0       KKK KKKK KKKK
    """)
    assert all(value in found.sentence for value in ("5 ms", WITHOUT, "80%"))
    assert (found.median_ns, found.typical_ns, float(found.parts.sum())) == (5 * MS, 5 * MS, 5 * MS)
    assert found.first_step_note


def test_a_first_step_like_the_others_is_worth_no_word() -> None:
    found = summary("""
        main   111112222233333
        main   l....l....l....
        gpu 0   KKKK KKKK KKKK
    """)
    assert "is 5 ms;" in found.sentence
    assert (found.first_step_note, found.quality.typical_steps) == ("", 3)


def test_of_two_steps_that_differ_the_first_is_in_the_mean_and_that_is_said() -> None:
    found = summary("""
        main   1111111122222
        main   ppppl   l....
        gpu 0       KKK KKKK
    """)
    assert all(value in found.sentence for value in ("6.5 ms", "mean of 2 steps"))
    assert found.median_ns == found.typical_ns == 6.5 * MS


def test_typical_steps_that_differ_widely_are_doubted() -> None:
    found = summary("""
        main   1122222222223333333333334
        main   l.l.........l...........l
        gpu 0   K KKKKKKKKK KKKKKKKKKKK
        """)
    assert any("1 ms to 12 ms" in each for each in found.quality.weak)
    alike = summary("""
        main   111112222233333
        main   l....l....l....
        gpu 0   KKKK KKKK KKKK
    """)
    assert alike.quality.weak == ()


@needs_samples
def test_a_recording_of_three_steps_on_amd() -> None:
    # Steps of 49.1, 19.0 and 18.6 ms: the mean of all would be 28.9.
    found = summarise(open_profile(str(SAMPLES / "kineto/tracelens/mi300/resnet_act_checkpoint.json.gz")))
    assert found.breakdowns[0].typical == (1, 2)
    assert all(value in found.sentence for value in ("18.8 ms", WITHOUT))
    assert found.typical_ns / 1e6 == pytest.approx(18.8, abs=0.05)
    assert found.median_ns / 1e6 == pytest.approx(18.98, abs=0.01), "of all steps"


def test_the_longer_of_two_step_times_is_named_first_where_estimates_start_from_it() -> None:
    found = summarise([timeline("main  111111111122222222223333333333\nmain  oooooooooooooooooooooooooooooo")])
    longer, shorter = found.sentence_with(12 * MS), found.sentence_with(8 * MS)
    assert longer.index("12 ms") < longer.index("10 ms")
    assert shorter.index("10 ms") < shorter.index("8 ms")
