"""Advice that is common and wrong is not given, on trainings that would tempt a rule to give it."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from rules.cases import BUSY, HALF_IDLE, V100, Make
from rules.pictures import finding, judged, repeated, shown, training, two_ranks, with_levels
from stepscope.model.profile import Device, Profile
from stepscope.rules.all_rules import ALL_RULES
from stepscope.rules.rule import Finding, Verdict

HARMFUL = (
    r"empty_cache\(\)",
    r"cudnn\.benchmark",
    r"gc\.disable",
    r"GPU_THREAD_MODE|gpu_private",
    r"occupancy",
    r"compress",
    r"(?:larger|increase|raise|double) (?:the )?batch",
)
WAITED_FOR_AT_THE_END = f"main: l{'s' * 38}o; gpu 0: .{'K' * 38}."
LAUNCHES_BESIDE_WORK = f"main: {'l.' * 10}; gpu 0: .{'K' * 19}"
HIDDEN_COPIES = "main: l.l.l.....; gpu 0/7: .KKKKKKKKK; gpu 0/8: ..HHH.DDD."


def fired(profiles: Profile | list[Profile], cores: int | None = None) -> set[str]:
    return {each.rule for each in judged(profiles, cores).of(Verdict.FIRES)}


def at_low_occupancy() -> Profile:
    profile = repeated(BUSY)
    return replace(profile, kernels=replace(profile.kernels, occupancy=np.full(len(profile.kernels.row), 0.05, np.float32)))


def on(device: str, kernel: str) -> Profile:
    return replace(repeated(WAITED_FOR_AT_THE_END, names={"K": kernel}), devices=[Device(device, "GPU", 0)])


def said(found: Finding) -> str:
    code = (found.code.tensorflow, found.code.pytorch, found.code.jax)
    return " ".join([found.title, found.summary, found.promise, found.option, *code, *(line.text for line in found.evidence)])


TEMPTING: dict[str, tuple[Make, set[str]]] = {
    # What is reserved by a caching allocator, or allocated without any trouble, is no reason to compute activations twice.
    "all memory is reserved": (lambda: with_levels(repeated(BUSY), 60 << 20, 99 << 20, 100 << 20), set()),
    "nearly all memory is in use": (lambda: with_levels(repeated(BUSY), 97 << 20, 99 << 20, 100 << 20), set()),
    # The fastest products run at 12 to 25 % occupancy.
    "low occupancy": (at_low_occupancy, set()),
    # All that is long is waiting for another rank.
    "communication is waiting": (lambda: two_ranks([(20, 70)] * 5, transfer=0), {"straggler"}),
    # It could be anything.
    "much time is untraced": (lambda: repeated(HALF_IDLE), set()),
    # Launch calls take long in sum, and the device works meanwhile.
    "launches beside work": (lambda: repeated(LAUNCHES_BESIDE_WORK), set()),
    "copies beside work": (lambda: repeated(HIDDEN_COPIES), set()),
    # Names of matrix units that old lists do not have.
    "nvjet on a B200": (lambda: on("NVIDIA B200", "nvjet_hsh_128x256_64x4_2x1_v_bz_coopB_TNT"), set()),
    "Tensile on an MI300": (lambda: on("AMD Instinct MI300X", "Cijk_Ailk_Bljk_BBS_BH_MT256x128x64_MI16x16x16x1_SN"), set()),
    "bf16 on an A100": (lambda: on("NVIDIA A100", "ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x5_nn"), set()),
    # A long first step holds compilation and the profiler's start.
    "compilation in the first step": (
        lambda: training(f"main: {'c' * 90}l.........; gpu 0: {'.' * 91}KKKKKKKKK", *[BUSY] * 5),
        set(),
    ),
    "a checkpoint in the first step": (lambda: training(f"main: {'w' * 90}l.........; gpu 0: {'.' * 91}KKKKKKKKK", *[BUSY] * 5), set()),
    # The device is idle for half of the time, because of input: no larger batch, and nothing about kernels.
    "low use because of input": (lambda: repeated("main: iiiiil....; gpu 0: ......KKKK"), {"input_bound"}),
}


@pytest.mark.parametrize("name", TEMPTING)
def test_nothing_fires_that_should_not(name: str) -> None:
    make, expected = TEMPTING[name]
    assert fired(make()) == expected


@pytest.mark.parametrize("name", TEMPTING)
def test_no_finding_says_anything_harmful(name: str) -> None:
    texts = [said(each) for each in judged(TEMPTING[name][0]()).findings]
    assert [text for text in texts if any(re.search(pattern, text, re.IGNORECASE) for pattern in HARMFUL)] == []


def test_no_rule_has_harmful_code() -> None:
    for rule in ALL_RULES:
        for code in (rule.code.tensorflow, rule.code.pytorch, rule.code.jax):
            assert not any(re.search(pattern, code, re.IGNORECASE) for pattern in HARMFUL), rule.id
            assert "cache()" not in code or "fits in memory" in code


@pytest.mark.parametrize("cores", [1, 2])
def test_workers_are_not_advised_without_a_free_core(cores: int) -> None:
    # Besides the main thread a thread of the loader is busy all the time.
    names = {"f": "Iterator::Root::Map", "i": "Iterator::Root"}
    profile = repeated("main: iiiooooooo; loader 1: fff.......; pool 1: ...ooooooo; loader 2: xxxxxxxxxx", names=names)
    found = finding("input_bound", profile, cores)
    assert not any(re.search(r"num_workers|num_parallel_calls|worker_count", said(each)) for each in judged(profile, cores).cards)
    assert "cheaper" in found.title
    assert finding("stage_not_parallel", profile, cores).verdict is Verdict.QUIET


@pytest.mark.parametrize("device", [V100])
def test_precision_is_a_matter_of_what_a_replay_gains(device: dict[str, Any]) -> None:
    # Products on ordinary units, hidden behind a host that cannot keep up: faster ones would gain nothing.
    profile = repeated("main: ooooooooolsso; gpu 0: ..........KK.", names={"K": "volta_sgemm_128x64_nn"}, **device)
    found = finding("matrix_units_unused", profile)
    assert found.verdict is Verdict.QUIET
    assert found.gain is not None
    assert (found.gain.low, found.gain.high, shown(found)) == (0, 0, [(0, 10, 12)]), "it is seen, and gains nothing"


def test_a_pool_larger_than_the_machine_is_no_contention() -> None:
    # Three threads that take turns: for 4 ms of every step none works, and never do more than two.
    pool = "main: ffffffffff; pool 1: oo........; pool 2: ..oo......; pool 3: ....oo...."
    assert finding("cores_exhausted", repeated(pool), 2).verdict is Verdict.QUIET
    assert finding("cores_exhausted", repeated(pool.replace("..oo", "oooo")), 1).verdict is Verdict.FIRES, "two work on one core"


MULTI = "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"


def with_workers(function: str) -> Profile:
    names = {"i": MULTI, "p": function, "o": "aten::mm"}
    return repeated("main: iiiooooooo; main: .pp.......", names=names)


def test_workers_are_not_called_slow_when_their_batches_are_ready() -> None:
    ready, slow = (finding("input_bound", with_workers(f"<built-in {name}>"), 2) for name in ("function loads", "method poll of poll"))
    assert (ready.verdict, slow.verdict) == (Verdict.FIRES, Verdict.FIRES)
    assert ("too slow" in said(ready), "too slow" in said(slow)) == (False, True)
    assert "num_workers=0" in ready.code.pytorch


@pytest.mark.parametrize("cores", [1, 2, 3])
def test_room_for_workers_is_never_claimed_beside_no_free_core(cores: int) -> None:
    profile = repeated("main: iiioooooooo; pool 1: ...oooooooo", names={"i": MULTI})
    text = said(finding("input_bound", profile, cores))
    assert not ("would fit" in text and re.search(r"no (?:CPU )?core is free", text, re.IGNORECASE))
