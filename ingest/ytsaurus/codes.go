package ytsaurus

import "maps"

// The codes of problems (column code of global/problems). They are stable.
const (
	badRow              = "bad_row"
	truncatedRow        = "truncated_row"
	rowTooLong          = "row_too_long"
	textTooLong         = "text_too_long"
	noEventType         = "no_event_type"
	unknownType         = "unknown_event_type"
	badTimestamp        = "bad_timestamp"
	strayTime           = "time_far_from_log"
	badID               = "bad_id"
	badAmount           = "bad_amount"
	badField            = "bad_field"
	missingField        = "missing_field"
	badUTF8             = "bad_utf8"
	finishFirst         = "finish_before_start"
	noFinishTime        = "no_finish_time"
	clocksDiffer        = "clocks_differ"
	impossibleTime      = "impossible_time"
	doubleFinish        = "finished_twice"
	finishOnly          = "finish_without_start"
	rowsDiffer          = "start_and_finish_differ"
	preemptorDiffers    = "preempted_for_differs"
	startOnly           = "start_without_finish"
	unknownTree         = "unknown_tree"
	unknownPool         = "unknown_pool"
	badOption           = "bad_option"
	unknownOption       = "unknown_option"
	unknownKey          = "unknown_key"
	loopingPool         = "pool_below_itself"
	misplacedPool       = "pool_without_parent"
	barePool            = "pool_without_config"
	nobodysChange       = "change_of_unknown_operation"
	endOfSource         = "source_ends_early"
	unknownStarted      = "operation_without_start"
	unknownEnd          = "operation_without_end"
	emptySource         = "empty_source"
	nothingUsed         = "source_without_events"
	foreignLines        = "foreign_lines"
	noExports           = "no_pool_trees"
	unknownConfig       = "tree_without_config"
	strayTree           = "undescribed_tree"
	noNodes             = "no_nodes_info"
	undescribedNode     = "node_not_described"
	noSnapshots         = "no_fair_share_info"
	incompleteSnapshots = "incomplete_snapshots"
	essentialSnapshots  = "essential_snapshots"
	archiveDiffers      = "archive_differs"
	archivedOnly        = "job_of_archive_alone"
	dumpOutside         = "dump_outside_log"
)

