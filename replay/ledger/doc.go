// Package ledger attributes the share that pools and operations lacked, second by second, to the
// operations or limits that caused it: the table share_debts.
//
// # Deficits
//
// A deficit is a share by which usage is below one of three levels: the strong guarantee as far as
// it is demanded, the fair share, and the demand beyond the fair share. Only the first two are
// owed. Demand here includes that of operations that wait for admission. Deficits are integrated
// exactly, whenever an element changes.
//
// # Causes
//
// The causes of a deficit are those of its dominant resource, which is lacking most; other
// resources lack theirs in the same proportion. Each cause accounts only for what the earlier ones
// leave. If demand is reconstructed from later jobs, the size of several jobs is unknown, and free
// room is not considered. A deficit smaller than the smallest job is attributed to no one. Limits
// count if their headroom is less than the deficit, or less than a job. Free room counts as far as
// it suffices for all that compete for it: room for whole jobs is the scheduler's delay; pieces
// that are too small, and nodes that tags and segments exclude, explain only the rest. What remains
// is attributed to others: siblings above their fair shares, then siblings of the pool, and so on
// up to the root.
//
// The jobs of others count as preemptible if nothing prevented preemption. The backoff of their
// node prevented it only if its preemptive stages last ran before the element starved: stages that
// ran later could have taken the jobs. A span is not split at the time when the stages ran.
//
// The reasons why no job of an operation starts and why jobs of others are not preempted are values
// of scheduling.Obstacle. For pieces that are too small the row names the resource that the job
// lacks on most nodes. The largest holders have a row each; the others are summed by obstacle below
// their lowest common pool. That pool must not contain the element: a row of holders below several
// children of such a pool does not name one.
//
// A row states since when its cause held in the span: exactly if the element changed then, else by
// the time of the sample.
//
// Causes are determined when a deficit changes and, if anything changed, every 10 s. Between two
// samples the first one applies.
//
// If the table has no causes, each deficit is one row.
//
// A separate goroutine (replay/lane) keeps the accounts. It uses the values that an element and its
// pools had at an instant, and the last sample of the tree.
package ledger
