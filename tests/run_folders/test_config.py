"""A configuration becomes one flat table, as Markdown and as hyperparameters, whatever is in it."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from stepscope import SummaryWriter
from stepscope.writer import config


@dataclass
class Optimizer:
    lr: float = 0.1
    betas: tuple[float, float] = (0.9, 0.99)


@dataclass
class Settings:
    epochs: int = 3
    optimizer: Optimizer = field(default_factory=Optimizer)


class Unshowable:
    def __str__(self) -> str:
        raise RuntimeError("no")


def test_nested_settings_become_flat() -> None:
    given = {"model": {"name": "resnet", "blocks": {"count": 4}}, "lr": 1e-3, "amp": True, "note": None, "sizes": [1, 2], "none": {}}
    assert config.flat(given) == {
        "model.name": "resnet",
        "model.blocks.count": 4,
        "lr": 1e-3,
        "amp": True,
        "note": None,
        "sizes": "[1, 2]",
        "none": "{}",
    }


def test_namespaces_and_dataclasses_are_taken() -> None:
    assert config.flat(Namespace(lr=0.5, opt=Settings())) == {
        "lr": 0.5,
        "opt.epochs": 3,
        "opt.optimizer.lr": 0.1,
        "opt.optimizer.betas": "(0.9, 0.99)",
    }


def test_odd_values_do_no_harm() -> None:
    shown = config.flat({"numpy": np.float32(0.5), "big": 10**400, "odd": Unshowable(), "long": "x" * 10_000, "class": int})
    assert shown["numpy"] == 0.5
    assert isinstance(shown["big"], str)
    assert shown["odd"] == "<Unshowable: RuntimeError when shown>"
    assert len(str(shown["long"])) == config.LONGEST_VALUE
    assert shown["class"] == "<class 'int'>"


def test_secrets_are_hidden() -> None:
    shown = config.flat({"hub": {"hf_token": "abc", "max_tokens": 5}, "url": "http://a:b@c", "api_key": None})
    assert shown == {"hub.hf_token": "(hidden)", "hub.max_tokens": 5, "url": "http://a:(hidden)@c", "api_key": None}


def test_what_contains_itself_is_refused() -> None:
    loop: dict[str, Any] = {}
    loop["again"] = loop
    with pytest.raises(ValueError, match="contain itself"):
        config.flat(loop)


def test_too_much_is_refused() -> None:
    with pytest.raises(ValueError, match="at most 10000"):
        config.flat({str(number): number for number in range(10_001)})
    with pytest.raises(TypeError, match="dictionary"):
        config.flat([1, 2])


def test_the_table_cannot_be_broken_by_what_is_in_it() -> None:
    text = config.table({"a|b": "x\ny | <script>"})
    assert text == "| Parameter | Value |\n|---|---|\n| a\\|b | x y \\| \\<script\\> |\n"


def test_it_is_logged_as_text_and_as_hyperparameters(tmp_path: Path) -> None:
    with SummaryWriter(tmp_path) as writer:
        writer.log_config({"opt": {"lr": 0.25}, "name": "adam"})
    (path,) = tmp_path.glob("*tfevents*")
    content = path.read_bytes()
    assert b"config/text_summary" in content
    assert b"| opt.lr | 0.25 |" in content
    assert b"_hparams_/session_start_info" in content


def test_a_wrong_configuration_writes_nothing(tmp_path: Path) -> None:
    with SummaryWriter(tmp_path) as writer, pytest.raises(TypeError):
        writer.log_config(3)
    (path,) = tmp_path.glob("*tfevents*")
    assert b"config" not in path.read_bytes()
