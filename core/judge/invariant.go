package judge

import "strings"

// An Invariant is one checkable statement of core/spec/invariants.md. The constants
// are dense, so that counts per invariant fit an array of Invariants.
type Invariant uint8

// The invariants judged here, by their ids.
const (
	HB01 Invariant = iota
	HB02
	HB03
	HB04
	HB05
	HB06
	HB07
	HB08
	HB09
	LIM01
	LIM03
	LIM04
	LIM05
	LIM06
	FIFO03
	TREE01
	TREE02
	TREE03
	TREE05
	TREE06
	TREE07
	TREE09
	TREE10
	TREE11
	POOL01
	POOL02
	POOL03
	POOL04
	POOL05
	POOL06
	POOL07
	POOL08
	PEND01
	PEND02
	PEND03
	PEND05
	PEND06
	PEND07
	SEG01
	SEG02
	SEG03
	CNT01
	CNT02
	CNT03
	CNT04
	CNT05
	CNT06
	CNT08
	LW01
	LW02
	LW03
	LW04
	LW05
	LW07
	STV01
	STV02
	STV03
	STV04
	LST01
	LST03
	LST04
	LST05
	PRE01
	PRE02
	PRE03
	PRE04
	PRE05
	PRE06
	PRE07
	PRE08
	PRE09
	PRE10
	PRE11
	PRE12
	PRE13
	PRE14
	PRE15
	PRE16
	PRE17
	PRE18
	PRE19
	PRE20
	PRE21
	PRE22
	PRE23
	PRE24
	PRE25
	PRE26
	GRC01
	GRC02
	OVC01
	OVC02
	GUA07
	GUA08
	GUA01
	GUA02
	GUA04
	GUA05
	GUA06
	GUA09
	GUA10
	STV06
	STV08
	STV11
	STV12
	LIM07
	LIM09
	FIFO01
	FIFO02
	FIFO04
	LOG01

	Invariants = iota // how many there are
)

// An entry is what is known of an invariant.
type entry struct {
	id        string
	severity  Severity
	unit      Unit
	statement string
}

