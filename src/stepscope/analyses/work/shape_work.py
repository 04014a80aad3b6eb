"""Arithmetic and bytes of kernels whose host operation is a product of known shapes."""

from __future__ import annotations

import numpy as np

from stepscope.analyses.devices.peaks import bytes_of_format, number_format
from stepscope.analyses.work.executions import host_operation_of
from stepscope.analyses.work.product_flops import work_of_rows
from stepscope.model.profile import Float64, Int64, Profile


def shape_work(profile: Profile, rows: Int64, length: Int64) -> tuple[Float64, Float64]:
    """FLOPs and bytes that shapes tell, per kernel: those of a host operation go to the longest kernel that it launched.

    Bytes are those of both factors and the result, each moved once, in the number format of the kernel's name.
    """
    flops, accessed = np.full(len(rows), np.nan), np.full(len(rows), np.nan)
    flops_of_row, moved_of_row = work_of_rows(profile)
    host = host_operation_of(profile, rows)
    known = np.flatnonzero(host >= 0)
    known = known[~np.isnan(flops_of_row[host[known]])]
    known = known[np.lexsort((-length[known], host[known]))]
    first = known[np.concatenate([[True], host[known][1:] != host[known][:-1]])] if len(known) else known
    flops[first] = flops_of_row[host[first]]
    names = profile.spans.name[rows[first]]
    used: list[int] = np.unique(names).tolist()
    size = np.full(len(profile.names), np.nan)
    size[used] = [bytes_of_format(number_format(profile.names[name])) or np.nan for name in used]
    accessed[first] = moved_of_row[host[first]] * size[names]
    return flops, accessed
