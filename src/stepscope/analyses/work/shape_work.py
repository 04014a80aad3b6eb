"""Arithmetic and bytes of kernels whose host operation is a product, a convolution or attention of known shapes."""

from __future__ import annotations

import numpy as np

from stepscope.analyses.attributes import ReadAttributes
from stepscope.analyses.devices.peaks import bytes_of_format
from stepscope.analyses.work.argument_flops import work_of_calls
from stepscope.analyses.work.executions import host_operation_of
from stepscope.analyses.work.product_flops import shapes_of, work_of_rows
from stepscope.model.profile import Float64, Int64, Profile


def shape_work(profile: Profile, rows: Int64, length: Int64, attributes: ReadAttributes | None = None) -> tuple[Float64, Float64]:
    """FLOPs and bytes that shapes tell, per kernel: those of a host operation go to the longest kernel that it launched.

    With `attributes`, also those that need an operation's other arguments; both gradients of a convolution go to the two longest.
    Bytes are those of all tensors, each moved once, in the number format of the kernel's name.
    """
    flops, accessed = np.full(len(rows), np.nan), np.full(len(rows), np.nan)
    host = host_operation_of(profile, rows)
    flops_of_row, moved_of_row, kernels_of_row = _of_hosts(profile, np.unique(host[host >= 0]).astype(np.int64), attributes)
    known = np.flatnonzero(host >= 0)
    known = known[~np.isnan(flops_of_row[host[known]])]
    known = known[np.lexsort((-length[known], host[known]))]
    begins = np.flatnonzero(np.concatenate([[True], host[known][1:] != host[known][:-1]])) if len(known) else known
    counts = np.diff(np.append(begins, len(known)))
    shared = np.minimum(counts, kernels_of_row[host[known[begins]]])
    chosen = known[np.arange(len(known)) - np.repeat(begins, counts) < np.repeat(shared, counts)]
    share = 1.0 / np.repeat(shared, shared)
    flops[chosen] = flops_of_row[host[chosen]] * share
    names = profile.spans.name[rows[chosen]]
    used: list[int] = np.unique(names).tolist()
    size = np.full(len(profile.names), np.nan)
    size[used] = [bytes_of_format(profile.name_rules.number_format(profile.names[name])) or np.nan for name in used]
    accessed[chosen] = moved_of_row[host[chosen]] * share * size[names]
    return flops, accessed


def _of_hosts(profile: Profile, hosts: Int64, attributes: ReadAttributes | None) -> tuple[Float64, Float64, Int64]:
    """FLOPs, numbers moved, and how many kernels they are divided among, by row of the profile."""
    flops, moved = work_of_rows(profile)
    kernels = np.ones(len(profile.spans), np.int64)
    told = {} if attributes is None else work_of_calls(profile, hosts[np.isnan(flops[hosts])], shapes_of, attributes)
    if told:
        flops, moved = flops.copy(), moved.copy()
        for row, call in told.items():
            flops[row], moved[row] = call.work
            kernels[row] = call.kernels
    return flops, moved, kernels
