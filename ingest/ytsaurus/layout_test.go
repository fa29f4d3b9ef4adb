package ytsaurus

import (
	"bytes"
	"testing"

	"poolproof/core"
	"poolproof/ingest/trace"
)

// TestARecordRoundTrips: what take reads into a used struct is what put wrote, with nothing of the struct
// before.
func TestARecordRoundTrips(t *testing.T) {
	full := element{
		usage: trace.Resources{UserSlots: 1, CPUMilli: -2, GPU: 3, Memory: 1 << 40, Network: 5}, limits: core.Some(trace.Resources{GPU: 7}),
		fairTotal: core.Some(trace.Shares{CPU: 0.25}), weight: core.Some(-1.5), dominant: "cpu", unschedulable: "suspended",
		treeRole: treeRole{probing: core.Some(true)}, unstarted: core.Some(false), own: core.Some[int64](-9), slot: core.Some[int32](-1),
		volume: core.Some(trace.Volume{Memory: 1e100}), start: core.Some(core.Time(1)),
		settings: trace.SnapSettings{StarvationTimeoutMS: core.Some[int64](30), NonPreemptible: trace.PartialResources{GPU: core.Some[int32](2)}},
	}
	n := names{}
	var x element
	for _, want := range []element{full, {}, full} {
		var e encoder
		e.begin(snapshotRecords, 1)
		elements.put(&e, &want)
		e.byte('!')
		d := decode(e.b)
		if elements.take(&d, &x, n); x != want {
			t.Errorf("got %+v, want %+v", x, want)
		}
		if string(d.b) != "!" {
			t.Errorf("%d bytes are left, want 1", len(d.b))
		}
	}
}

// TestRecordsSortByTheirKeys: a record has the order of the fields that lead.
func TestRecordsSortByTheirKeys(t *testing.T) {
	var before []byte
	for _, s := range []nodeSample{
		{time: 1, address: "b"}, {time: 255, address: "a"}, {time: 256, address: "a", online: true}, {time: 256, address: "ab"}, {time: 256, address: "b"},
	} {
		var e encoder
		e.begin(nodeRecords, 1)
		if nodeSamples.put(&e, &s); bytes.Compare(before, e.b) >= 0 {
			t.Errorf("%+v does not follow the record before", s)
		}
		before = e.b
	}
}
