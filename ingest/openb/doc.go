// Package openb imports the "openb" GPU cluster traces of Alibaba's
// clusterdata programme (cluster-trace-gpu-v2023): a table of nodes and a table
// of pods, as CSV files, plain, gzip or zstd.
//
//	summary, err := openb.Import(ctx, openb.Options{
//		Sources: []string{"data/openb"}, Out: "openb.trace",
//	})
//
// A folder may hold several tables of nodes or pods, as the published one does.
// Then the import takes openb_node_list_all_node.csv and
// openb_pod_list_default.csv, and says so. Other choices are given as two paths.
//
// # What becomes what
//
//   - A node is a node with its cpu, memory and GPUs; its GPU model is a tag. All
//     nodes are in one tree, named default.
//   - A pod is an operation of one job. It demands what it requests from its
//     creation until it is scheduled; one that never is demands it until it is
//     deleted.
//   - Its quality of service (LS, BE, ...) is its pool; missing, qos-unknown.
//     There are no users.
//   - gpu_spec, the GPU models a pod can use, is its scheduling tag filter.
//   - The log's times are seconds from an unrecorded start; they count from
//     Options.Epoch, by default 1970-01-01.
//
// GPUs are shared by the thousandth: the whole trace counts gpu in thousandths
// of a device (unit milli_gpu in the manifest), so that nothing is rounded. A
// pool configuration names devices as everywhere; its amounts are multiplied.
// An amount that the nodes do not have is noted: it may be in thousandths.
//
// # Ends
//
// pod_phase is the last phase the log saw, deletion_time when the pod went:
//
//	Succeeded   completed when it was deleted
//	Failed      failed when it was deleted; no reason is recorded
//	Running     aborted when it was deleted, reason "deleted"; but a pod whose
//	            deletion is the latest time of the log was cut off by its end,
//	            and is still running there
//	Pending     aborted when it was deleted, without a job; likewise still
//	            waiting if that is the log's end
//
// The log does not say on which node a pod ran: jobs are on no node, there are
// no heartbeats, and the manifest says so. How many user slots a node has is not
// known, either.
//
// # Bad rows
//
// A row that cannot be used becomes a problem: bad_number, out_of_range,
// missing_value, field_count, bad_csv, duplicate_node, time_order (scheduled
// before it was created, or deleted before it was scheduled). Used
// nevertheless: unknown_phase, and duplicate_pod, which becomes name#2. A row's
// number is its zero-based line in the file.
package openb
