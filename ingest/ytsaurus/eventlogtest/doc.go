// Package eventlogtest writes a native trace as the event log that a YTsaurus
// cluster of a given age would have written of the same history, with the export
// of its pool trees, so that an importer can be tested by round trip.
//
//	r, err := eventlogtest.Write(trace, dir, eventlogtest.Options{Age: eventlogtest.Age2023, Form: eventlogtest.JSONL})
//
// Rows have the names, units, batches and order of ingest/trace/FORMAT.md §1 and of
// the samples of each age; what an age does not log is left out (§1.9, §4.4):
// suspensions, queues, interruptions that ended well, heartbeats that placed nothing.
// Every choice that a cluster leaves to chance (delays of reports, phases of flushes)
// follows from Options.Seed: the same trace and options give the same bytes.
//
// A trace is streamed: of its rows only operations, configurations and one short
// record per job are held in memory.
//
// The package is test support. It knows nothing of any importer, and it does not
// check the trace.
package eventlogtest
