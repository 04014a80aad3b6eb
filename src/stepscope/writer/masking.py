"""Hides what looks like a secret before it is recorded: by the name it is given, and by what it looks like."""

from __future__ import annotations

import re
from collections.abc import Sequence

MASK = "(hidden)"

_SECRET_WORDS = {"password", "passwd", "passphrase", "pwd", "secret", "secrets", "token", "credential", "credentials", "apikey"}
_KINDS_OF_KEY = {"api", "access", "private", "secret", "auth", "account", "encryption", "signing"}
_TOKENS_OF_TEXT = {"pad", "bos", "eos", "unk", "sep", "cls", "mask", "start", "end", "image", "special", "next", "per", "stop", "by"}
"""A pad_token or a loss per token is no secret."""

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_LOOKS_SECRET = re.compile(
    r"\b(?:"
    r"(?:sk|pk|rk)[-_](?:[A-Za-z]+[-_])*[A-Za-z0-9_-]{16,}"  # keys of many web services
    r"|gh[opsur]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}"  # code forges
    r"|hf_[A-Za-z0-9]{20,}|xox[abeprs]-[\w-]{10,}|AIza[\w-]{30,}"
    r"|(?:AKIA|ASIA)[A-Z0-9]{16}"
    r"|eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*"  # signed web tokens
    r")"
)
_PASSWORD_IN_ADDRESS = re.compile(r"(?<=://)([^/\s:@]*):[^/\s@]+(?=@)")
_OPTION = re.compile(r"^(-{0,2}[A-Za-z_][\w.\-]*)=(.*)$", re.DOTALL)
_FLAG = re.compile(r"^--?[A-Za-z][\w.\-]*$")


def is_secret_name(name: str) -> bool:
    """Whether what has this name should not be shown."""
    words = [word.lower() for word in _WORD.findall(name)]
    for place, word in enumerate(words):
        before = words[place - 1] if place else ""
        if word in _SECRET_WORDS and not (word == "token" and (before in _TOKENS_OF_TEXT or place + 1 < len(words))):
            return True
        if word in ("key", "keys") and before in _KINDS_OF_KEY:
            return True
    return False


def masked(text: str) -> str:
    """The text without the keys and passwords that can be told by their looks."""
    return _PASSWORD_IN_ADDRESS.sub(rf"\1:{MASK}", _LOOKS_SECRET.sub(MASK, text))


def masked_arguments(arguments: Sequence[str]) -> list[str]:
    """A command line without secrets: --token=x, --token x, password=x, and whatever looks like one."""
    shown: list[str] = []
    hide_next = False
    for argument in arguments:
        option = _OPTION.match(argument)
        if hide_next and not argument.startswith("--"):
            shown.append(MASK)
            hide_next = False
        elif option is not None:
            name, value = option.groups()
            shown.append(f"{name}={MASK if is_secret_name(name) else masked(value)}")
            hide_next = False
        else:
            shown.append(masked(argument))
            hide_next = bool(_FLAG.match(argument)) and is_secret_name(argument)
    return shown
