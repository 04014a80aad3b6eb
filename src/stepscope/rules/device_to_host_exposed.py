"""Results are copied to the host while the device has nothing else to do."""

from __future__ import annotations

from stepscope.analyses.texts import milliseconds
from stepscope.analyses.time_classes import TimeClass
from stepscope.analyses.work.exposed_copies import ExposedCopies, exposed_copies
from stepscope.model.number_text import three_digits
from stepscope.model.profile import NONE, MemoryKind
from stepscope.rules.facts import Facts
from stepscope.rules.lever import Action, Lever
from stepscope.rules.rule import CannotTell, Code, Evidence, Pattern, Quiet, Rule, Seen, mebibytes, percent


def look(facts: Facts) -> Seen:
    """Copies to the host that no compute hides; how long they take in all does not matter."""
    if facts.cpu_only:
        return Quiet("This profile has no GPU or other device.")
    share = facts.share(TimeClass.D2H)
    if share <= 0 and facts.undirected > 0:
        return CannotTell(
            f"{percent(facts.undirected)} of a step is copying, but the direction is not recorded in this profile.",
            "Capture device activity: ProfilerActivity.CUDA in PyTorch, device_tracer_level=1 in TensorFlow and JAX.",
        )
    if share <= 0:
        return Quiet("Copies to the host overlap compute, or there are none.")
    copies = exposed_copies(facts.profile, facts.breakdown, TimeClass.D2H)
    rows = copies.rows
    return Pattern(
        title="Keep results on the device",
        summary=f"Device-to-host copies are exposed (no compute runs) for {percent(share)} of a step "
        f"({milliseconds(float(facts.parts[TimeClass.D2H]))}).",
        evidence=_evidence(facts, copies),
        subject="Fewer copies to the host",
        lever=Lever(Action.SPANS, facts.takes_of(rows), rank=facts.rank, rows=facts.only_here(rows)),
        holds_in=facts.holds_in(TimeClass.D2H),
    )


def _evidence(facts: Facts, copies: ExposedCopies) -> tuple[Evidence, ...]:
    """How many and how large, who asked for the longest, and what memory it goes to."""
    each, longest = len(copies.rows) / max(1, len(facts.breakdown.typical)), copies.longest
    size = f", the largest {mebibytes(copies.largest_bytes)}" if copies.largest_bytes else ""
    lines = [Evidence(f"{three_digits(each)} copies per step{size}; the longest: {facts.name(longest)}.", facts.at(longest))]
    if copies.asked_by != NONE:
        lines.append(Evidence(f"{facts.name(copies.asked_by)} starts the longest copy.", facts.at(copies.asked_by)))
    if MemoryKind.PAGEABLE in copies.host_memory:
        lines.append(Evidence("The copies write to pageable memory, so the host waits for each of them.", facts.at(longest)))
    return tuple(lines)


RULE = Rule(
    id="device_to_host_exposed",
    title="Exposed device-to-host copies",
    look=look,
    code=Code(
        tensorflow="total.assign_add(loss)  # a variable on the device\nif step % 100 == 0:\n    print(total.numpy() / 100)",
        pytorch=(
            "outputs.append(output.detach())  # stays on the device\nif step % 100 == 0:\n"
            '    host = torch.stack(outputs).to("cpu", non_blocking=True)'
        ),
        jax="losses.append(loss)  # fetched later, all at once\nif step % 100 == 0:\n    print(jax.device_get(losses))",
    ),
    wrong_when="When the host needs the values in the same step, or when the copies already overlap compute.",
)
