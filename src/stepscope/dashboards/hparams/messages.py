"""What the routes of the HParams tab take and answer."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct

from stepscope.dashboards.frame import Placed
from stepscope.dashboards.questions import Fold, RunText, TagText, most
from stepscope.model import declared as d
from stepscope.model.shared_columns import Epoch, RunKey, TagName

MAX_METRICS = 200
MAX_FLIPPED = 1_000
MAX_SEEDS = 1_000
MAX_RUNS = 10_000

HparamName = Annotated[str, Meta(max_length=1_000, description="Name of a hyperparameter.")]


class MetricName(Struct, frozen=True, forbid_unknown_fields=True):
    """A metric."""

    tag: TagText
    group: Annotated[
        str,
        Meta(max_length=1_000),
        d.text("Folder below the session's run that has the tag, such as `validation`; empty: the first place that has it."),
    ] = ""


class ReadingRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """Which value of a series stands for it."""

    reading: Annotated[
        Literal["last", "best", "min", "max", "mean", "at"],
        d.text(
            "Last value, best by the metric's goal, lowest, highest, mean of the last points, or the newest at or before a step "
            "(none for a run that has not reached it)."
        ),
    ] = "last"
    mean_of: Annotated[int, Meta(ge=1, le=1000), d.count("Number of last finite values that `mean` averages.")] = 10
    at: Annotated[float | None, d.step("Step of `at`.")] = None
    flipped: Annotated[
        list[TagText], most(MAX_FLIPPED), d.nested("Tags whose goal is the other one than their description or name says.")
    ] = []
    fold: Fold = True


class HparamsRequest(ReadingRequest, frozen=True, forbid_unknown_fields=True):
    """Which metrics, how they are read, and what tells repetitions apart."""

    metrics: Annotated[
        list[MetricName],
        most(MAX_METRICS),
        d.nested("The metrics; none: those that experiments declare, or else the most common tags."),
    ] = []
    more: Annotated[list[MetricName], most(MAX_METRICS), d.nested("Metrics that are wanted besides those.")] = []
    seeds: Annotated[
        list[HparamName] | None, most(MAX_SEEDS), d.nested("Hyperparameters that repetitions differ in; null: those named like a seed.")
    ] = None


class TrialRow(Struct, frozen=True):
    """A run, or an experiment of several, that logged hyperparameters."""

    run: RunKey
    name: Annotated[str, d.text("Name of the run or the experiment.")]
    status: Annotated[str, d.text("Status of the run, as the list of runs has it.")]
    trial: Annotated[str, d.text("Name of the group that its writer put it into; empty without one.")]


class HparamColumns(Struct, frozen=True):
    """One entry for each session."""

    numbers: Annotated[Placed, d.binary("f64", "Value; NaN where it is no number or missing.", "as logged")] = UNSET
    codes: Annotated[Placed, d.binary("i32", "Place of the value in `words`; -1 where it is a number or missing.", "1")] = UNSET


class HparamHeader(Struct, frozen=True):
    """One hyperparameter."""

    name: Annotated[str, d.text("Its name.")]
    display_name: Annotated[str, d.text("Name to show, as declared; empty without one.")]
    description: Annotated[str, d.text("Description, as declared.")]
    kind: Annotated[Literal["numeric", "bool", "text", "mixed"], d.text("What its values are.")]
    words: Annotated[list[str], d.nested("Values that are no numbers.")]
    choices: Annotated[list[str], d.nested("Values it may have, as declared; empty where none are.")]
    low: Annotated[float | None, d.as_logged("Lower end of the declared interval; null without one.")]
    high: Annotated[float | None, d.as_logged("Upper end of it.")]
    distinct: Annotated[int, d.count("Different values among the sessions; a missing one counts as a value.")]
    seed: Annotated[bool, d.flag("Whether repetitions differ in it, so that groups ignore it.")]
    columns: Annotated[HparamColumns, d.nested("Its columns.")]


class MetricColumns(Struct, frozen=True):
    """`values` has one entry for each session, the others one for each group."""

    values: Annotated[Placed, d.binary("f64", "Value; NaN where the session has none.", "as logged")] = UNSET
    n: Annotated[Placed, d.binary("i32", "Sessions of the group with a finite value.", "count")] = UNSET
    mean: Annotated[Placed, d.binary("f64", "Mean of those values; NaN without any.", "as logged")] = UNSET
    sd: Annotated[Placed, d.binary("f64", "Standard deviation (n − 1); NaN for fewer than two.", "as logged")] = UNSET
    ci95: Annotated[Placed, d.binary("f64", "Half the 95% confidence interval of the mean, by Student's t.", "as logged")] = UNSET


class MetricHeader(Struct, frozen=True):
    """One metric."""

    tag: TagName
    group: Annotated[str, d.text("Folder below the session's run; empty: the first place that has the tag.")]
    display_name: Annotated[str, d.text("Name to show, as declared; empty without one.")]
    description: Annotated[str, d.text("Description, as declared.")]
    goal: Annotated[Literal["min", "max"], d.text("Whether lower or higher is better.")]
    found_in: Annotated[list[str], d.nested("Folders below the sessions' runs in which it was found; empty text: the run itself.")]
    columns: Annotated[MetricColumns, d.nested("Its columns.")]


class RepeatColumns(Struct, frozen=True):
    """`of` has one entry for each session, `size` one for each group."""

    of: Annotated[Placed, d.binary("i32", "Group of the session.", "1")] = UNSET
    size: Annotated[Placed, d.binary("i32", "Sessions in the group.", "count")] = UNSET


class HparamsHeader(Struct, frozen=True):
    """Header of the frame of hyperparameters and metrics."""

    epoch: Epoch
    sessions: Annotated[list[TrialRow], d.nested("The sessions, in the order of the columns.")]
    hparams: Annotated[list[HparamHeader], d.nested("Every hyperparameter that a session has.")]
    metrics: Annotated[list[MetricHeader], d.nested("The metrics in the order asked for.")]
    available: Annotated[list[MetricName], d.nested("Metrics that can be asked for, those of most sessions first; at most 2,000.")]
    groups: Annotated[RepeatColumns, d.nested("Sessions with equal hyperparameters but for the seeds.")]


class ImportanceRequest(ReadingRequest, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Which metric, of which runs."""

    metric: Annotated[MetricName, d.nested("The metric.")]
    runs: Annotated[list[RunText], most(MAX_RUNS), d.nested("Ids of the runs of the sessions; none: all.")] = []
    seeds: Annotated[
        list[HparamName] | None, most(MAX_SEEDS), d.nested("Hyperparameters that repetitions differ in; null: those named like a seed.")
    ] = None


