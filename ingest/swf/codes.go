package swf

// The codes of problems that leave a line out.
const (
	codeFieldCount    = "field_count"           // fewer than 18 fields
	codeLineTooLong   = "line_too_long"         // far beyond any job
	codeBadNumber     = "bad_number"            // a field that is not a number
	codeOutOfRange    = "out_of_range"          // a number no log can mean
	codeNegativeTime  = "negative_time"         // a negative submit, wait or run time other than -1
	codeBadPlacement  = "bad_placement"         // field 19 is not a list of node numbers
	codeMissingNumber = "missing_job_number"    // a job without a number
	codeMissingSubmit = "missing_submit"        // a job that was never submitted
	codeNoProcessors  = "no_processors"         // neither allocated nor requested
	codeMismatch      = "placement_mismatch"    // other than one node per allocated processor
	codeDuplicateRow  = "duplicate_row"         // the same line again
	codeUnplaced      = "unplaced_execution"    // an execution that follows one without an end
	codeOverlapping   = "overlapping_execution" // an execution before the end of the one before
)

// The codes of problems with a value of a line that is used nevertheless.
const (
	codeNegativeValue  = "negative_value"    // taken as missing
	codeUnknownStatus  = "unknown_status"    // a status the standard does not have; taken as missing
	codeBadText        = "bad_text"          // bytes that are not UTF-8; replaced
	codeExtraFields    = "extra_fields"      // more fields than the format has; noted once for each number of fields
	codeUnknownWait    = "unknown_wait"      // taken as no wait
	codeUnknownRunTime = "unknown_run_time"  // the end of the job is not known
	codeDuplicateJob   = "duplicate_job"     // the number of another job; it gets a name of its own
	codeBadHeader      = "bad_header"        // a header whose value is not what its key asks for
	codeUnknownSize    = "unknown_node_size" // a node whose cluster or size is not known
)
