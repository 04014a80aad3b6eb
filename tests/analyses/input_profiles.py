"""Profiles whose input pipelines are known: tf.data's stages and torch's loader."""

from __future__ import annotations

from analyses.timeline import MS, Timeline
from stepscope.model.profile import Profile, SpanKind


def tf_data() -> Profile:
    """Root waits 6 ms for an empty prefetch buffer; upstream Map takes 2 of its 8 ms itself, the generator 6."""
    line = Timeline()
    line.draw("main    1111111111\nmain    iiiiii....\nmain    ......oooo", i="Iterator::Root")
    line.span("loader 1", 0, 6 * MS, SpanKind.FRAMEWORK, "Iterator::Root::Prefetch")
    line.span("loader 2", 0, 8 * MS, SpanKind.FRAMEWORK, "Iterator::Root::Prefetch::Map")
    line.span("loader 2", 0, 7 * MS, SpanKind.OTHER, "between")
    line.span("loader 2", MS, 7 * MS, SpanKind.FRAMEWORK, "Iterator::Root::Prefetch::Map::Generator")
    return line.build()


def torch_loader() -> Profile:
    """A fetch of 10 ms: sampling 1, own code 5 with 2 of reading and 1 of decoding in it, collating 2, and 2 without a span."""
    line = Timeline()
    line.draw("main    11111111111111\nmain    iiiiiiiiii....\n", i="enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__")
    line.span("main", 0, MS, SpanKind.PYTHON, "torch/utils/data/sampler.py(343): __iter__")
    line.span("main", MS, 6 * MS, SpanKind.PYTHON, "train.py(9): __getitem__")
    line.span("main", 2 * MS, 4 * MS, SpanKind.PYTHON, "<built-in function open>")
    line.span("main", 4 * MS, 5 * MS, SpanKind.PYTHON, "PIL/Image.py(2968): open")
    line.span("main", 6 * MS, 8 * MS, SpanKind.PYTHON, "torch/utils/data/_utils/collate.py(340): default_collate")
    line.span("main", 6 * MS, 7 * MS, SpanKind.OP, "aten::empty")
    return line.build()
