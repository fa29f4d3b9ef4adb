// Package ledger books, second by second, the share that pools and operations were to have and
// did not have to whoever or whatever had it: the table share_debts.
//
// # Deficits
//
// A deficit is a share by which usage is below one of three levels: the strong guarantee as far
// as it is demanded, the fair share, and the demand beyond the fair share. Only the first two are
// owed. Demand includes here what operations want that wait for admission. Deficits are
// integrated exactly, whenever an element changes.
//
// # Causes
//
// The causes of a deficit are those of its dominant resource, which is lacking most; other
// resources lack theirs in the same proportion. Each cause accounts only for what the earlier
// ones leave. Where demand is made up of the jobs to come, the size of several is not known, and
// nothing is said of room. A deficit smaller than the smallest job is nobody's. Limits count if they leave no
// room for what is lacking, or for a whole job. Free room counts as far as all that compete for
// it can have it; room that holds whole jobs is the scheduler's delay, and pieces too small, or
// on nodes that tags and segments exclude, explain only what such room could not cover. What
// remains is of others: siblings above their fair shares have what is lacking inside the pool,
// and siblings of the pool the rest, and so on up to the root.
//
// The jobs of others are preemptible, if nothing was in the way of preemption. The backoff of their
// node was in the way only if its preemptive stages ran last before the element starved: had they
// run since, they could have taken the jobs. Of a span in which they ran later it is not told apart.
//
// Why the core starts no job of an operation and why preemption takes none of others are obstacles of
// one enumeration, scheduling.Obstacle. Of pieces that are too small the resource is told that keeps the
// job from most nodes. The largest holders have a row each; the others are added up below the lowest pool
// that they have in common, by obstacle. A pool that the element is in holds nothing of its own: the row of
// holders below several of its children names none.
//
// A row says since when its cause held in the span, which is exact where the element changed then, and
// else that of the look which saw it.
//
// Causes are looked at when a deficit changes and, where anything moved, every 10 s. What stands
// between two looks is taken to be as at the first.
//
// Where the table is to tell no causes, none are looked for: a deficit is one row.
//
// The books are kept on a goroutine of their own (replay/lane). They go by the values that an
// element and the pools above it had at an instant, and by what the last look saw.
package ledger