var explanations = map[string]string{
	badRow:              "the record is not what its form demands: JSON, YSON or a row of Parquet. It is left out. Export the span again if there are many.",
	truncatedRow:        "the source ends in the middle of this record. It is left out. Copy the source again, or export it to its end.",
	rowTooLong:          "the record is longer than 256 MiB, and the scheduler writes at most 128 MiB. It is left out.",
	textTooLong:         "a name or a message is longer than 64 KiB, or a spec than 16 MiB. It counts as absent, and the record is used.",
	noEventType:         "the record has no event_type, so that its meaning is unknown. It is left out. Structured log files hold such records of other kinds; there they are only counted.",
	unknownType:         "the event_type is none that the import knows. Records of it are left out; each such type is named once, with how many there are.",
	badTimestamp:        "a time is no time in UTC, or outside the years 2008 to 2105, as of a clock that was never set. The record is left out.",
	strayTime:           "the row is of a time more than a day before or after the log, and less than one row in a thousand is of that time or farther away (of a small log one in a hundred, up to ten rows). Its writer's clock was wrong. It is left out. Mend the clock of that host; if the row is right, give --from or --to that reach to it.",
	badID:               "an id is not four hexadecimal words. The record, or the part of it that has the id, is left out.",
	badAmount:           "an amount of resources is no number, negative, or beyond what a cluster has. The record, the element of a snapshot, or the accumulated distribution is left out. A row of nodes_info does not describe that node then (node_not_described).",
	badField:            "a field has another type than the scheduler gives it. The value counts as absent.",
	missingField:        "a field is missing without which the record says nothing, or usage or demand lacks some resource. The record, or the element of a snapshot, is left out. Where only resource_limits are missing or lack some resource, they are unknown, and the rest is used: those of a job, of a node, which no row describes then (node_not_described), and of <Root>, which are the total of its tree.",
	badUTF8:             "bytes of a text are no UTF-8. Each is replaced by U+FFFD, and the record is used. A name of a pool, a node or a tree that lost bytes counts as absent: it may be that of another.",
	impossibleTime:      "the job finished more than five minutes after the record of its end was written, or started as long before the record of its operation's start. The record is left out. Compare the clocks of scheduler, agents and nodes.",
	noFinishTime:        "the row of the job's end has no finish_time. The time of the row counts.",
	clocksDiffer:        "the time of the row is more than a year away from its start_time: they are of two clocks, as in the simulator, which writes rows of jobs by the clock on the wall and start_time in virtual time. The start_time counts, and finish_time if it is of the same clock; else when the job ended is unknown.",
	finishFirst:         "the job, or the operation, ended before it began. The record is left out. Compare the clocks of scheduler, agents and nodes.",
	doubleFinish:        "several records have this job's end, as after a failover. The first with a known reason counts.",
	finishOnly:          "the log has the end of the job and not its start. The start is taken from the record of the end. Common at the beginning of a log, and after failovers.",
	rowsDiffer:          "the rows of the start and of the end of an operation hold different specs: it is unknown then; or those of a job name different nodes, trees or operations, or its only row a tree and a node of another. Where the nodes differ, and of an only row, the job's node is unknown; where the operations differ, the job is left out. An agent writes both rows of what it knows: check that the log was not changed and that the rows are of one cluster.",
	preemptorDiffers:    "the row of a preempted job names a job that it made room for and the operation of that job, and the job is of another operation. The job counts, and the operation that the row names does not. Check that the log was not changed.",
	startOnly:           "the log has the start of the job and not its end. It is taken to end with its operation, with its node or at a restart, whichever is first, and otherwise to run on. Its end is unknown where something shows that a row is lost: a row of its end was left out, the last snapshot of its operation shows fewer jobs than are open, a sample of its node less usage than with it, or the snapshots of its tree stop long before the log does. Logs before 2022 do not record jobs that ended with their operation: there its end aborts them. Export a span that reaches beyond the window: ends are recorded late.",
	unknownTree:         "the pool tree is unknown: neither a column, nor the node, nor the exported trees' nodes_filter shows it. It is left out. Give --pool-trees.",
	unknownPool:         "the operation's pool in this tree is unknown: its start is not in the log, or names the pool of another tree, and no snapshot shows it. While it lives nothing can be judged that shares and counts of the tree's pools decide. Give --pool-trees and rows of fair_share_info.",
	badOption:           "an option of a pool or tree has a value that no cluster takes, so that the export or the row is damaged. Of pools_info the option counts as absent. Of an export the configuration of that tree, or of that pool and the pools below it, counts as not exported.",
	unknownOption:       "no option that is known here has the name, so that the cluster goes by its default, or this program does not go by the option. It is left out. Each name is listed once.",
	unknownKey:          "a key of an operation's spec or run-time parameters that the import does not read. It is left out. Each key is listed once. Of a spec, which holds much that scheduling does not ask for, only keys that resemble an option are.",
	barePool:            "the export lists this pool without an id, which others have: it lost what is configured. The pool, and the pools below it, count as not exported. Export all attributes of all pools.",
	loopingPool:         "by the parents that the log records, this pool would stand below itself. What the log says of its parent is not used: the configuration takes it from the export of the pool trees, or from the root where there is none, and records of it have no parent.",
	misplacedPool:       "the parent of this pool is unknown, or a pool that nothing else names. The configuration takes it from the export, or from the root where there is none. Give --pool-trees.",
	nobodysChange:       "parameters changed of an operation that the record does not name, as in logs before 2022. The change is unknown until a snapshot shows it.",
	unknownEnd:          "no row records how the operation ended, and the snapshots no longer show it. It is taken to have been aborted at the first of them; its final state is null. Export all event types, up to the end of the log.",
	emptySource:         "the source holds no rows. Nothing is missing if nothing was logged; otherwise export it again.",
	nothingUsed:         "the source has rows, and none of them is an event that can be used: other problems say why, or all of its lines are foreign. Check that it is the event log.",
	foreignLines:        "lines or records of the sources that record no event, such as other lines of structured log files. They are passed over; the value is how many.",
	noExports:           "no export of the pool trees was given. Settings of trees are assumed, and those of pools, too, where no pools_info records them; what only they promise cannot be judged. Give --pool-trees.",
	strayTree:           "a row of a job or a snapshot names this tree, and nothing else has it, though rows of nodes and an export have others. A job's tree is then that of its node or its operation; the snapshot is left out.",
	unknownConfig:       "rows name this tree, and no export of the pool trees has it with its configuration. Its settings are assumed. Give an export of a time at which it existed, with the attribute config.",
	noNodes:             "no row of nodes_info has the nodes of this tree: what they have is unknown, and what depends on room cannot be judged. Export rows of all event types.",
	undescribedNode:     "the node serves a tree while no row of nodes_info describes it, or its amounts there cannot be read: what it has and its tags are unknown then, and so are the total and the shares of the tree. Export all rows of nodes_info.",
	noSnapshots:         "no row of fair_share_info has this tree: demand and the scheduler's shares are unknown. Export rows of all event types.",
	incompleteSnapshots: "snapshots of the tree have fewer records of operations than their pools count (pool_operation_count). What rests on these records is unknown. Export all rows of fair_share_info: those of operations are the largest.",
	essentialSnapshots:  "the row of fair_share_info is of the essential form of the scheduler's simulator. It shows which pools and operations there are, and what operations use. Demand, limits, shares, the total of the tree and who starves are missing. Run the simulator with enable_full_event_log.",
	archiveDiffers:      "the event log and the operations archive contradict each other about this operation or job. The log counts. Check that both are of one cluster; of a job whose end an agent decided and whose node was gone, the archive may have the node's word.",
	archivedOnly:        "the operations archive has a job that no row of the log records. The archive does not say what resources a job has, so that it is left out. Export a span of the log that begins earlier or, for jobs that end later, ends later.",
	dumpOutside:         "the Orchid dump is of a time before or after the log, or after the window, and not used. Give the time at which it was taken, FILE@TIME, and dumps of the log's span.",
	endOfSource:         "the source ends early, or is damaged from here on. What came before is used. Copy it again.",
	unknownStarted:      "the log shows jobs or snapshots of an operation, and neither its start nor its end. What is known of it is used.",
}

// Explanations returns what the codes of an import's problems mean and what to
// do, by code.
func Explanations() map[string]string { return maps.Clone(explanations) }
