// Package perfetto writes traces of tracks, slices, counters and flows that ui.perfetto.dev
// opens.
//
//	var t perfetto.Trace
//	pool := t.Track(perfetto.Track{}, 0, "pool prod", "")
//	usage := t.Counter(pool, 1, "usage", "share of the tree")
//	t.Set(usage, from, 0.25)
//	t.Slice(pool, from, to, "starving", perfetto.Note{"finding", "19ebdac63c4d"})
//	t.Flow(preemptor, victim, at, "preempts", "preempted")
//	b := t.Bytes()
//
// A trace is a protobuf message Trace of TracePackets. The numbers of the fields are those
// that Perfetto publishes in protos/perfetto/trace: trace.proto, trace_packet.proto,
// clock_snapshot.proto and track_event/{track_descriptor,counter_descriptor,track_event,
// debug_annotation}.proto. testdata/check.py reads a trace with Perfetto's own reading of
// them.
//
// Times are µs since 1970 and become the nanoseconds of the trace's clock, which the trace
// declares to be real time, so that the UI can show UTC. The bytes follow from the calls
// alone.
package perfetto

import (
	"cmp"
	"math"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// A Trace collects tracks and events. The zero value is empty and ready to use.
type Trace struct {
	tracks []byte // packets with descriptors
	count  uint64 // of tracks
	flows  uint64
	events []event
}

// A Track is a line of the trace. The zero value stands for the absence of one.
type Track struct{ id uint64 }

// A Note is a text that the UI shows of an event that is selected.
type Note struct{ Name, Text string }

// An event is a packet at a time. Slices end before others begin, and events of one time
// and kind keep the order of the calls.
type event struct {
	at    int64
	turn  int
	track []byte // a TrackEvent
}

// Types of a TrackEvent, and the turns of those of one time.
const (
	sliceBegin = 1
	sliceEnd   = 2
	instant    = 3
	counter    = 4
)

var turns = [...]int{sliceEnd: 0, sliceBegin: 1, counter: 2, instant: 3}

// sequence is the id of the one writer of all packets.
const sequence = 1

// Track adds a track below another, in the order of its rank among those there. The
// description is what the UI says of it; it may be empty.
func (t *Trace) Track(parent Track, rank int, name, description string) Track {
	return t.describe(parent, rank, name, description, nil)
}

// Counter adds a track of numbers in a unit below another. Counters of one parent and unit
// are drawn to one scale.
func (t *Trace) Counter(parent Track, rank int, name, unit string) Track {
	var c []byte
	c = appendText(c, 6, unit) // CounterDescriptor.unit_name
	c = appendText(c, 7, unit) // y_axis_share_key
	return t.describe(parent, rank, name, "", c)
}

// explicit is the ordering of tracks by their ranks.
const explicit = 3

func (t *Trace) describe(parent Track, rank int, name, description string, counter []byte) Track {
	t.count++
	var d []byte // TrackDescriptor
	d = appendNumber(d, 1, t.count)
	d = appendText(d, 2, name)
	if parent.id != 0 {
		d = appendNumber(d, 5, parent.id)
	}
	if counter != nil {
		d = appendMessage(d, 8, counter)
	}
	d = appendNumber(d, 11, explicit)     // child_ordering
	d = appendNumber(d, 12, uint64(rank)) // sibling_order_rank
	if description != "" {
		d = appendText(d, 14, description)
	}
	var p []byte // TracePacket
	p = appendNumber(p, 10, sequence)
	p = appendMessage(p, 60, d)
	t.tracks = appendMessage(t.tracks, 1, p) // Trace.packet
	return Track{t.count}
}

// Set gives a counter a value from a time on.
func (t *Trace) Set(on Track, at int64, value float64) {
	e := begin(counter, on)
	e = protowire.AppendTag(e, 44, protowire.Fixed64Type) // double_counter_value
	e = protowire.AppendFixed64(e, math.Float64bits(value))
	t.add(counter, at, e)
}

// Slice adds a span with a name. Slices of a track lie in each other or apart: Lanes are
// for those that do not. A span of no length is an instant.
func (t *Trace) Slice(on Track, from, to int64, name string, notes ...Note) {
	if to <= from {
		t.Instant(on, from, name, notes...)
		return
	}
	t.add(sliceBegin, from, named(begin(sliceBegin, on), name, notes))
	t.add(sliceEnd, to, begin(sliceEnd, on))
}

// Instant adds an event without length.
func (t *Trace) Instant(on Track, at int64, name string, notes ...Note) {
	t.add(instant, at, named(begin(instant, on), name, notes))
}

// Flow adds two instants and an arrow from the first, on one track, to the second.
func (t *Trace) Flow(from, to Track, at int64, cause, effect string, notes ...Note) {
	t.flows++
	e := named(begin(instant, from), cause, notes)
	e = protowire.AppendTag(e, 47, protowire.Fixed64Type) // flow_ids
	t.add(instant, at, protowire.AppendFixed64(e, t.flows))
	e = named(begin(instant, to), effect, notes)
	e = protowire.AppendTag(e, 48, protowire.Fixed64Type) // terminating_flow_ids
	t.add(instant, at, protowire.AppendFixed64(e, t.flows))
}

func (t *Trace) add(kind int, at int64, e []byte) {
	t.events = append(t.events, event{at, turns[kind], e})
}

// begin is a TrackEvent of a type on a track.
func begin(kind uint64, on Track) []byte {
	e := appendNumber(nil, 9, kind)   // type
	return appendNumber(e, 11, on.id) // track_uuid
}

// named gives a TrackEvent a name and notes.
func named(e []byte, name string, notes []Note) []byte {
	e = appendText(e, 23, name)
	for _, n := range notes {
		var a []byte // DebugAnnotation
		a = appendText(a, 10, n.Name)
		a = appendText(a, 6, n.Text) // string_value
		e = appendMessage(e, 4, a)
	}
	return e
}

// Clocks of a ClockSnapshot.
const (
	realTime = 1
	bootTime = 6 // that of packets which name none
)

// Bytes is the trace: the clock, the tracks, then the events in the order of time.
func (t *Trace) Bytes() []byte {
	slices.SortStableFunc(t.events, func(a, b event) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.turn, b.turn))
	})
	b := appendMessage(nil, 1, t.clocks())
	b = append(b, t.tracks...)
	for _, e := range t.events {
		var p []byte // TracePacket
		p = appendNumber(p, 8, nanoseconds(e.at))
		p = appendNumber(p, 10, sequence)
		p = appendMessage(p, 11, e.track)
		b = appendMessage(b, 1, p)
	}
	return b
}

// clocks is the packet that says what the clock of the trace is: real time.
func (t *Trace) clocks() []byte {
	var first int64
	if len(t.events) > 0 {
		first = t.events[0].at
	}
	var s []byte // ClockSnapshot
	for _, id := range []uint64{realTime, bootTime} {
		c := appendNumber(nil, 1, id)
		c = appendNumber(c, 2, nanoseconds(first))
		s = appendMessage(s, 1, c)
	}
	p := appendNumber(nil, 8, nanoseconds(first))
	p = appendNumber(p, 10, sequence)
	p = appendMessage(p, 6, s)
	return appendNumber(p, 13, 1) // sequence_flags: SEQ_INCREMENTAL_STATE_CLEARED
}

func nanoseconds(us int64) uint64 { return uint64(us) * 1000 }

func appendNumber(b []byte, field protowire.Number, n uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), n)
}

func appendText(b []byte, field protowire.Number, text string) []byte {
	return protowire.AppendString(protowire.AppendTag(b, field, protowire.BytesType), text)
}

func appendMessage(b []byte, field protowire.Number, m []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), m)
}