class IntervalRow(Struct, frozen=True):
    """An estimate and its 95% confidence interval."""

    value: Annotated[float, d.fraction("The estimate.")]
    low: Annotated[float, d.fraction("Lower end of the interval.")]
    high: Annotated[float, d.fraction("Upper end of it.")]


class ImportanceRow(Struct, frozen=True):
    """One hyperparameter."""

    name: Annotated[str, d.text("Its name.")]
    n: Annotated[int, d.count("Runs that have the metric and a value of it.")]
    rank: Annotated[
        IntervalRow | None,
        d.nested("Spearman's rank correlation with the metric, from −1 to 1; null for text and for fewer than 8 runs."),
    ]
    share: Annotated[
        IntervalRow | None,
        d.nested("Share of the metric's variance that depends on it, interactions included, by a random forest; null without one."),
    ]


class ImportanceAnswer(Struct, frozen=True):
    """How much each hyperparameter matters for the metric."""

    done: Annotated[bool, d.flag("Whether the answer is there; ask again until it is.")]
    progress: Annotated[float, d.fraction("How much of the work is done.")]
    runs: Annotated[int, d.count("Runs that have the metric.")] = 0
    used: Annotated[int, d.count("Of these, what the forest was made of; more than 1,000 are sampled.")] = 0
    explained: Annotated[
        float | None, d.fraction("Variance that the forest explains in runs it has not seen (R²); null without one.")
    ] = None
    missing: Annotated[str, d.text("Why there is no forest; empty when there is one.")] = ""
    rows: Annotated[list[ImportanceRow], d.nested("Hyperparameters that differ, the most important first; seeds are left out.")] = []
