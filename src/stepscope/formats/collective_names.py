"""One name for each kind of communication, and how libraries spell it inside the names of their operations and kernels."""

from __future__ import annotations

COLLECTIVE_NAMES: tuple[tuple[str, str], ...] = tuple(
    (name, spelling)
    for name, spellings in (
        ("reduce_scatter", ("reduce_scatter", "reducescatter", "reduce-scatter")),
        ("allreduce", ("all_reduce", "allreduce", "all-reduce", "cross_device_reduce", "custom_ar", "quickreduce")),
        ("allgather", ("all_gather", "allgather", "all-gather")),
        ("alltoall", ("all_to_all", "alltoall", "all2all")),
        ("dispatch", ("dispatch",)),
        ("combine", ("combine",)),
        ("broadcast", ("broadcast",)),
        ("barrier", ("barrier",)),
        ("gather", ("gather",)),
        ("scatter", ("scatter",)),
        ("sendrecv", ("sendrecv", "send_recv", "send-backward-recv", "send-forward-recv")),
        ("send", ("send",)),
        ("recv", ("recv",)),
        ("reduce", ("reduce",)),
    )
    for spelling in spellings
)
"""The first spelling that a name contains decides, so longer ones come first."""
