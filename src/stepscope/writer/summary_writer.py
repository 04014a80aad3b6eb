"""SummaryWriter: torch's interface over our own queue, encoder and files; one file beside this one per summary kind.

A kind's file is loaded by its first call, so that a training that logs numbers loads nothing else.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from functools import cached_property
from types import TracebackType
from typing import TYPE_CHECKING, NoReturn, Protocol, Self, SupportsFloat, SupportsIndex, TypeVar, cast

from stepscope.writer.compiled import keep_from_torch, plain
from stepscope.writer.complaints import warn_once
from stepscope.writer.event_log import Rotation
from stepscope.writer.event_stream import LONGEST_BLOCK_SECONDS, LONGEST_FLUSH_SECONDS, EventStream
from stepscope.writer.folders import checked_folder, checked_suffix, default_folder, fixed, folder_below
from stepscope.writer.in_jax import settle
from stepscope.writer.needs import needs
from stepscope.writer.recording import goes_on, recorded
from stepscope.writer.scalar import (
    CONDITIONAL,
    FLOAT_TENSOR,
    FORM_OF_PRECISION,
    OWN_FORM,
    Precision,
    as_step,
    form_of_call,
    scalar_entry,
)
from stepscope.writer.summary import Deferred, Step, checked_tag, moment_of

if TYPE_CHECKING:
    from stepscope.writer.annotate import Verdicts
    from stepscope.writer.embedding import Projector
    from stepscope.writer.histogram import Bins, NonFinite
    from stepscope.writer.layout import Layout
    from stepscope.writer.ready_messages import ReadyMessages
    from stepscope.writer.request import Request

Number = SupportsFloat | SupportsIndex
_N = TypeVar("_N", int, float)


class Companion(Protocol):
    """What logs to a writer from a thread of its own, such as a system monitor."""

    def close(self) -> None:
        """Returns once it logs no more."""
        ...


class SummaryWriter:
    """Writes event files that Stepscope and TensorBoard read. Safe to use from several threads, in signal handlers, and after a fork.

    A call takes about a microsecond: the value, step and time are taken and queued, and a thread does the rest. What was
    logged is in the file 0.2 s later, or `flush_secs` later where that is shorter; so much is lost when the process is
    killed. Trouble with the disk never raises into training; writer/event_stream.py says what happens instead.
    """

    def __init__(
        self,
        log_dir: str | os.PathLike[str] | None = None,
        comment: str = "",
        purge_step: int | None = None,
        max_queue: int = 10,
        flush_secs: float = 120,
        filename_suffix: str = "",
        *,
        precision: Precision = "float32",
        logdir: str | os.PathLike[str] | None = None,
        max_file_bytes: int | None = None,
        max_file_age: float | None = None,
    ) -> None:
        """Opens an event file in log_dir, by default runs/<date>_<host><comment>.

        The file is made by a thread, which is waited for at most 0.1 s; what the disk refuses is a warning.
        purge_step says that a crashed run goes on from that step: points at or after it are superseded.
        max_queue is there for torch's sake: the queue always takes at least 65,536 points.
        precision="float64" keeps all digits of every value; TensorBoard's own data server cannot show such scalars.
        logdir is tensorboardX's name for log_dir.
        max_file_bytes and max_file_age (in seconds) begin a new file in the same folder when one is as large or as old.
        """
        if precision not in FORM_OF_PRECISION:
            raise ValueError(f'Give precision as "float32" or "float64", not as {precision!r}.')
        if log_dir and logdir:
            raise TypeError("Give log_dir or logdir, which mean the same, but not both.")
        self.log_dir = checked_folder(log_dir or logdir or default_folder(comment))
        self.purge_step = None if purge_step is None else as_step(purge_step)
        self.max_queue = _checked_number(max_queue, "max_queue")
        self.flush_secs = _checked_number(flush_secs, "flush_secs")
        self.filename_suffix = checked_suffix(filename_suffix)
        self._rotation = _checked_rotation(max_file_bytes, max_file_age)
        self._form = FORM_OF_PRECISION[precision]
        self._restart_step = self.purge_step
        self._folder = fixed(self.log_dir)
        self._stream: EventStream | None = None
        self._open: dict[str, EventStream] = {}
        self._ending: list[tuple[EventStream, Request]] = []
        self._companions: list[Companion] = []
        keep_from_torch()
        self._open_stream().wait_begun(LONGEST_BLOCK_SECONDS)

    @plain
    def add_scalar(
        self,
        tag: str,
        scalar_value: Number,
        global_step: Step = None,
        walltime: float | None = None,
        new_style: bool = False,
        double_precision: bool = False,
    ) -> None:
        """Logs one number: anything with a single element. new_style with double_precision keeps all its digits."""
        form = form_of_call(new_style, double_precision) if new_style else OWN_FORM
        stream = self._stream or self._open_stream()
        outcome = stream.put_if_certain(tag, scalar_value, global_step, walltime, form)
        if outcome == CONDITIONAL:
            values = (tag, scalar_value, global_step, walltime, new_style, double_precision)
            if not goes_on(self.add_scalar, values, global_step):
                return
            outcome = stream.put_now(tag, scalar_value, global_step, walltime, form)
        if outcome:
            stream.attend(outcome, tag, scalar_value, global_step, walltime, form)

    @recorded
    def add_scalars(
        self, main_tag: str, tag_scalar_dict: Mapping[str, Number], global_step: Step = None, walltime: float | None = None
    ) -> None:
        """Logs numbers that belong in one chart, each as a run of its own in a folder <main_tag>_<tag> below this one."""
        checked_tag(main_tag)
        when = time.time() if walltime is None else walltime
        prefix = main_tag.replace("/", "_")
        entries = {
            folder_below(self._folder, f"{prefix}_{checked_tag(tag)}", "the tags of add_scalars"): scalar_entry(
                main_tag, value, global_step, when, None
            )
            for tag, value in tag_scalar_dict.items()
        }
        for folder, entry in entries.items():
            self._stream_of(folder, self._restart_step).put(entry)

    @recorded
    @needs("histogram")
    def add_histogram(
        self,
        tag: str,
        values: object,
        global_step: Step = None,
        bins: Bins = "tensorflow",
        walltime: float | None = None,
        max_bins: int | None = None,
    ) -> None:
        """Logs the distribution of an array's values. NaN and infinities are left out, with one warning per writer."""
        from stepscope.writer.histogram import histogram_work

        self._put(histogram_work(tag, values, bins, max_bins, self._non_finite, moment_of(global_step, walltime)))

    @recorded
    @needs("histogram")
    def add_histogram_raw(
        self,
        tag: str,
        min: float,
        max: float,
        num: float,
        sum: float,
        sum_squares: float,
        bucket_limits: object,
        bucket_counts: object,
        global_step: Step = None,
        walltime: float | None = None,
    ) -> None:
        """Logs a distribution that was counted elsewhere; bucket_limits are the buckets' right ends."""
        from stepscope.writer.histogram import histogram_raw_work

        statistics = {"min": min, "max": max, "num": num, "sum": sum, "sum_squares": sum_squares}
        self._put(histogram_raw_work(tag, statistics, bucket_limits, bucket_counts, moment_of(global_step, walltime)))

    @recorded
    @needs("image")
    def add_image(
        self, tag: str, img_tensor: object, global_step: Step = None, walltime: float | None = None, dataformats: str = "CHW"
    ) -> None:
        """Logs a picture of 1 to 4 channels: bytes, or numbers from 0 to 1. dataformats says what each dimension is.

        The bytes of a PNG, JPEG, GIF or WebP file are logged as they are.
        """
        from stepscope.writer.image import image_work

        self._put(image_work(tag, img_tensor, dataformats, moment_of(global_step, walltime)))

    @recorded
    @needs("image")
    def add_images(
        self, tag: str, img_tensor: object, global_step: Step = None, walltime: float | None = None, dataformats: str = "NCHW"
    ) -> None:
        """Logs pictures as one, in rows of eight; a list of the bytes of files is logged under one tag, each as it is."""
        from stepscope.writer.image import image_work

        self._put(image_work(tag, img_tensor, dataformats, moment_of(global_step, walltime)))

    @recorded
    @needs("boxes")
    def add_image_with_boxes(
        self,
        tag: str,
        img_tensor: object,
        box_tensor: object,
        global_step: Step = None,
        walltime: float | None = None,
        rescale: float = 1,
        dataformats: str = "CHW",
        labels: Sequence[str] | str | None = None,
    ) -> None:
        """Logs a picture with boxes (left, upper, right, lower) and their labels drawn on it. Needs Pillow."""
        from stepscope.writer.boxes import boxes_work

        self._put(boxes_work(tag, img_tensor, box_tensor, labels, rescale, dataformats, moment_of(global_step, walltime)))

    @recorded
    @needs("annotate")
    def add_annotated_image(
        self,
        tag: str,
        img_tensor: object,
        global_step: Step = None,
        walltime: float | None = None,
        *,
        boxes: object = None,
        masks: object = None,
        labels: Sequence[str] | str | None = None,
        correct: Verdicts = None,
        dataformats: str = "CHW",
    ) -> None:
        """Logs a picture with boxes, masks and labels drawn on it, green where `correct` and red where not; see annotate."""
        from stepscope.writer.annotate import annotated, annotated_work

        what = annotated(img_tensor, boxes, masks, labels, correct, dataformats)
        self._put(annotated_work(tag, what, moment_of(global_step, walltime)))

    @recorded
    @needs("image")
    @needs("figure")
    def add_figure(self, tag: str, figure: object, global_step: Step = None, close: bool = True, walltime: float | None = None) -> None:
        """Logs a matplotlib figure, or a list of them as one picture, and closes it unless told not to."""
        from stepscope.writer.figure import figure_pixels
        from stepscope.writer.image import image_work

        moment = moment_of(global_step, walltime)
        pixels, dataformats = figure_pixels(figure, close)
        self._put(image_work(tag, pixels, dataformats, moment))

    @recorded
    @needs("image")
    def add_video(self, tag: str, vid_tensor: object, global_step: Step = None, fps: float = 4, walltime: float | None = None) -> None:
        """Logs films N×T×C×H×W side by side, as an animated PNG."""
        from stepscope.writer.image import video_work

        self._put(video_work(tag, vid_tensor, fps, moment_of(global_step, walltime)))

    @recorded
    @needs("audio")
    def add_audio(
        self, tag: str, snd_tensor: object, global_step: Step = None, sample_rate: int = 44100, walltime: float | None = None
    ) -> None:
        """Logs a sound of one channel: numbers from -1 to 1, or 16-bit samples."""
        from stepscope.writer.audio import audio_work

        self._put(audio_work(tag, snd_tensor, sample_rate, moment_of(global_step, walltime)))

    @recorded
    @needs("text")
    def add_text(self, tag: str, text_string: str, global_step: Step = None, walltime: float | None = None) -> None:
        """Logs text, which is shown as Markdown."""
        from stepscope.writer.text import text_work

        self._put(text_work(tag, text_string, moment_of(global_step, walltime)))

    @needs("torch_graph")
    def add_graph(self, model: object, input_to_model: object = None, verbose: bool = False, use_strict_trace: bool = True) -> None:
        """Logs the graph of a torch module, traced with the input; the module stays as it is."""
        from stepscope.writer.torch_graph import torch_graph_works

        for work in torch_graph_works(model, input_to_model, verbose, use_strict_trace, moment_of(None, None)):
            self._put(work)

    @needs("graph")
    @needs("onnx_graph")
    def add_onnx_graph(self, prototxt: str | os.PathLike[str]) -> None:
        """Logs the graph of an ONNX file; the onnx package is not needed."""
        from stepscope.writer.graph import graph_work
        from stepscope.writer.onnx_graph import onnx_nodes

        self._put(graph_work(onnx_nodes(prototxt), moment_of(None, None)))

    @recorded
    @needs("embedding")
    def add_embedding(
        self,
        mat: object,
        metadata: object = None,
        label_img: object = None,
        global_step: Step = None,
        tag: str = "default",
        metadata_header: Sequence[str] | None = None,
    ) -> None:
        """Logs vectors for the projector, with a row of metadata and a picture for each where they are given."""
        step = moment_of(global_step, 0).step
        self._put(self._projector.work(mat, metadata, label_img, step, checked_tag(tag), metadata_header))

    @recorded
    @needs("pr_curve")
    def add_pr_curve(
        self,
        tag: str,
        labels: object,
        predictions: object,
        global_step: Step = None,
        num_thresholds: int = 127,
        weights: object = None,
        walltime: float | None = None,
    ) -> None:
        """Logs the precision-recall curve of predictions between 0 and 1."""
        from stepscope.writer.pr_curve import pr_curve_work

        self._put(pr_curve_work(tag, labels, predictions, num_thresholds, weights, moment_of(global_step, walltime)))

    @recorded
    @needs("pr_curve")
    def add_pr_curve_raw(
        self,
        tag: str,
        true_positive_counts: object,
        false_positive_counts: object,
        true_negative_counts: object,
        false_negative_counts: object,
        precision: object,
        recall: object,
        global_step: Step = None,
        num_thresholds: int = 127,
        weights: object = None,
        walltime: float | None = None,
    ) -> None:
        """Logs a precision-recall curve that was computed elsewhere; weights are there for torch's sake."""
        from stepscope.writer.pr_curve import pr_curve_raw_work

        del weights
        counts = (true_positive_counts, false_positive_counts, true_negative_counts, false_negative_counts)
        self._put(pr_curve_raw_work(tag, (*counts, precision, recall), num_thresholds, moment_of(global_step, walltime)))

    @recorded
    @needs("layout")
    def add_custom_scalars(self, layout: Layout) -> None:
        """Says which scalars share a chart: {category: {title: ["Multiline", tags] or ["Margin", three tags]}}."""
        from stepscope.writer.layout import layout_work

        self._put(layout_work(layout, moment_of(None, None)))

    def add_custom_scalars_multilinechart(self, tags: Sequence[str], category: str = "default", title: str = "untitled") -> None:
        """Puts scalars into one chart."""
        self.add_custom_scalars({category: {title: ["Multiline", tags]}})

    def add_custom_scalars_marginchart(self, tags: Sequence[str], category: str = "default", title: str = "untitled") -> None:
        """Draws one scalar with two others as its lower and upper margin."""
        self.add_custom_scalars({category: {title: ["Margin", tags]}})

    @recorded
    @needs("mesh")
    def add_mesh(
        self,
        tag: str,
        vertices: object,
        colors: object = None,
        faces: object = None,
        config_dict: Mapping[str, object] | None = None,
        global_step: Step = None,
        walltime: float | None = None,
    ) -> None:
        """Logs meshes or point clouds; every array has the shape batch × number × 3."""
        from stepscope.writer.mesh import mesh_work

        self._put(mesh_work(tag, vertices, faces, colors, config_dict, moment_of(global_step, walltime)))

    @recorded
    @needs("hparams")
    def add_hparams(
        self,
        hparam_dict: Mapping[str, object],
        metric_dict: Mapping[str, Number],
        hparam_domain_discrete: Mapping[str, Sequence[object]] | None = None,
        run_name: str | None = None,
        global_step: Step = None,
    ) -> None:
        """Logs hyperparameters and the metrics they led to, as a run of its own: run_name, a folder inside the log folder."""
        from stepscope.writer.hparams import hparams_works

        works = hparams_works(hparam_dict, metric_dict, hparam_domain_discrete, moment_of(global_step, None))
        entries = [scalar_entry(tag, value, global_step, None, None) for tag, value in metric_dict.items()]
        stream = EventStream(folder_below(self._folder, run_name or str(time.time()), "run_name"))
        stream.begin()
        for work in works:
            stream.put_deferred(work)
        for entry in entries:
            stream.put(entry)
        ticket = stream.ask_to_close(finished=True)
        if ticket is not None and not stream.is_done(ticket, LONGEST_BLOCK_SECONDS):
            self._ending.append((stream, ticket))

    @needs("config")
    def log_config(self, config: object, global_step: Step = None) -> None:
        """Logs a run's settings, nested or not, as a table of text called config and as the run's hyperparameters."""
        from stepscope.writer.config import config_works

        for work in config_works(config, moment_of(global_step, None)):
            self._put(work)

    @recorded
    @needs("tensor")
    def add_tensor(self, tag: str, tensor: object, global_step: Step = None, walltime: float | None = None) -> None:
        """Logs a tensor of any shape, which keeps its type."""
        from stepscope.writer.tensor import tensor_work

        self._put(tensor_work(tag, tensor, moment_of(global_step, walltime)))

    def put_scalar(self, tag: str, value: Number, step: Step) -> None:
        """Logs one number as a tensor of its own, as TensorFlow does; for what tests record_if itself."""
        stream = self._stream or self._open_stream()
        outcome = stream.put_now(tag, value, step, None, FLOAT_TENSOR)
        if outcome:
            stream.attend(outcome, tag, value, step, None, FLOAT_TENSOR)

    def put_scalars(self, tags: tuple[str, ...], values: list[float], step: int, walltime: float) -> None:
        """Logs numbers of one moment at the cost of one call; record_if is not asked."""
        stream = self._stream or self._open_stream()
        outcome = stream.put_all_now(tags, values, step, walltime)
        if outcome:
            stream.attend_all(outcome, tags, values, step, walltime)

    def put_event(self, work: Deferred) -> None:
        """Logs an event of any kind, made by the writer's thread; for what tests record_if itself."""
        self._put(work)

    def get_logdir(self) -> str:
        """The folder the event file is in."""
        return self.log_dir

    @cached_property
    def file_writer(self) -> ReadyMessages:
        """Takes messages that were made elsewhere, as torch's file_writer does."""
        from stepscope.writer.ready_messages import ReadyMessages

        return ReadyMessages(self)

    def _get_file_writer(self) -> ReadyMessages:
        """There for torch's sake: programs that log hyperparameters to the run itself call it."""
        return self.file_writer

    @property
    def current_step(self) -> int | None:
        """The highest step of a scalar logged so far, at most a fraction of a second late; None before the first."""
        return None if self._stream is None else self._stream.highest_step

    def attach(self, companion: Companion) -> None:
        """From now on closing the writer first closes the companion, which logs by itself."""
        self._companions.append(companion)

    def leave_out(self, error: BaseException) -> None:
        """Counts a value as lost that could not be logged for want of a part of the writer."""
        (self._stream or self._open_stream()).count_lost()
        warn_once("Could not load a part of the writer (%s: %s); values that need it are left out.", type(error).__name__, error)

    def flush(self) -> None:
        """Returns when all that was logged is in the file, and warns when that is not possible within 30 s."""
        settle()
        self._wait_for_endings(time.monotonic() + LONGEST_FLUSH_SECONDS)
        for stream in self._streams():
            stream.flush()

    def close(self) -> None:
        """Writes all that was logged, and marks the run as finished. Logging again opens a new file."""
        self._close(finished=True)

    def close_later(self) -> None:
        """Starts to write all that was logged, and to close, without waiting for it."""
        for stream, ticket in self._ask_to_close(finished=True):
            if ticket is not None:
                stream.is_done(ticket, 0.0)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Closes; a run that ended in an exception is not marked as finished."""
        self._close(finished=error is None)

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "Make a SummaryWriter where it is needed, perhaps for the same folder: one cannot be copied or sent to a process."
        )

    @cached_property
    def _non_finite(self) -> NonFinite:
        from stepscope.writer.histogram import NonFinite

        return NonFinite()

    @cached_property
    def _projector(self) -> Projector:
        from stepscope.writer.embedding import Projector

        return Projector(self._folder)

    def _open_stream(self) -> EventStream:
        self._stream = self._stream_of(self._folder, self.purge_step)
        self.purge_step = None
        return self._stream

    def _stream_of(self, folder: str, purge_step: int | None) -> EventStream:
        """The stream of a folder: this writer's own, or that of one line of add_scalars."""
        found = self._open.get(folder)
        if found is None:
            made = EventStream(
                folder,
                self.filename_suffix,
                max_queue=self.max_queue,
                flush_secs=self.flush_secs,
                form=self._form,
                purge_step=purge_step,
                rotation=self._rotation,
            )
            found = self._open.setdefault(folder, made)  # Another thread, or a signal handler, may have been faster.
            found.begin()
        return found

    def _put(self, work: Deferred) -> None:
        (self._stream or self._open_stream()).put_deferred(work)

    def _streams(self) -> list[EventStream]:
        streams = list(self._open.values())
        return streams if self._stream is None or self._stream in streams else [*streams, self._stream]

    def _ask_to_close(self, *, finished: bool) -> list[tuple[EventStream, Request | None]]:
        settle()
        companions, self._companions = self._companions, []
        for companion in companions:
            companion.close()
        streams = self._streams()
        self._open, self._stream, self._restart_step = {}, None, None
        return [(stream, stream.ask_to_close(finished)) for stream in streams]

    def _close(self, *, finished: bool) -> None:
        tickets = self._ask_to_close(finished=finished)
        deadline = time.monotonic() + LONGEST_FLUSH_SECONDS
        self._wait_for_endings(deadline)
        for stream, ticket in tickets:
            stream.wait_closed(ticket, max(0.1, deadline - time.monotonic()))

    def _wait_for_endings(self, deadline: float) -> None:
        """Waits for the streams of add_hparams that were not done when it returned."""
        ending, self._ending = self._ending, []
        for stream, ticket in ending:
            stream.wait_done(ticket, max(0.1, deadline - time.monotonic()))


def _checked_number(number: _N, name: str) -> _N:
    if not isinstance(cast("object", number), int | float):
        raise TypeError(f"Give {name} as a number, not as {type(number).__name__}.")
    return number


def _checked_rotation(max_bytes: int | None, max_age: float | None) -> Rotation:
    if max_bytes is not None and _checked_number(max_bytes, "max_file_bytes") < 1:
        raise ValueError(f"Give max_file_bytes of at least 1, not {max_bytes}.")
    if max_age is not None and not _checked_number(max_age, "max_file_age") > 0:
        raise ValueError(f"Give max_file_age in seconds, above 0, not {max_age}.")
    return Rotation(max_bytes, max_age)
