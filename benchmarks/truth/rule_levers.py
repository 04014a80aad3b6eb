"""The lever of a case: as the terminal takes it, or what the rule that names the cause would change itself."""

from __future__ import annotations

from stepscope.analyses.session.summary import summarise
from stepscope.analyses.what_if.levers import Lever, parse_lever
from stepscope.analyses.what_if.prediction import Context
from stepscope.formats.span_attributes import span_attributes
from stepscope.rules.facts import Facts
from stepscope.rules.predictor import replay_lever
from stepscope.rules.rule import Pattern
from stepscope.rules.small_messages import RULE as SMALL_MESSAGES

RULES = {"messages": SMALL_MESSAGES}
"""Levers that are no words in the terminal, since they change some spans of a class and not all."""


def lever_of(text: str, context: Context) -> Lever:
    """Raises ValueError when the rule sees nothing that it could change."""
    rule = RULES.get(text)
    if rule is None:
        return parse_lever(text, context.profiles)
    seen = rule.look(Facts(summarise(context.profiles), span_attributes, context.cores))
    found = replay_lever(seen.lever) if isinstance(seen, Pattern) and seen.lever is not None else None
    if found is None:
        raise ValueError(f"{rule.id} promises no time: {seen}")
    return found
