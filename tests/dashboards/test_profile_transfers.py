"""The route of transfers: directions, operations, streams, what the step sees of them, and bad questions."""

from __future__ import annotations

from dashboards.profile_server import ProfileServer

PICTURE = """
    main     11111111112222222222
    main     oooooooooooooooooooo
    main      l l        l l
    gpu 0     KKKKKK     KKKKKK
    gpu 0/9     HHHHHH     HHHHHH
"""


def test_copies_by_direction(profiles: ProfileServer) -> None:
    profiles.record("train", "worker0", PICTURE)
    (session,) = profiles.sessions()
    answer = profiles.part("transfers", session["id"])
    (row,) = answer["transfers"]
    assert answer["total"] == 1
    assert (row["direction"], row["host_memory"], row["source_memory"]) == ("host to device", "unknown", "unknown")
    assert (row["count"], row["total_us"], row["bytes"], row["bytes_per_second"]) == (2, 12_000, None, None)
    assert (row["exposed_us"], row["overlapped_us"]) == (2_000, 4_000)
    assert (row["streams"], row["blocked_us"], row["blocked_by"]) == ([9], 0, "")


def test_copies_by_operation_and_stream(profiles: ProfileServer) -> None:
    profiles.record("train", "worker0", PICTURE, o="aten::to")
    (session,) = profiles.sessions()
    for by in ("operation", "stream"):
        (row,) = profiles.part("transfers", session["id"], by=by)["transfers"]
        assert (row["op"], row["streams"]) == ("aten::to", [9])
    assert profiles.part("transfers", session["id"], 400, by="colour")["error"]["message"].endswith(".")


def test_none(profiles: ProfileServer) -> None:
    profiles.record("train", "worker0", "main  1111oo")
    (session,) = profiles.sessions()
    assert profiles.part("transfers", session["id"])["transfers"] == []
