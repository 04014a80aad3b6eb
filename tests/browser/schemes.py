"""The two looks of the page, as a browser is told them."""

from __future__ import annotations

from typing import Literal, TypeAlias

Scheme: TypeAlias = Literal["light", "dark"]
