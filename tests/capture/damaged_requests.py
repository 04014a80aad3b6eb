"""Sends requests that are none to a profiler service, and then a good one; prints the status of each as JSON."""
# pyright: reportMissingImports=false

import json
import sys

import grpc

from stepscope.capture.remote.service import LONGEST_MS, PROFILE, SERVICE, Wanted, decode_answer, encode_request

GOOD = encode_request(Wanted(50), "session", "host")
BAD = {
    "noise": b"\xff" * 20,
    "cut": GOOD[:-1],
    "empty": b"",
    "no time": encode_request(Wanted(0), "", ""),
    "an age": encode_request(Wanted(LONGEST_MS + 1), "", ""),
    "large": b"\x0a" + b"\xff" * (8 << 20),
}


def status(channel: grpc.Channel, data: bytes, method: str = PROFILE) -> str:
    try:
        return "files" if decode_answer(channel.unary_unary(method)(data, timeout=60)).files else "nothing"
    except grpc.RpcError as error:
        return error.code().name


with grpc.insecure_channel(sys.argv[1], options=[("grpc.max_send_message_length", -1), ("grpc.enable_http_proxy", 0)]) as channel:
    told = {name: status(channel, data) for name, data in BAD.items()}
    told["method"] = status(channel, GOOD, f"/{SERVICE}/Terminate")
    told["good"] = status(channel, GOOD)
print(json.dumps(told))
