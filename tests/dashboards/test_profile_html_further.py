"""Throughput, epochs, requests and a TPU's parts in the report as one HTML file: where there are any, and escaped."""

from __future__ import annotations

import re
from pathlib import Path

from analyses.request_profiles import served
from analyses.timeline import MS, Timeline
from analyses.tpu_files import tpu_profile
from dashboards.epoch_profiles import log_epochs, two_epochs
from dashboards.profile_server import ProfileServer
from dashboards.saved_page import HOSTILE, Elements, saved
from stepscope.analyses.throughput.epochs import Epoch
from stepscope.dashboards.profile.html_throughput import MOST_COLUMNS, MOST_ROWS, epochs_of
from stepscope.model.profile import Profile, SpanKind
from stepscope.session.epoch_rows import epoch_times
from stepscope.session.parts.throughput import Throughput
from stepscope.session.report.rates import Rates

PICTURE = "main  11112222\nmain  oooooooo"


def text_of(page: str) -> str:
    return Elements(page).text.replace("\u202f", " ")


def test_rates_with_what_the_user_says(profiles: ProfileServer) -> None:
    profiles.put("train", "worker0", two_epochs)
    page, _ = saved(profiles, batch=32, tokens=128)
    text = text_of(page)
    assert "100 steps/s · 3,200 examples/s · 409,600 tokens/s" in text
    assert "Examples3,200/sbatch size 32 as entered" in text
    assert "To devices105 MB/scopies from host to device" in text


def test_epochs_of_the_recording(profiles: ProfileServer) -> None:
    profiles.put("train", "worker0", two_epochs)
    page, _ = saved(profiles)
    assert "2 epochs, by annotations of the recording." in text_of(page)
    assert {"epoch-train", "epoch-first_step", "epoch-validation", "epoch-between"} <= set(re.findall(r'class="(epoch-\w+)"', page))
    assert "3100 ms30 ms10 ms20 ms40 ms4" in text_of(page)


def test_epochs_that_the_run_has_logged(profiles: ProfileServer) -> None:
    profiles.record("train", "worker0", PICTURE)
    log_epochs(profiles, "train")
    page, _ = saved(profiles)
    assert "2 epochs, as train has logged epoch, step_time/total, step_time/validation." in text_of(page)


def test_a_plain_recording_has_neither_epochs_nor_requests(profiles: ProfileServer) -> None:
    profiles.record("train", "worker0", PICTURE)
    page, _ = saved(profiles)
    assert 'aria-label="Throughput"' in page
    for title in ("Epochs", "Requests", "On the TPU"):
        assert f'aria-label="{title}"' not in page


def test_requests(profiles: ProfileServer) -> None:
    profiles.put("server", "worker0", served)
    page, _ = saved(profiles)
    text = text_of(page)
    assert "20 requests by predict, " in text
    assert "p5010 ms1 ms4 ms1 ms4 ms" in text
    assert "at 600 ms64 ms" in text
    assert "20 requests by tidy up, " in text_of(saved(profiles, request="tidy up")[0])


def test_parts_of_a_tpus_step(profiles: ProfileServer, tmp_path: Path) -> None:
    profiles.put("train", "worker0", lambda: tpu_profile(tmp_path))
    text = text_of(saved(profiles)[0])
    assert "Infeed10 µs10%" in text
    assert "Matrix unit: 17% of its peak while computing, 10% over the step." in text


def test_names_stay_text(profiles: ProfileServer) -> None:
    def recorded() -> Profile:
        builder = Timeline()
        builder.span("main", 0, 10 * MS, SpanKind.ANNOTATION, f"request {HOSTILE}")
        builder.span("main", 20 * MS, 30 * MS, SpanKind.ANNOTATION, f"request {HOSTILE}")
        return builder.build()

    profiles.put("server", "worker0", recorded)
    page, _ = saved(profiles)
    assert "2 requests by request <script>alert(1)</script>" in Elements(page).text
    assert not {"script", "img"} & {tag for tag, _ in Elements(page).found}
    assert "\u202e" not in page


def test_many_epochs_are_small() -> None:
    epochs = epoch_times([Epoch(number, 10, 1.0 + number % 7, 0.1, 0.5, 0.2, 0.0, 0.2 + number % 7) for number in range(2000)])
    unknown = dict.fromkeys(("batch_size", "examples_per_second", "tokens_per_second", "input_bytes_per_second"))
    rates = Rates(
        steps_per_second=1000.0,
        ranks=1,
        batch_size_from="",
        batch_sizes=[],
        copied_to_devices_bytes_per_second=None,
        unknown="",
        facts=[],
        **unknown,
    )
    found = Throughput(has_steps=True, step_ms=1.0, throughput=rates, rates=[], epochs=epochs, epochs_total=5000, logged=None)
    page = epochs_of(found)
    assert "5,000 epochs" in page
    assert "A column is the longest of 10 epochs." in page
    assert len(re.findall("M", "".join(re.findall(r'class="epoch-train" d="([^"]+)"', page)))) == MOST_COLUMNS
    assert page.count("<tr>") == MOST_ROWS + 1
    assert len(page) < 100_000
