"""Run with the peers' Python: what Perfetto's real messages say of an exported trace, and a trace written with them."""
# pyright: reportMissingImports=false

from __future__ import annotations

import json
import sys
from pathlib import Path

from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as messages

folder = Path(sys.argv[1])
Event = messages.TrackEvent

found = messages.Trace()
found.ParseFromString((folder / "ours.pftrace").read_bytes())
names: dict[int, str] = {}
tracks: dict[int, str] = {}
open_slices: dict[int, list[tuple[str, int]]] = {}
slices: list[tuple[str, str, int, int]] = []
flows: dict[str, list[int]] = {"from": [], "to": []}
counters: list[tuple[str, int, float]] = []
for packet in found.packet:
    names |= {one.iid: one.name for one in packet.interned_data.event_names}
    if packet.HasField("track_descriptor"):
        tracks[packet.track_descriptor.uuid] = packet.track_descriptor.name or packet.track_descriptor.process.process_name
    event = packet.track_event
    if event.type == Event.TYPE_SLICE_BEGIN:
        open_slices.setdefault(event.track_uuid, []).append((names[event.name_iid], packet.timestamp))
        flows["from"] += event.flow_ids
        flows["to"] += event.terminating_flow_ids
    elif event.type == Event.TYPE_SLICE_END:
        name, start = open_slices[event.track_uuid].pop()
        slices.append((tracks[event.track_uuid], name, start, packet.timestamp))
    elif event.type == Event.TYPE_COUNTER:
        counters.append((tracks[event.track_uuid], packet.timestamp, event.double_counter_value))

written = messages.Trace()
first = written.packet.add(trusted_packet_sequence_id=7, sequence_flags=1)
first.trace_packet_defaults.timestamp_clock_id = 64
first.trace_packet_defaults.track_event_defaults.track_uuid = 11
clock = first.clock_snapshot.clocks.add(clock_id=64, timestamp=1000, is_incremental=True, unit_multiplier_ns=1000)
about = written.packet.add(trusted_packet_sequence_id=7).track_descriptor
about.uuid = 11
about.thread.pid, about.thread.tid, about.thread.thread_name = 5, 6, "worker"
for kind, name, delta in (("BEGIN", "outer", 5), ("BEGIN", "inner", 2), ("END", "", 3), ("INSTANT", "now", 1), ("END", "", 4)):
    packet = written.packet.add(trusted_packet_sequence_id=7, timestamp=delta)
    packet.track_event.type = Event.TYPE_INSTANT if kind == "INSTANT" else getattr(Event, f"TYPE_SLICE_{kind}")
    if name:
        packet.track_event.name = name
(folder / "theirs.pftrace").write_bytes(written.SerializeToString())
print(json.dumps({"slices": slices, "flows": flows, "counters": counters, "open": sum(map(len, open_slices.values()))}))
