"""The list of parts, in the order in which help and documentation name them."""

from __future__ import annotations

from stepscope.session.part import AnyPart
from stepscope.session.parts.area import AREA
from stepscope.session.parts.calls import CALLS
from stepscope.session.parts.communication import COMMUNICATION
from stepscope.session.parts.compare import COMPARE
from stepscope.session.parts.costs import CODE, SCOPE
from stepscope.session.parts.counters import COUNTERS
from stepscope.session.parts.coverage import COVERAGE
from stepscope.session.parts.gaps import GAPS
from stepscope.session.parts.graph import GRAPH
from stepscope.session.parts.hlo import HLO, HLO_TREE
from stepscope.session.parts.hlo_op import HLO_OP, HLO_TEXT
from stepscope.session.parts.host import HOST
from stepscope.session.parts.inference import INFERENCE
from stepscope.session.parts.input import INPUT
from stepscope.session.parts.instances import INSTANCES
from stepscope.session.parts.kernels import KERNELS
from stepscope.session.parts.memory import MEMORY
from stepscope.session.parts.memory_compare import MEMORY_COMPARE
from stepscope.session.parts.modules import MODULES
from stepscope.session.parts.node import NODE
from stepscope.session.parts.ops import OPS
from stepscope.session.parts.path import PATH
from stepscope.session.parts.path_trace import PATH_TRACE, SLACK
from stepscope.session.parts.ranks import RANKS
from stepscope.session.parts.replay import REPLAY
from stepscope.session.parts.report import REPORT
from stepscope.session.parts.roofline import ROOFLINE
from stepscope.session.parts.search import SEARCH
from stepscope.session.parts.span import SPAN
from stepscope.session.parts.steps import STEPS
from stepscope.session.parts.throughput import THROUGHPUT
from stepscope.session.parts.tracks import TRACKS
from stepscope.session.parts.transfers import TRANSFERS
from stepscope.session.parts.trend import TREND
from stepscope.session.parts.whatif import WHATIF
from stepscope.session.several import AnySeveralPart

ALL_PARTS: tuple[AnyPart, ...] = (
    REPORT,
    STEPS,
    OPS,
    GRAPH,
    NODE,
    SCOPE,
    CODE,
    COVERAGE,
    KERNELS,
    ROOFLINE,
    MEMORY,
    MODULES,
    HLO,
    HLO_TREE,
    HLO_OP,
    HLO_TEXT,
    INPUT,
    HOST,
    TRANSFERS,
    COUNTERS,
    COMMUNICATION,
    PATH,
    WHATIF,
    INFERENCE,
    THROUGHPUT,
    INSTANCES,
    SPAN,
    RANKS,
    TRACKS,
    SEARCH,
    AREA,
    CALLS,
    GAPS,
    PATH_TRACE,
    SLACK,
    REPLAY,
)

SEVERAL_PARTS: tuple[AnySeveralPart, ...] = (COMPARE, TREND, MEMORY_COMPARE)
"""Parts of several sessions."""
