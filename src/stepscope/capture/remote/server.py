"""stepscope.serve_profiler: answers tensorflow.ProfilerService in a process of PyTorch's or plain Python's."""

from __future__ import annotations

import hmac
import shutil
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Any, Self, TypeVar

from stepscope.capture import running
from stepscope.capture.profilers.choice import Framework, checked_framework, framework_in_use, make_profiler
from stepscope.capture.profilers.profiler import Options
from stepscope.capture.remote.service import (
    SERVICE,
    TOKEN_KEY,
    Answer,
    Wanted,
    decode_monitor_request,
    decode_request,
    encode_answer,
    encode_monitor_answer,
    load_grpc,
)
from stepscope.capture.remote.usage import usage_text
from stepscope.capture.session_folder import packed
from stepscope.model.protobuf_fields import BadMessage

_LOOPBACK = ("127.0.0.1", "::1", "localhost")
_CALLS = 4
_LONGEST_DELAY_NS = 60 * 10**9
Request = TypeVar("Request")


def serve_profiler(port: int = 0, *, host: str = "127.0.0.1", token: str | None = None, framework: str | None = None) -> ProfilerServer:
    """Lets `stepscope capture HOST:PORT` and other clients of TensorFlow's profiler service profile this process.

    It listens on this machine alone. To listen on another address, give a token, which clients have to send; port 0 takes a free one.
    framework is as in stepscope.profile. Raises ValueError for an open address without a token, OSError for a port that is taken, and
    NeedsExtra without gRPC.
    """
    if host not in _LOOPBACK and not token:
        raise ValueError(f"Give token=… to listen on {host}: whoever can connect could slow this process down and read its profile.")
    return ProfilerServer(host, port, token or "", checked_framework(framework))


class ProfilerServer:
    """Answers one capture at a time, until it is stopped."""

    def __init__(self, host: str, port: int, token: str, framework: Framework | None) -> None:
        """Use stepscope.serve_profiler."""
        grpc = load_grpc()
        self._grpc: Any = grpc
        self._token = token
        self._framework: Framework | None = framework
        options = [("grpc.max_send_message_length", -1), ("grpc.so_reuseport", 0)]
        self._server: Any = grpc.server(ThreadPoolExecutor(_CALLS, "stepscope-profiler"), options=options)
        handlers = {
            "Profile": grpc.unary_unary_rpc_method_handler(self._profile),
            "Monitor": grpc.unary_unary_rpc_method_handler(self._monitor),
        }
        self._server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, handlers),))
        address = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        try:
            self.port = int(self._server.add_insecure_port(address))
        except RuntimeError as error:
            raise OSError(f"The profiler service cannot listen on {address}: the port may be in use.") from error
        self._server.start()

    def stop(self) -> None:
        """Ends; a capture that runs is cut off."""
        self._server.stop(None).wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.stop()

    def _checked(self, context: Any, decode: Callable[[bytes], Request], request: bytes) -> Request:  # noqa: ANN401 (gRPC has no types)
        """The request of a client that may ask."""
        codes = self._grpc.StatusCode
        sent = str(dict(context.invocation_metadata()).get(TOKEN_KEY, ""))
        if self._token and not hmac.compare_digest(sent.encode(), f"Bearer {self._token}".encode()):
            context.abort(codes.UNAUTHENTICATED, "a token is required")
        try:
            return decode(request)
        except BadMessage as error:
            context.abort(codes.INVALID_ARGUMENT, f"the request cannot be read: {error}")
            raise

    def _monitor(self, request: bytes, context: Any) -> bytes:  # noqa: ANN401 (gRPC has no types)
        duration = self._checked(context, decode_monitor_request, request)
        return encode_monitor_answer(usage_text(lambda: _wait(duration / 1e3, context)))

    def _profile(self, request: bytes, context: Any) -> bytes:  # noqa: ANN401 (gRPC has no types)
        codes = self._grpc.StatusCode
        wanted = self._checked(context, decode_request, request)
        options = Options(stacks=wanted.python_level > 0, shapes=wanted.host_level > 1, all_threads=True)
        profiler = make_profiler(self._framework or framework_in_use(), options)
        try:
            running.claim(profiler, "a remote client")
        except RuntimeError:
            context.abort(codes.ALREADY_EXISTS, "another profile is being captured in this process")
            raise
        scratch = tempfile.mkdtemp(prefix="stepscope-profile-")
        try:
            _wait_until(wanted)
            profiler.start()
            _wait(wanted.duration_ms / 1e3, context)
            return encode_answer(Answer(dict(packed(profiler.stop(scratch)))))
        finally:
            running.release(profiler)
            shutil.rmtree(scratch, ignore_errors=True)


def _wait_until(wanted: Wanted) -> None:
    """Until the moment at which all hosts begin; a clock that is far off is not waited for."""
    ahead = wanted.start_ns - time.time_ns()
    if 0 < ahead < _LONGEST_DELAY_NS:
        time.sleep(ahead / 1e9)


def _wait(seconds: float, context: Any) -> None:  # noqa: ANN401 (gRPC has no types)
    """As long as the capture takes; a client that has gone away ends it."""
    until = time.monotonic() + seconds
    while time.monotonic() < until and context.is_active():
        time.sleep(min(0.05, max(0.0, until - time.monotonic())))