var entries = [Invariants]entry{
	HB01:   {"HB-01", Critical, Amounts, "a node's usage with the started job fits the node"},
	HB02:   {"HB-02", Critical, NoUnit, "nothing starts on a node that is not offered"},
	HB03:   {"HB-03", Critical, NoUnit, "the operation of a started job is schedulable and runs in the tree"},
	HB04:   {"HB-04", Major, Amounts, "a started job is within its operation's demand"},
	HB05:   {"HB-05", Minor, Satisfactions, "the least satisfied operation that could start goes first"},
	HB06:   {"HB-06", Minor, PartShares, "a graceful operation starts jobs only below its fair share"},
	HB07:   {"HB-07", Minor, Amounts, "a heartbeat starts no more than allowed, and leaves smaller rests alone"},
	HB08:   {"HB-08", Major, NoUnit, "jobs without SSD stay off SSD-priority nodes where a pool says so"},
	HB09:   {"HB-09", Minor, NoUnit, "operations below their promised guarantee go first"},
	LIM01:  {"LIM-01", Critical, Amounts, "no start exceeds a specified limit of the operation or a pool above"},
	LIM03:  {"LIM-03", Critical, Amounts, "nothing starts below an element whose specified limit is exceeded"},
	LIM04:  {"LIM-04", Minor, Times, "while a limit is exceeded, every node that could lose a job to it does"},
	LIM05:  {"LIM-05", Major, Amounts, "limits are repaired only where they are violated"},
	LIM06:  {"LIM-06", Minor, Amounts, "the repair of a limit takes no job more than needed"},
	FIFO03: {"FIFO-03", Minor, Positions, "in a FIFO pool no later operation starts while an earlier one could"},
	TREE01: {"TREE-01", Major, Counts, "no online node matches two trees"},
	TREE02: {"TREE-02", Critical, Counts, "a node that matches two trees starts nothing"},
	TREE03: {"TREE-03", Critical, NoUnit, "a tree's jobs start on its own nodes"},
	TREE05: {"TREE-05", Critical, NoUnit, "an operation has jobs in its own trees only"},
	TREE06: {"TREE-06", Major, Times, "operations leave a removed tree, and those without a tree are aborted"},
	TREE07: {"TREE-07", Major, NoUnit, "an operation that names no tree gets the default tree, or error 214 where there is none"},
	TREE09: {"TREE-09", Major, NoUnit, "a tree that banned an operation gets no new jobs of it"},
	TREE10: {"TREE-10", Major, Counts, "an operation for a single tree keeps one where it ran"},
	TREE11: {"TREE-11", Critical, NoUnit, "a job starts only where the tag filters of its operation and pools match"},
	POOL01: {"POOL-01", Major, NoUnit, "an operation is in the pool that the rules of placement give it"},
	POOL02: {"POOL-02", Major, NoUnit, "nothing starts directly in a pool that forbids it"},
	POOL03: {"POOL-03", Major, NoUnit, "a user has no more ephemeral pools than allowed"},
	POOL04: {"POOL-04", Minor, NoUnit, "an ephemeral pool stands where the rules put it, with its parent's ephemeral_subpool_config"},
	POOL05: {"POOL-05", Minor, Times, "an ephemeral pool exists only while it has operations"},
	POOL06: {"POOL-06", Minor, NoUnit, "a subpool of a hub exists only below a hub"},
	POOL07: {"POOL-07", Critical, NoUnit, "no operation is attached to the root"},
	POOL08: {"POOL-08", Major, NoUnit, "a gang starts in a FIFO pool if the tree demands it"},
	PEND01: {"PEND-01", Major, Times, "a pending operation has a full pool above it"},
	PEND02: {"PEND-02", Minor, Times, "operations of one queue start running in arrival order"},
	PEND03: {"PEND-03", Minor, Times, "a new operation overtakes no older pending one"},
	PEND05: {"PEND-05", Critical, Counts, "a pending operation has no jobs"},
	PEND06: {"PEND-06", Major, NoUnit, "an operation that changed its pool runs"},
	PEND07: {"PEND-07", Major, Counts, "an operation changes its pool only where the new chain has room for it"},
	SEG01:  {"SEG-01", Major, NoUnit, "a job starts on a node of its operation's segment and module"},
	SEG02:  {"SEG-02", Minor, NoUnit, "an operation with running jobs keeps its segment and module"},
	SEG03:  {"SEG-03", Minor, Times, "a node changes its segment only for one that has had too little for longer than its timeout"},
	CNT01:  {"CNT-01", Major, Counts, "an operation registers only where every pool above has room"},
	CNT02:  {"CNT-02", Critical, Counts, "an operation starts running only where every pool above has room"},
	CNT03:  {"CNT-03", Critical, Counts, "a pool counts its own operations and those of its children"},
	CNT04:  {"CNT-04", Minor, Counts, "running operations stay within the limit"},
	CNT05:  {"CNT-05", Minor, Counts, "operations stay within the limit"},
	CNT06:  {"CNT-06", Major, Counts, "a start refused for counts met a full pool"},
	CNT08:  {"CNT-08", Major, Counts, "an operation starts only while the cluster holds fewer than it may"},
	LW01:   {"LW-01", Major, Counts, "lightweight operations are vanilla, in a FIFO pool that has them on"},
	LW02:   {"LW-02", Major, Counts, "a lightweight operation is never pending and never counted as running"},
	LW03:   {"LW-03", Major, Counts, "a lightweight operation registers only where every pool above has room"},
	LW04:   {"LW-04", Major, Counts, "among lightweight operations, others obey the limits of running ones"},
	LW05:   {"LW-05", Critical, Counts, "operations are at least the running and the lightweight ones together"},
	LW07:   {"LW-07", Info, Counts, "a pool with lightweight operations holds no others"},
	STV01:  {"STV-01", Major, Times, "nothing starves before its timeout has passed"},
	STV02:  {"STV-02", Major, Times, "what stays below its share longer than its timeout starves"},
	STV03:  {"STV-03", Major, Times, "what is not below its share does not starve"},
	STV04:  {"STV-04", Major, Times, "aggressive starvation is enabled and its timeout has passed"},
	LST01:  {"LST-01", Minor, Counts, "reported counts of preemptible jobs are those of the cut"},
	LST03:  {"LST-03", Major, Shares, "an operation that gets all it demands loses no preemptible job"},
	LST04:  {"LST-04", Minor, Counts, "no more jobs are protected than the aggressive threshold or the non-preemptible threshold reaches"},
	LST05:  {"LST-05", Major, Amounts, "an operation below its non-preemptible threshold loses no job"},
	PRE01:  {"PRE-01", Critical, Amounts, "a preemption serves a job started in the same heartbeat, or the node was overfull"},
	PRE02:  {"PRE-02", Critical, Amounts, "the beneficiary's job is of the same tree and fits what was freed"},
	PRE03:  {"PRE-03", Major, Priorities, "the beneficiary has the priority of the stage"},
	PRE04:  {"PRE-04", Major, Times, "the beneficiary or a pool above it had been below its share for longer than its timeout"},
	PRE05:  {"PRE-05", Info, Priorities, "the beneficiary itself starved"},
	PRE06:  {"PRE-06", Major, Levels, "the victim's list is one the stage may take from"},
	PRE07:  {"PRE-07", Major, NoUnit, "the victim's operation is not graceful"},
	PRE08:  {"PRE-08", Major, Statuses, "neither the victim's operation nor a pool that the beneficiary is not in starved"},
	PRE09:  {"PRE-09", Major, Satisfactions, "the victim's operation and its pools had more than their threshold"},
	PRE10:  {"PRE-10", Major, NoUnit, "a job that a pool protects is preempted only for a beneficiary inside that pool"},
	PRE11:  {"PRE-11", Major, Positions, "no earlier candidate in preemption order stayed on the node"},
	PRE12:  {"PRE-12", Major, Amounts, "without the victim the node would not have fitted"},
	PRE13:  {"PRE-13", Critical, Counts, "a heartbeat starts at most one job with preemption"},
	PRE14:  {"PRE-14", Minor, Times, "the node's preemptive backoff had passed"},
	PRE15:  {"PRE-15", Major, PartShares, "aggressive preemption leaves the victim's operation its aggressive threshold"},
	PRE16:  {"PRE-16", Major, PartShares, "normal preemption leaves the victim's operation its threshold"},
	PRE17:  {"PRE-17", Major, Lists, "pools that forbid aggressive preemption lose preemptible jobs only"},
	PRE18:  {"PRE-18", Major, Lists, "protected gang operations lose preemptible jobs only"},
	PRE19:  {"PRE-19", Critical, NoUnit, "SSD stages serve requests for SSD on SSD-priority nodes"},
	PRE20:  {"PRE-20", Major, Levels, "only the aggressive SSD stage preempts jobs that hold SSD"},
	PRE21:  {"PRE-21", Minor, Times, "a preempted job is gone within its interruption timeout"},
	PRE22:  {"PRE-22", Major, Times, "an interruptible job is not aborted before its deadline"},
	PRE23:  {"PRE-23", Minor, Times, "the beneficiary's job runs afterwards"},
	PRE24:  {"PRE-24", Major, Amounts, "the beneficiary could not start without victims"},
	PRE25:  {"PRE-25", Minor, NoUnit, "the job a preemption names exists"},
	PRE26:  {"PRE-26", Minor, NoUnit, "pools that forbid normal preemption lose nothing to it"},
	GRC01:  {"GRC-01", Major, Lists, "graceful preemption asks preemptible jobs of graceful operations, once"},
	GRC02:  {"GRC-02", Major, Times, "a job asked gracefully is not aborted before the graceful timeout"},
	OVC01:  {"OVC-01", Major, Times, "a node is cleared only after it was overfull for longer than allowed"},
	OVC02:  {"OVC-02", Minor, Amounts, "of an overfull node the best protected jobs that fit stay"},
	GUA01:  {"GUA-01", Major, Shares, "the fair share is at least the strong guarantee, or the demand"},
	GUA02:  {"GUA-02", Major, Times, "what stays below its entitlement starves after its timeout"},
	GUA04:  {"GUA-04", Major, Shares, "the fair share reaches the burst guarantee while the volume lasts"},
	GUA05:  {"GUA-05", Major, Shares, "a relaxed pool with volume gets more than its strong guarantee, and no more than its flow allows"},
	GUA06:  {"GUA-06", Minor, Volumes, "volume grows by the flow, shrinks by what is granted and stays within its capacity"},
	GUA09:  {"GUA-09", Major, Shares, "fair shares are within demands, and those of children within their parent's"},
	GUA10:  {"GUA-10", Major, Volumes, "over a saturation period of unmet demand a relaxed pool gets its flow"},
	STV06:  {"STV-06", Critical, Statuses, "the root and what takes no part in scheduling never starve"},
	STV08:  {"STV-08", Minor, Statuses, "while pool starvation is off no pool's status changes"},
	STV11:  {"STV-11", Minor, Times, "starving_since is set where the share is not reached, with the time since when"},
	STV12:  {"STV-12", Major, Times, "nothing starves for its strong guarantee before it lacked it for longer than min_share_preemption_timeout"},
	LIM07:  {"LIM-07", Major, Shares, "the fair share is within the limits"},
	LIM09:  {"LIM-09", Minor, Amounts, "the reported limits are the least of all that limit"},
	FIFO01: {"FIFO-01", Minor, Positions, "the reported order of a FIFO pool is that of its sort parameters"},
	FIFO02: {"FIFO-02", Major, Shares, "in a FIFO pool only what earlier operations leave goes to later ones"},
	FIFO04: {"FIFO-04", Minor, Shares, "beyond the budget of a FIFO pool only operations with a fair share are schedulable"},
	LOG01:  {"LOG-01", Minor, Amounts, "reported usage is that of the jobs, and of the children"},
	GUA07:  {"GUA-07", Major, PartShares, "preemption leaves every strong guarantee served"},
	GUA08:  {"GUA-08", Minor, NoUnit, "operations that lack a promised guarantee start before others"},
}

// String returns the id, for example "PRE-06".
func (i Invariant) String() string { return entries[i].id }

// Severity says how much a violation matters.
func (i Invariant) Severity() Severity { return entries[i].severity }

// Statement says in a clause what holds where the invariant is kept.
func (i Invariant) Statement() string { return entries[i].statement }

// StatementOf is what the invariant of an id asks; empty if nothing here judges it.
func StatementOf(id string) string {
	if i, judged := ParseInvariant(id); judged {
		return i.Statement()
	}
	return ""
}

// HonoursWindows reports whether a breach in a global excuse window is excused: those of
// the sections that core/spec/invariants.md marks † (§1).
func (i Invariant) HonoursWindows() bool {
	section, _, _ := strings.Cut(entries[i].id, "-")
	switch section {
	case "TREE", "POOL", "CNT", "PEND", "LW", "STV", "LIM", "GUA":
		return true
	}
	return false
}

// Unit says what the two sides of its rulings are.
func (i Invariant) Unit() Unit { return entries[i].unit }

// ParseInvariant returns the invariant of an id.
func ParseInvariant(id string) (Invariant, bool) {
	for i := range entries {
		if entries[i].id == id {
			return Invariant(i), true
		}
	}
	return 0, false
}
