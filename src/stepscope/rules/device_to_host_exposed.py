"""Results are copied to the host while the device has nothing else to do."""

from __future__ import annotations

import numpy as np

from stepscope.analyses.summary import milliseconds
from stepscope.analyses.time_classes import TimeClass
from stepscope.analyses.work.executions import host_operation_of
from stepscope.model.profile import NONE, Int64, MemoryKind
from stepscope.rules.facts import Facts
from stepscope.rules.lever import Action, Lever
from stepscope.rules.rule import CannotTell, Code, Evidence, Pattern, Quiet, Rule, Seen, mebibytes, percent


def look(facts: Facts) -> Seen:
    """Copies to the host that no compute hides; how long they take in all does not matter."""
    if facts.cpu_only:
        return Quiet("There is no device to copy from.")
    share = facts.share(TimeClass.D2H)
    if share <= 0 and facts.undirected > 0:
        return CannotTell(
            f"{percent(facts.undirected)} of a step is copying, and the recording does not tell in which direction.",
            "Record device activities: ProfilerActivity.CUDA in PyTorch, device_tracer_level=1 in TensorFlow and JAX.",
        )
    if share <= 0:
        return Quiet("Copies to the host run beside compute, or there are none.")
    rows = facts.labelled(TimeClass.D2H)
    return Pattern(
        title="Leave results on the device",
        summary=f"{percent(share)} of a step, {milliseconds(float(facts.parts[TimeClass.D2H]))}, the device only sends to the host.",
        evidence=_evidence(facts, rows),
        subject="Fewer copies to the host",
        lever=Lever(Action.SPANS, facts.takes_of(rows), rank=facts.rank, rows=facts.only_here(rows)),
        holds_in=facts.holds_in(TimeClass.D2H),
    )


def _evidence(facts: Facts, rows: Int64) -> tuple[Evidence, ...]:
    """How many and how large, who asked for the longest, and what memory it goes to."""
    copies = facts.profile.copies
    mine = np.flatnonzero(np.isin(copies.row, rows))
    sizes = copies.bytes[mine]
    each = len(rows) / max(1, len(facts.breakdown.typical))
    longest = int(rows[int(np.argmax(facts.breakdown.exposed[rows]))])
    size = f", the largest of {mebibytes(int(sizes.max()))}" if len(sizes) and sizes.max() > 0 else ""
    lines = [Evidence(f"{each:.3g} copies a step{size}; the longest: {facts.name(longest)}.", facts.at(longest))]
    caller = int(host_operation_of(facts.profile, np.array([longest], np.int64))[0])
    if caller != NONE:
        lines.append(Evidence(f"{facts.name(caller)} asks for the longest.", facts.at(caller)))
    if (copies.target_memory[mine] == MemoryKind.PAGEABLE).any():
        lines.append(Evidence("They go to pageable memory, so the host waits for each.", facts.at(longest)))
    return tuple(lines)


RULE = Rule(
    id="device_to_host_exposed",
    title="Copies to the host that nothing hides",
    look=look,
    code=Code(
        tensorflow="total.assign_add(loss)  # a variable on the device\nif step % 100 == 0:\n    print(total.numpy() / 100)",
        pytorch=(
            "outputs.append(output.detach())  # stays on the device\nif step % 100 == 0:\n"
            '    host = torch.stack(outputs).to("cpu", non_blocking=True)'
        ),
        jax="losses.append(loss)  # fetched later, all at once\nif step % 100 == 0:\n    print(jax.device_get(losses))",
    ),
    wrong_when="When the host needs the values in the same step, and when the copies already overlap compute.",
)
