"""Asks running processes for a profile, all at once, and saves what they send as one session."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from stepscope.capture.ranks import plain_name
from stepscope.capture.remote.service import (
    MONITOR,
    PROFILE,
    TOKEN_KEY,
    Answer,
    Wanted,
    decode_answer,
    decode_monitor_answer,
    encode_monitor_request,
    encode_request,
    load_grpc,
)
from stepscope.capture.session_folder import own_folder, put_file, with_warnings
from stepscope.model.errors import BadInput, StepscopeError
from stepscope.model.protobuf_fields import BadMessage

MOST_ADDRESSES = 256
_CONNECT_SECONDS = 5.0
_LEAST_ANSWER_SECONDS = 60.0
_TOGETHER_NS = 500_000_000
"""Hosts that are captured together begin so much later, when all have the request."""
_HOW_TO = "tf.profiler.experimental.server.start(port), jax.profiler.start_server(port) or stepscope.serve_profiler(port)"


@dataclass(frozen=True, slots=True)
class Captured:
    """What came of a capture: the session's folder, its files, and a sentence for each host that gave none."""

    folder: str | None
    files: tuple[str, ...]
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Target:
    """One process to ask."""

    host: str
    port: int

    @property
    def text(self) -> str:
        """As users write it."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def parse_targets(text: str) -> list[Target]:
    """`host:port,host:port`. Raises BadInput."""
    targets = [_target(part.strip()) for part in text.split(",") if part.strip()]
    if not targets:
        raise BadInput("Give the address of a process to capture from, as HOST:PORT.", "no_address")
    if len(targets) > MOST_ADDRESSES:
        raise BadInput(f"Give at most {MOST_ADDRESSES} addresses; these are {len(targets)}.", "many_addresses")
    return list(dict.fromkeys(targets))


def _target(text: str) -> Target:
    host, _, port = text.removeprefix("grpc://").rpartition(":")
    if not host or not port.isdecimal() or not 0 < int(port) < 65536 or set(host) & set("/ \t?#@"):
        raise BadInput(f"Give an address as HOST:PORT, such as localhost:6009, not as {text!r}.", "bad_address")
    return Target(host.strip("[]"), int(port))


def capture(
    targets: Sequence[Target],
    wanted: Wanted,
    logdir: str,
    *,
    name: str = "",
    token: str = "",
    attempts: int = 3,
    progress: Callable[[str], None] | None = None,
) -> Captured:
    """Captures all targets at the same time and saves what came; `progress` may raise to give up.

    Raises NeedsExtra without gRPC, and BadInput when the folder cannot be written.
    """
    load_grpc()
    started = time.time()
    if len(targets) > 1:
        wanted = Wanted(wanted.duration_ms, wanted.host_level, wanted.device_level, wanted.python_level, time.time_ns() + _TOGETHER_NS)
    stopped = threading.Event()
    with ThreadPoolExecutor(min(len(targets), 32)) as pool:
        asked = [pool.submit(_ask, target, wanted, token, attempts, stopped) for target in targets]
        try:
            while not all(future.done() for future in asked):
                passed = time.time() - started
                if progress is not None:
                    progress(_words(passed, wanted.duration_ms / 1e3, sum(future.done() for future in asked), len(asked)))
                time.sleep(0.1)
        except BaseException:
            stopped.set()
            raise
    answers = [future.result() for future in asked]
    problems = tuple(answer for answer in answers if isinstance(answer, str))
    good = [(target, answer) for target, answer in zip(targets, answers, strict=True) if isinstance(answer, Answer)]
    if not good:
        return Captured(None, (), problems)
    return _save(good, problems, logdir, started, name, len(targets))


def _save(good: list[tuple[Target, Answer]], problems: tuple[str, ...], logdir: str, started: float, name: str, asked: int) -> Captured:
    warnings = [f"Captured from {len(good)} of {asked} hosts.", *problems] if problems else []
    files: list[str] = []
    try:
        folder = own_folder(os.path.join(logdir, "plugins", "profile"), started, plain_name(name))
        for target, answer in good:
            worker = plain_name(target.text.replace("[", "").replace("]", ""))
            for ending, data in answer.files.items():
                path = os.path.join(folder, f"{worker}{ending}")
                put_file(path, with_warnings(data, ending, warnings))
                files.append(path)
    except OSError as error:
        kept = f" {len(files)} of its files are whole." if files else ""
        reason = (error.strerror or str(error)).lower()
        raise BadInput(f"The profile cannot be saved in {logdir}: {reason}.{kept}", "cannot_save") from error
    return Captured(folder, tuple(files), problems)


def _ask(target: Target, wanted: Wanted, token: str, attempts: int, stopped: threading.Event) -> Answer | str:
    """The answer of one process, or a sentence that says why there is none."""
    problem = ""
    for attempt in range(max(1, attempts)):
        if attempt and stopped.wait(min(2.0**attempt / 2, 5.0)):
            break
        problem = _unreachable(target)
        if not problem:
            return _call(target, wanted, token, stopped)
    return problem


def _unreachable(target: Target) -> str:
    """A sentence when nothing listens there; gRPC's own error would not tell the reasons apart."""
    try:
        socket.create_connection((target.host, target.port), _CONNECT_SECONDS).close()
    except socket.gaierror:
        return f"{target.text} could not be captured: no host has this name."
    except TimeoutError:
        waited = f"{_CONNECT_SECONDS:.0f} s"
        return f"{target.text} could not be captured: it does not answer within {waited}. Check the address and the firewall."
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        return f"{target.text} could not be captured: {reason}. Start the service in that process with {_HOW_TO}."
    return ""


