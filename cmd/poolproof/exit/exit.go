// Package exit has the exit codes of poolproof.
package exit

const (
	Kept        = 0   // all promises kept
	Violated    = 1   // at least one violated
	Died        = 2   // the Go runtime ended the program: no command ends so
	Coverage    = 3   // coverage below what was asked
	AuditFailed = 4   // an audit failed to run
	Usage       = 64  // the command line, an output that exists included
	BadInput    = 65  // input that cannot be read as what it should be
	Internal    = 70  // our own fault
	IO          = 74  // reading or writing failed
	Interrupted = 130 // SIGINT, SIGTERM or SIGHUP
)

// Meanings say what the codes mean, for the manual page and the reference.
var Meanings = []struct {
	Code    int
	Meaning string
}{
	{Kept, "all promises kept; findings that are only suspect or excused do not count as broken"},
	{Violated, "at least one violated of a severity that the policy fails on; suppressed findings and noted ones never count; " +
		"also, where the policy says fail_on_log_damage, damage of the log; " +
		"also an unverifiable promise of a pool that the policy names in fail_on_unverifiable"},
	{Died, "no verdict: the Go runtime ended the program, as where it finds no memory or no thread"},
	{Coverage, "coverage below what was asked (--min-coverage, policy): by default less than half of the applicable rules could be judged, as from a log of jobs alone, or no promise of those that something tested"},
	{AuditFailed, "an audit failed to run"},
	{Usage, "usage, an output that exists included"},
	{BadInput, "bad input: also a trace that changes while it is read, and one with a tree of whose log no row can be used; of validate, an illegal configuration, too"},
	{Internal, "internal error"},
	{IO, "input or output failed; also where standard output is full, or a pipe that its reader closed, as head does"},
	{Interrupted, "interrupted by SIGINT, SIGTERM or SIGHUP"},
}
