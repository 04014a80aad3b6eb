"""A shuffle buffer is filled before the first element comes out, and the training waits."""

from __future__ import annotations

from stepscope.analyses.input.filling import shuffle_filling
from stepscope.analyses.input.pipeline import Loader
from stepscope.analyses.texts import milliseconds, shortened
from stepscope.analyses.time_classes import TimeClass
from stepscope.model.profile import SpanKind
from stepscope.rules.facts import Facts
from stepscope.rules.rule import CannotTell, Code, Evidence, Pattern, Quiet, Rule, Seen, percent


def look(facts: Facts) -> Seen:
    """A call of a shuffle stage that takes many times as long as its others, while the step waits for input."""
    found = facts.input
    if found.loader is Loader.NONE and facts.profile.framework != "PyTorch":
        return CannotTell(
            "No call that fetches a batch is recorded in this profile.", "Fetch batches with tf.data and capture its stages."
        )
    if found.loader is not Loader.TF_DATA:
        return Quiet("The input does not use tf.data.")
    waits = facts.of_kind(SpanKind.INPUT)
    filling = shuffle_filling(facts.profile, facts.breakdown, found.stages, waits, facts.first_counted)
    if filling is None:
        return Quiet("No step after the first waits for a shuffle buffer to fill.")
    stage = filling.stage
    size = facts.attributes_of(stage.row).get("buffer_size")
    told = (Evidence(f"Buffer size: {size:,} elements.", facts.at(stage.row)),) if isinstance(size, int) else ()
    return Pattern(
        title="Use a smaller shuffle buffer",
        summary=f"Training waits {milliseconds(filling.waited_ns)} ({percent(filling.share)} of the profile) "
        "while a shuffle buffer fills.",
        evidence=(
            Evidence(
                f"{shortened(stage.path)} needs {milliseconds(filling.longest_ns)} to return its first element.",
                facts.at(stage.row),
            ),
            *told,
        ),
        of_window={TimeClass.INPUT: filling.share},
    )


RULE = Rule(
    id="shuffle_filling",
    title="Shuffle buffer filling",
    look=look,
    code=Code(
        tensorflow="files = files.shuffle(len(paths))  # names, not examples\ndataset = files.interleave(read).shuffle(2_000)",
        pytorch="# If tf.data feeds the model:\ndataset = files.shuffle(len(paths)).interleave(read).shuffle(2_000)",
        jax="# If tf.data feeds the model:\ndataset = files.shuffle(len(paths)).interleave(read).shuffle(2_000)",
    ),
    wrong_when="When the epoch is long: the buffer fills only once, and a small buffer shuffles sorted examples badly.",
    case_of="slow_steps",
)
