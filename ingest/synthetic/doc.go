// Package synthetic generates synthetic traces: the core's own
// scheduler runs a described cluster, and everything it does is recorded as a native
// trace (package trace).
//
//	spec, err := synthetic.Preset("small")
//	summary, err := synthetic.Generate(ctx, synthetic.Options{Spec: spec, Out: "trace", Seed: 1})
//
// A Spec describes the cluster: trees and pools by the names of the user
// documentation, nodes with their failures, workloads that arrive over the day,
// operations at a known moment, and what people change meanwhile. README.md
// beside this file names every key.
//
// # Randomness
//
// Every random number is drawn from a generator of its own purpose: of a
// workload, of an operation, of a job. A further pool, node or workload shifts
// nothing that is drawn for the others; but all nodes share the heartbeat period
// evenly, so that a further one moves when the others report. The same description
// and seed give the same bytes, whatever Options.Workers.
//
// # Plants
//
// A Plant is a small tree of its own, put beside the described ones, in which
// the scheduler breaks exactly one promise at a known moment; the world follows
// on from there. Look-alikes break none. What was planted is written to a file
// beside the trace, see Planted.
package synthetic