def monitor(targets: Sequence[Target], duration_ms: int, *, token: str = "") -> list[tuple[Target, str, bool]]:
    """What each process says of itself, as text, and whether it does; else the text is a sentence that says why not.

    Raises NeedsExtra without gRPC.
    """
    load_grpc()
    with ThreadPoolExecutor(min(len(targets), 32)) as pool:
        asked = [pool.submit(_monitored, target, duration_ms, token) for target in targets]
        return [future.result() for future in asked]


def _monitored(target: Target, duration_ms: int, token: str) -> tuple[Target, str, bool]:
    problem = _unreachable(target)
    if problem:
        return target, problem, False
    grpc = load_grpc()
    metadata = ((TOKEN_KEY, f"Bearer {token}"),) if token else ()
    began = time.monotonic()
    with _channel(grpc, target) as channel:
        try:
            grpc.channel_ready_future(channel).result(timeout=_CONNECT_SECONDS)
            call = channel.unary_unary(MONITOR)
            answer = call(encode_monitor_request(duration_ms), timeout=duration_ms / 1e3 + _CONNECT_SECONDS, metadata=metadata)
            return target, decode_monitor_answer(answer), True
        except grpc.FutureTimeoutError:
            why = "it does not speak gRPC. Give the port of a profiler service."
        except BadMessage:
            why = "its answer is not one of a profiler service."
        except grpc.RpcError as error:
            why = "its profiler service does not answer this. Use stepscope.serve_profiler(port) in that process."
            if error.code() != grpc.StatusCode.UNIMPLEMENTED:
                why = _reason(grpc, error, time.monotonic() - began, duration_ms / 1e3)
    return target, f"{target.text} could not be monitored: {why}", False


def _channel(grpc: Any, target: Target) -> Any:  # noqa: ANN401 (gRPC has no types)
    options = [("grpc.max_receive_message_length", -1), ("grpc.enable_http_proxy", 0), ("grpc.enable_retries", 0)]
    address = f"ipv6:[{target.host}]:{target.port}" if ":" in target.host else target.text
    return grpc.insecure_channel(address, options=options)


def _call(target: Target, wanted: Wanted, token: str, stopped: threading.Event) -> Answer | str:
    grpc = load_grpc()
    seconds = wanted.duration_ms / 1e3
    session = time.strftime("%Y_%m_%d_%H_%M_%S")
    began = time.monotonic()
    with _channel(grpc, target) as channel:
        try:
            grpc.channel_ready_future(channel).result(timeout=_CONNECT_SECONDS)
        except grpc.FutureTimeoutError:
            return f"{target.text} could not be captured: it does not speak gRPC. Give the port of a profiler service."
        call = channel.unary_unary(PROFILE).future(
            encode_request(wanted, session, plain_name(target.text)),
            timeout=3 * seconds + _LEAST_ANSWER_SECONDS,
            metadata=((TOKEN_KEY, f"Bearer {token}"),) if token else (),
        )
        while not call.done():
            if stopped.wait(0.05):
                call.cancel()
                return f"{target.text} was not captured: the capture was cancelled."
        try:
            answer = decode_answer(call.result())
        except grpc.RpcError as error:
            return f"{target.text} could not be captured: {_reason(grpc, error, time.monotonic() - began, seconds)}"
        except BadMessage:
            return f"{target.text} could not be captured: its answer is not one of a profiler service."
    if not answer.files:
        why = "it recorded nothing" if answer.is_empty else "it sent no profile; its version may write to its own disk only"
        return f"{target.text} could not be captured: {why}."
    return answer


def _reason(grpc: Any, error: Any, passed: float, seconds: float) -> str:  # noqa: ANN401 (gRPC has no types)
    """What a status of gRPC means here."""
    code, details = error.code(), " ".join(str(error.details() or "").split())[:200]
    if code == grpc.StatusCode.UNIMPLEMENTED:
        return "it speaks gRPC, but has no profiler service. Give the port of one."
    if code in (grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.PERMISSION_DENIED):
        return "it requires a token. Set STEPSCOPE_CAPTURE_TOKEN to the one that it was started with."
    if code == grpc.StatusCode.DEADLINE_EXCEEDED:
        return f"it did not answer within {passed:.0f} s of a capture of {seconds:g} s."
    if code in (grpc.StatusCode.ALREADY_EXISTS, grpc.StatusCode.RESOURCE_EXHAUSTED) or "nother profil" in details:
        return f"another profile is being captured there ({details or 'busy'}). Try again when it has ended."
    if code == grpc.StatusCode.UNAVAILABLE:
        return f"the connection was lost after {passed:.1f} s; the process may have ended."
    return f"{details or code.name.lower()}."


def _words(passed: float, seconds: float, done: int, hosts: int) -> str:
    if passed < seconds:
        return f"{passed:.1f} of {seconds:g} s"
    return "receiving the profile" if hosts == 1 else f"receiving profiles: {done} of {hosts}"


def problem_of(captured: Captured) -> StepscopeError | None:
    """The error of a capture that gave nothing."""
    return None if captured.folder is not None else BadInput(" ".join(captured.problems), "nothing_captured")
