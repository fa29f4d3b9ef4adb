// Package google2011 imports the job events of Google's clusterdata-2011-2: the
// lifecycle of every job of a cluster for 29 days, as CSV files with a header,
// plain, gzip or zstd.
//
//	summary, err := google2011.Import(ctx, google2011.Options{
//		Directory: "data/google-2011-job-events", Out: "google.trace",
//	})
//
// The directory holds job_events.csv and, if they are there, machines.csv and
// machine_remove_events.csv.
//
// # What becomes what
//
//   - A job is an operation. Its scheduling class is its pool, class-0 to class-3,
//     and its user's own pool is below that (class-2$518). With Options.PoolBy user
//     the user is the pool (user-518).
//   - From SUBMIT on it is pending, and from SCHEDULE on, when its first task was
//     placed, running. The log does not record if it
//     waited for admission or for room on machines (coverage operation_states: placed).
//   - FINISH completes it, FAIL fails it, and KILL, LOST and EVICT abort it. If
//     SUBMIT or SCHEDULE follows EVICT, it was pending from the eviction on. A SUBMIT
//     after another end is an operation of its own, id#2 and so on.
//   - UPDATE_PENDING and UPDATE_RUNNING move it where they change its class.
//   - Time 0 is before the log began: what stands there was there already,
//     since an unknown time. It is written a microsecond after Epoch, so that no epoch makes
//     it the absent time 0. The window begins at the first later event.
//   - Machines are nodes. A removed one goes offline. When it came back is not
//     recorded.
//
// Times are microseconds from a start that the log does not record; they count from
// Options.Epoch, by default 1970-01-01.
//
// # What is unknown
//
// There are no tasks and no amounts: no jobs, no heartbeats, no demand, and neither
// capacity nor usage of any resource. Shares cannot be judged. Counts of operations,
// queues and pools can.
//
// # Order and bad rows
//
// Rows may stand in any order. Those of one job and instant are taken in the only
// order in which each follows from the one before. A row that cannot be used
// becomes a problem, and so does one that says of itself that its event was not seen
// (missing_info); such a time is the latest that it can have been. The codes are in
// codes.go. A row's number is its zero-based line in the file.
package google2011
