"""Drawn files of TPUs, after what a public capture of a server shows; their bytes are made by the tests' own writer of XSpace files."""

from __future__ import annotations

from pathlib import Path

import xspace_bytes as xb

MS = 1_000_000_000
"""Picoseconds in a millisecond."""
STEPS, RUN, MARK = 100, 800, 0.02
_TO_HOST = "%copy-start.1 = (bf16[8,128]{1,0:T(8,128)S(5)}, bf16[8,128]{1,0:T(8,128)}, u32[]{:S(2)}) copy-start(bf16[8,128] %fusion.7)"
_DONE = "%copy-done.1 = bf16[8,128]{1,0:T(8,128)S(5)} copy-done((bf16[8,128], bf16[8,128], u32[]) %copy-start.1)"
_FROM_HOST = "%copy.9 = bf16[8,128]{1,0:T(8,128)} copy(bf16[8,128]{1,0:T(8,128)S(5)} %param.2)"


def _ps(ms: float) -> int:
    return round(ms * MS)


def tpu_server(folder: Path) -> Path:
    """A TPU server: 100 steps that the host marks within 2 ms, and runs of 800 ms. Copies from and to host memory take 400 ms of each
    run, 97 % of that with no compute beside them; the asynchronous copy is on a line of its own, too."""
    host = xb.Plane("/host:CPU")
    host.line("main", *(host.event("step", _ps(MARK * step), _ps(MARK * 0.9), step_num=step) for step in range(STEPS)), id=1)
    device = xb.Plane("/device:TPU:0").set(device_type_string="TPU v6 lite", peak_teraflops_per_second=900.0)
    for text, shown in ((_TO_HOST, "copy-start.1"), (_DONE, "copy-done.1"), (_FROM_HOST, "copy.9")):
        device.describe(text, shown, hlo_category=f"ref:{shown.split('.')[0]}")
    device.describe("%fusion.7 = bf16[8,128] fusion(…)", "fusion.7", hlo_category="ref:convolution fusion")
    operations: list[bytes] = []
    beside: list[bytes] = []
    for step in range(STEPS):
        at = 5.0 + RUN * step
        operations += [
            device.event(_FROM_HOST, _ps(at), _ps(200)),
            device.event("%fusion.7 = bf16[8,128] fusion(…)", _ps(at + 200), _ps(394)),
            device.event(_TO_HOST, _ps(at + 594), _ps(0.001)),
            device.event("%fusion.7 = bf16[8,128] fusion(…)", _ps(at + 594.001), _ps(12)),
            device.event(_DONE, _ps(at + 606.001), _ps(188)),
        ]
        beside.append(device.event(_TO_HOST, _ps(at + 594), _ps(200)))
    device.line("Steps", *(device.event(str(step), _ps(5.0 + RUN * step), _ps(RUN - 5)) for step in range(STEPS)), id=1)
    device.line("XLA Ops", *operations, id=3)
    device.line("Async XLA Ops", *beside, id=4)
    return Path(xb.write(folder, xb.space(host, device)))
