// Package core is the scheduler as a state machine: it applies recorded events and says which
// decisions the rules allow.
//
// A Tree holds the state of one pool tree. Step applies one Event to it, in
// the order (time, kind, seq); Update recomputes the fair shares. The state can
// be read between the two, and Changes names what changed, so that a reader's
// cost follows the changes and not the size of the tree. Ask answers what a
// heartbeat would decide and why, and Decide what it decides.
//
// The core is pure: it has no input or output, no clock and no goroutines, and never ranges over a
// map. The same events give the same state, bit for bit.
//
// # Words
//
//   - tree: a pool tree, an independent scheduler over its own nodes.
//   - pool: an inner vertex of the tree; operation: a leaf; element: either.
//   - job: an exclusive grant of resources on one node to one operation.
//   - usage: resources of live jobs; demand: usage plus what could be used at
//     once; limit and guarantee: what the configuration allows and promises.
//   - share: a fraction of the tree's total, per resource; ratio: its dominant
//     component.
//   - decision: a start or a preemption; ruling: what one rule says of one decision, of one recorded step of an operation or of one recorded value.
//   - preemptor: the operation for which a job is preempted; victim: that job.
//   - episode: a maximal span of time in one state.
//
// The rules are those of core/spec/fair-share.md and core/spec/scheduling.md, which the
// comments cite by section.
package core
