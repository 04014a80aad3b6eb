"""Columns that many answers have: the epoch, a run's id, a tag's name, and sentences for people."""

from __future__ import annotations

from typing import Annotated

from stepscope.model import declared as d

Epoch = Annotated[int, d.count("Version of the data at which this was read; grows with each publication.")]
RunKey = Annotated[str, d.text("Id of the run.")]
TagName = Annotated[str, d.text("Name of the tag.")]
Problem = Annotated[str | None, d.text("Why it could not be read; null when it could.")]
Notices = Annotated[list[str], d.nested("What was left out, in sentences.")]
