"""Reads traces with the messages that Perfetto publishes, and says what is wrong with them.

usage: check.py TRACE...
"""

import collections
import sys

from google.protobuf.unknown_fields import UnknownFieldSet
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as published

EVENT = published.TrackEvent


def unknown(message):
    """Fields that are not published, of a message and those in it."""
    if len(UnknownFieldSet(message)):
        yield message.DESCRIPTOR.name
    for field, value in message.ListFields():
        if field.message_type:
            for inner in value if field.is_repeated else [value]:
                yield from unknown(inner)


def faults(trace):
    tracks, depth, flows = {}, collections.Counter(), collections.Counter()
    clocks, last = {}, 0
    for packet in trace.packet:
        for name in unknown(packet):
            yield f"{name} has a field that is not published"
        if not packet.trusted_packet_sequence_id:
            yield "a packet is of no sequence"
        kind = packet.WhichOneof("data")
        if kind == "clock_snapshot":
            clocks = {c.clock_id: c.timestamp for c in packet.clock_snapshot.clocks}
        elif kind == "track_descriptor":
            track = packet.track_descriptor
            if track.uuid in tracks or track.parent_uuid and track.parent_uuid not in tracks:
                yield f"track {track.name} is described twice, or before the one above it"
            tracks[track.uuid] = track
        elif kind == "track_event":
            event, track = packet.track_event, tracks.get(packet.track_event.track_uuid)
            if track is None:
                yield f"event {event.name} is on no track"
                continue
            if packet.timestamp < last:
                yield f"event {event.name} comes after a later one"
            last = packet.timestamp
            if track.HasField("counter") != (event.type == EVENT.TYPE_COUNTER) or event.type == EVENT.TYPE_COUNTER and not event.HasField("double_counter_value"):
                yield f"event {event.name} and its track {track.name} do not agree on whether it counts"
            depth[track.uuid] += {EVENT.TYPE_SLICE_BEGIN: 1, EVENT.TYPE_SLICE_END: -1}.get(event.type, 0)
            if depth[track.uuid] not in (0, 1):
                yield f"slices overlap on track {track.name}"
            for flow in event.flow_ids:
                flows[flow] += 1
            for flow in event.terminating_flow_ids:
                flows[flow] += 100
        else:
            yield f"a packet holds {kind}"
    if clocks.get(published.BUILTIN_CLOCK_REALTIME, 0) != clocks.get(published.BUILTIN_CLOCK_BOOTTIME, 1):
        yield "the clock is not real time"
    for track, open_slices in depth.items():
        if open_slices:
            yield f"a slice of track {tracks[track].name} does not end"
    for flow, ends in flows.items():
        if ends != 101:
            yield f"flow {flow} has not one beginning and one end"


def main():
    for name in sys.argv[1:]:
        trace = published.Trace()
        with open(name, "rb") as file:
            trace.ParseFromString(file.read())
        wrong = list(faults(trace))
        for fault in wrong[:10]:
            print(f"{name}: {fault}", file=sys.stderr)
        kinds = collections.Counter(p.WhichOneof("data") for p in trace.packet)
        if wrong or not kinds["track_event"]:
            sys.exit(f"{name}: {len(wrong)} faults in {kinds['track_event']} events")
        print(f"{name}: {kinds['track_descriptor']} tracks, {kinds['track_event']} events")


main()
