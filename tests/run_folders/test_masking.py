"""Secrets are hidden by their names and by their looks, and nothing else is."""

from __future__ import annotations

import pytest

from stepscope.writer.masking import MASK, is_secret_name, masked, masked_arguments


@pytest.mark.parametrize(
    "name",
    [
        "token",
        "hf_token",
        "--auth-token",
        "accessToken",
        "PASSWORD",
        "db.password",
        "passwd",
        "client_secret",
        "api_key",
        "apiKey",
        "API-KEY",
        "aws_secret_access_key",
        "private_key_path",
        "credentials",
        "MYSQL_PWD",
        "wandb.apikey",
    ],
)
def test_names_of_secrets(name: str) -> None:
    assert is_secret_name(name)


@pytest.mark.parametrize(
    "name",
    [
        "lr",
        "max_tokens",
        "tokens_per_step",
        "tokenizer",
        "pad_token",
        "eos_token_id",
        "token_type",
        "key",
        "num_key_value_heads",
        "keys",
        "secretary_model",
        "passes",
        "author",
        "loss_per_token",
    ],
)
def test_names_of_no_secrets(name: str) -> None:
    assert not is_secret_name(name)


@pytest.mark.parametrize(
    "secret",
    [
        "hf_" + "aB3" * 10,
        "ghp_" + "x1" * 15,
        "sk-proj-" + "Ab1" * 10,
        "AKIA" + "ABCD1234" * 2,
        "eyJhbGciOiJI.eyJzdWIiOiIx.abc_-def",
        "glpat-" + "a" * 20,
    ],
)
def test_what_looks_like_a_secret_is_hidden(secret: str) -> None:
    assert masked(f"before {secret} after") == f"before {MASK} after"


def test_passwords_in_addresses_are_hidden() -> None:
    assert masked("postgres://me:hunter2@host:5432/db") == f"postgres://me:{MASK}@host:5432/db"
    assert masked("http://host:8080/a@b") == "http://host:8080/a@b"


@pytest.mark.parametrize("text", ["resnet50", "sk-learn", "hf_model", "sketch-rnn", "1e-3", "s3://bucket/path"])
def test_other_texts_stay(text: str) -> None:
    assert masked(text) == text


def test_command_lines() -> None:
    given = ["python", "train.py", "--token=abc", "--password", "hunter2", "--lr", "1e-3", "api_key=zzz", "--token", "--epochs", "3"]
    assert masked_arguments(given) == [
        *["python", "train.py", f"--token={MASK}", "--password", MASK, "--lr", "1e-3", f"api_key={MASK}"],
        *["--token", "--epochs", "3"],
    ]
    assert masked_arguments(["--password", "-x1"]) == ["--password", MASK]
    assert masked_arguments(["--url=ftp://a:b@c"]) == [f"--url=ftp://a:{MASK}@c"]
