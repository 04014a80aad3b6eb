"""PyTorch's profiler (Kineto): operations, kernels and copies of this process, as a Chrome trace."""

from __future__ import annotations

import importlib
import json
import os
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any

from stepscope.capture import ranks
from stepscope.capture.profilers.profiler import Options, Recorded

_ENDING = ".pt.trace.json"


class TorchProfiler:
    """Synchronisation events are recorded where there is a GPU: without them, waits have no cause."""

    def __init__(self, options: Options) -> None:
        """Loads nothing that the training has not loaded."""
        self._torch: Any = importlib.import_module("torch")
        self._options = options
        self._profile: Any = None

    def start(self) -> None:
        """Records what the calling thread and those that it starts do."""
        profile = self._torch.profiler.profile(
            record_shapes=self._options.shapes,
            profile_memory=self._options.memory,
            with_stack=self._options.stacks,
            **self._configuration(),
        )
        profile.start()
        self._profile = profile
        if ranks.world_size() > 1 and not self._knows_ranks():
            profile.add_metadata_json("distributedInfo", json.dumps({"rank": ranks.rank(), "world_size": ranks.world_size()}))

    def _configuration(self) -> dict[str, object]:
        wanted: dict[str, bool] = {}
        if self._torch.cuda.is_available():
            wanted["enable_cuda_sync_events"] = True
        if self._options.all_threads:
            wanted["profile_all_threads"] = True
        configuration = importlib.import_module("torch._C._profiler")._ExperimentalConfig
        return {"experimental_config": configuration(**wanted)} if wanted else {}

    def _knows_ranks(self) -> bool:
        """Whether PyTorch will write the rank by itself."""
        distributed = self._torch.distributed
        return bool(distributed.is_available() and distributed.is_initialized())

    def step(self, number: int) -> AbstractContextManager[object]:
        """The name that torch.profiler's own `step` gives."""
        return self._torch.profiler.record_function(f"ProfilerStep#{number}")

    def span(self, name: str) -> AbstractContextManager[object]:
        """An annotation."""
        return self._torch.profiler.record_function(name)

    def op(self, name: str, inputs: Sequence[object]) -> AbstractContextManager[object]:
        """As PyTorch itself marks kernels that it did not register, with the shapes of tensors; an annotation where it cannot."""
        marked: Any = getattr(importlib.import_module("torch._C._profiler"), "_RecordFunctionFast", None)
        return self.span(name) if marked is None else marked(name, list(inputs), {})

    def stop(self, scratch: str) -> list[Recorded]:
        """Written without compression: that is left to the thread that moves it into the session's folder."""
        self._profile.stop()
        path = os.path.join(scratch, f"0{_ENDING}")
        self._profile.export_chrome_trace(path)
        self._profile = None
        return [Recorded(path, _ENDING)]
