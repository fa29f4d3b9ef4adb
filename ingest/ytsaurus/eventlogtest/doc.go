// Package eventlogtest writes a native trace as the event log that a YTsaurus
// cluster of a given age would have written of the same history, with the export
// of its pool trees, so that an importer can be tested by round trip.
//
//	r := eventlogtest.Write(t, trace, dir, eventlogtest.Options{Age: eventlogtest.Age2023, Form: eventlogtest.JSONL})
//
// The rows of a log have the columns of the sample of their age (../testdata/samples), by the rules of
// ingest/trace/FORMAT.md §1. The values are those of the trace as far as the importer reads them; the rest
// are the sample's, which the importer must ignore. An age leaves out (§1.9, §4.4) suspensions, queues,
// interruptions that ended well, and heartbeats that placed nothing.
// Every choice that a cluster leaves to chance (delays of reports, phases of flushes)
// follows from Options.Seed: the same trace and options give the same bytes.
//
// A whole trace is held in memory.
//
// The package is test support. It knows nothing of any importer, and it does not
// check the trace.
package eventlogtest
