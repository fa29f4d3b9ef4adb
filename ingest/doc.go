// Package ingest turns a trace into streams of events, one per pool tree, for
// the core to follow.
//
//	t, err := ingest.Open(dir)
//	for e, err := range t.Events("physical", ingest.Options{}) {
//		...
//	}
//
// # Order
//
// A stream merges the tables of a tree while it reads them, in the order of
// (time, core.Kind, seq). A job's row gives its start and its end: the end waits
// in a heap of live jobs, so memory follows what lives in the cluster and not
// the length of the log. One exception keeps cause before effect: a job that
// ends at the instant of its start ends right after it.
//
// A job that the log says was preempted gives JobPreempted at the moment of its
// preemption: at preempt_time, else at the start of the job it made room for,
// else at its finish. Where preempt_time and that start are less than
// core.HeartbeatSpan apart on one node, one heartbeat decided both, at the moment
// of the start. If it finishes later than that, JobFinished follows, with its own
// end and reason. Any other job gives JobFinished at its finish, and nothing if the
// log does not record when.
//
// A node is in the tree as its node_state says, until a row of global/node_state
// says that it belongs to no tree or to several; where both tables speak of one
// instant, the tree's counts. Events of the scheduler's processes are in every
// tree's stream. The seq of such events is that of their table.
//
// What the scheduler recorded of itself, the rows of a snapshot, stands first in
// its instant. Of allocations what a job uses, its state and the time it has left
// to stop make events; the rest, which jobs holds as well, is counted
// (StateChanges).
//
// # Configurations
//
// Options are read by pooltree, by the rules of the profile (Options.Profile),
// from the columns of a row and its config_json; columns go first. A version
// whose valid_to comes before the next row of its pool or tree ends there: the
// pool is removed, and of the tree nothing but assumed settings is known. The
// rows of that instant come before it.
//
// # Specs
//
// What a user asked for (spec_json of dim/operations, package opspec) is read when
// the trace is opened. Trace.Spec returns that of any operation, and the event of a
// start or a rejection in a tree holds what was asked for in that tree (Event.Spec)
// beside what the log says it got. Parameters that the row of a start leaves open
// are those of the spec.
//
// # Values
//
// An event is a reused value: it, its Name and what it points to are valid until
// the stream's next event. Strings, Tags and configurations may be kept.
//
// # Bad rows
//
// A row that cannot be used becomes a Problem with file, row, column, code and
// value, and the stream goes on without it. Where only a setting of a row is
// bad, such as a weight that is not a number, the row stays and the setting counts
// as absent. The codes are constants of this package. Trace.LostRows says which rows
// were left out, and in what time the stream may be wrong for that. The tables under
// global/ are read with every tree, and their problems count once.
//
// # Rows in another order
//
// A table whose files are not in the order of (time, seq) is sorted while it is read, in
// Memory.Sorting and beyond that in a temporary folder. Rows of one time may
// stand in any order within a batch (4096) without that. Files of package parquetlog's
// Writer are in order, which their footers confirm; a row of one that is not is a problem,
// and an instant of more rows than a batch has that is not in the order of seq is refused.
// Of files of other writers the times are read first.
//
// Input that cannot be read at all stops the stream with an error. input.IsBad
// distinguishes wrong input (no trace, damaged files, another format version, a
// missing required column, a wrong type) from failures of reading it; the text
// names the file and the column and says what to do.
//
// # Speed
//
// The log tables are read column by column (package parquetlog). Nothing is
// allocated per event. Trees are independent: streams of different trees may
// run at the same time.
package ingest
