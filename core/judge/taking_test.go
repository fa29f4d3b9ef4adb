package judge

import (
	"testing"

	"poolproof/core/scheduling"
)

// takingCases are about which of the candidates go and how many, and about what is taken
// for nobody: repairs of limits, graceful preemption and overfull nodes.
var takingCases = []preemptionCase{
	{"the last one went first", func(*Batch) {}, PRE11, OK},
	{"an earlier one went, the last one stayed", func(b *Batch) { b.Taken[0].Job = 2 }, PRE11, Violated},
	{"the one that stayed started at the same time", func(b *Batch) { b.Taken[0].Job = 2; b.Jobs[2].Start = b.Jobs[3].Start }, PRE11, OK},
	{"the one that stayed started later, of an operation at its share", func(b *Batch) { b.Jobs[4].Start = 99 * second }, PRE11, OK},
	{"the one that stayed started later, of a rich operation", func(b *Batch) { b.addCompetitor() }, PRE11, Violated},
	{"the one that stayed started later, of an operation that may have starved, for the log begins", func(b *Batch) {
		b.addCompetitor()
		b.starve(other, 80*second, scheduling.NonStarving)
		b.From = 80 * second
	}, PRE11, Undecidable},
	{"the one that stayed started later, of an operation that was below since after the log began", func(b *Batch) {
		b.addCompetitor()
		b.starve(other, 80*second, scheduling.NonStarving)
		b.From = 78 * second
	}, PRE11, Violated},
	{"the one that stayed started later, of an operation that may have starved, which protects nobody", func(b *Batch) {
		b.addCompetitor()
		b.starve(other, 80*second, scheduling.NonStarving)
		b.From, b.settings().CheckStarvation = 80*second, false
	}, PRE11, Violated},
	{"two that stayed started later, one of them of an operation that may have starved, for the log begins", func(b *Batch) {
		b.addCompetitor()
		b.starve(other, 80*second, scheduling.NonStarving)
		b.From, b.Taken[0].Job = 80*second, 2
	}, PRE11, Violated},
	{"the one that stayed started later, of an operation that was rich until an earlier stage", func(b *Batch) { b.addCompetitor(); b.takeEarlier() }, PRE11, OK},
	{"the one that stayed started later, where normal preemption is forbidden", func(b *Batch) { b.addCompetitor(); b.at(other).NormalForbidden = true }, PRE11, OK},
	{"the one that stayed started earlier, but the victim was aggressively preemptible", func(b *Batch) { b.takeProtected() }, PRE11, Violated},
	{"the one that stayed started earlier, and the victim was preemptible until another node took some", func(b *Batch) {
		b.takeProtected()
		b.at(donor).Elsewhere = cores(2)
	}, PRE11, Suspect},
	{"the one that stayed may have been protected", func(b *Batch) {
		b.Taken[0].Job, b.at(other).Usage = 2, both(0.5)
		b.Jobs[3], b.Jobs[4].Start, b.Jobs[4].Ahead = b.Jobs[2], 50*second, cores(2)
		b.cut()
	}, PRE11, Suspect},

	{"the victim was needed", func(*Batch) {}, PRE12, OK},
	{"the victim was needed, for limits may have been repaired after", func(b *Batch) {
		b.Taken = []Taken{{Job: 2, Reason: scheduling.ForViolatedLimits, Preemptor: NoPreemptor}, b.Taken[0]}
	}, PRE12, OK},
	{"the victim was needed for a job of an operation that is over", func(b *Batch) { b.Started[0].Operation = -1 }, PRE12, OK},
	{"the second victim was not needed for a job of an operation that is over", func(b *Batch) {
		b.Started[0].Operation = -1
		b.Taken = append(b.Taken, Taken{Job: 2, Reason: scheduling.ForPreemption})
	}, PRE12, Violated},
	{"not recorded for what the victim was to make room", func(b *Batch) { b.Started, b.Taken[0].Preemptor = nil, PreemptorEnded }, PRE12, Undecidable},
	{"the second victim was not needed, but may have gone first", func(b *Batch) { b.takeTwo(4, 1) }, PRE12, Suspect},
	{"the second victim was not needed, and went second by any list", func(b *Batch) { b.takeTwo(3, 1) }, PRE12, Violated},
	{"the second victim was not needed, whichever went first", func(b *Batch) { b.takeTwo(4, 2) }, PRE12, Violated},
	{"the second victim was not needed", func(b *Batch) { b.Taken = append(b.Taken, Taken{Job: 2, Reason: scheduling.ForPreemption}) }, PRE12, Violated},
	{"the second victim was needed for a larger job", func(b *Batch) {
		b.Taken = append(b.Taken, Taken{Job: 2, Reason: scheduling.ForPreemption})
		b.Started[0].Usage = cores(2)
	}, PRE12, OK},
	{"the second victim was not needed but perhaps for a disk", func(b *Batch) {
		b.Taken = append(b.Taken, Taken{Job: 2, Reason: scheduling.ForPreemption})
		b.Started[0].Disk = true
	}, PRE12, Excused},

	{"the guarantee stays served", func(b *Batch) { b.at(rich).Guarantee = both(0.5) }, GUA07, OK},
	{"the guarantee was not served", func(b *Batch) { b.at(rich).Guarantee, b.at(rich).Fair = both(0.7), both(0.7) }, GUA07, Violated},
	{"the guarantee was served but for what another node took", func(b *Batch) {
		b.at(rich).Guarantee, b.at(rich).Fair, b.at(rich).Elsewhere = both(0.7), both(0.7), cores(3)
	}, GUA07, Suspect},
	{"the guarantee was not served, and a beneficiary that is over may share it", func(b *Batch) {
		b.at(rich).Guarantee, b.at(rich).Fair = both(0.7), both(0.7)
		b.Started[0].Operation = -1
	}, GUA07, Undecidable},
	{"the guarantee was not served, nor is it part of the fair share", func(b *Batch) { b.at(rich).Guarantee = both(0.7) }, GUA07, Excused},
	{"the job is what lay beyond the fair share, which holds less than the guarantee", func(b *Batch) { b.at(rich).Guarantee, b.at(rich).Fair = both(0.7), both(0.58) }, GUA07, Excused},
	{"so do two jobs", func(b *Batch) {
		b.at(rich).Guarantee, b.at(rich).Fair = both(0.7), both(0.58)
		b.alsoTake(2)
	}, GUA07, Excused},
	{"less than that part of the guarantee was served before", func(b *Batch) { b.at(rich).Guarantee, b.at(rich).Fair = both(0.7), both(0.61) }, GUA07, Violated},
	{"less than a job is missing of the guarantee, which the fair share holds", func(b *Batch) { b.at(rich).Guarantee, b.at(rich).Fair = both(0.59), both(0.59) }, GUA07, Suspect},
	{"two jobs leave less, and the first could go", func(b *Batch) {
		b.at(rich).Guarantee, b.at(rich).Fair = both(0.59), both(0.59)
		b.alsoTake(2)
	}, GUA07, Suspect}, // of the first; the second one is excused
	{"two jobs leave less, and neither could go", func(b *Batch) {
		b.at(rich).Guarantee, b.at(rich).Fair = both(0.59), both(0.7)
		b.alsoTake(2)
	}, GUA07, Violated},
	{"a job leaves less in the configuration that was in force a moment ago, whose fair share is less", func(b *Batch) {
		b.at(rich).Guarantee, b.at(rich).Fair = both(0.7), both(0.7)
		b.AddState().Elements[rich].Fair = both(0.58)
	}, GUA07, Suspect},
	{"the guarantee of a pool was not served where pools protect nothing", func(b *Batch) {
		b.at(rich).Guarantee, b.at(rich).Fair, b.settings().Profile = both(0.7), both(0.7), scheduling.Current
	}, GUA07, Excused},
	{"the guarantee was not served, where satisfaction is not checked", func(b *Batch) {
		b.settings().CheckSatisfaction = false
		b.at(rich).Guarantee, b.at(rich).Fair = both(0.7), both(0.7)
	}, GUA07, Excused},
	{"the guarantee was not served, to an aggressive stage", func(b *Batch) { b.aggressive(); b.at(rich).Guarantee, b.at(rich).Fair = both(0.7), both(0.7) }, GUA07, Excused},
	{"the guarantee was not served, but the beneficiary shares it", func(b *Batch) { b.at(rich).Guarantee = both(0.7); b.at(needy).Above = rich }, GUA07, OK},

	{"a pool's limit was exceeded", func(b *Batch) { b.limit(cores(11)) }, LIM05, OK},
	{"no limit was exceeded", func(b *Batch) { b.limit(cores(20)) }, LIM05, Violated},
	{"no limit was exceeded by a job", func(b *Batch) { b.limit(cores(12)) }, LIM05, Suspect},
	{"a limit was exceeded by what the heartbeat started", func(b *Batch) {
		b.limit(cores(13))
		b.Started = []Started{{Operation: donor, Usage: cores(2)}}
	}, LIM05, OK},
	{"what the heartbeat started is of another pool", func(b *Batch) {
		b.limit(cores(13))
		b.Started = []Started{{Operation: needy, Usage: cores(2)}}
	}, LIM05, Violated},
	{"a limit was exceeded until other jobs were gone", func(b *Batch) { b.limit(cores(13)); b.at(rich).Dropped = cores(2) }, LIM05, Suspect},
	{"no limit was exceeded by the jobs that are gone either", func(b *Batch) { b.limit(cores(14)); b.at(rich).Dropped = cores(1) }, LIM05, Violated},
	{"no limit is exceeded but by what other nodes took", func(b *Batch) { b.limit(cores(14)); b.at(rich).Elsewhere = cores(3) }, LIM05, Violated},
	{"a limit was exceeded by two jobs", func(b *Batch) { b.limit(cores(10)); b.alsoTake(2) }, LIM06, OK},
	{"a limit was exceeded by one of three jobs", func(b *Batch) { b.limit(cores(11)); b.alsoTake(2); b.alsoTake(1) }, LIM06, Violated},
	{"a limit was exceeded by one of three jobs, and other nodes repaired it, too", func(b *Batch) {
		b.limit(cores(11))
		b.alsoTake(2)
		b.alsoTake(1)
		b.at(rich).Elsewhere = cores(2)
	}, LIM06, Suspect},
	{"a limit was exceeded by one of three jobs, and jobs had ended", func(b *Batch) {
		b.limit(cores(11))
		b.alsoTake(2)
		b.alsoTake(1)
		b.at(rich).Dropped = cores(2)
	}, LIM06, Violated},
	{"a limit was exceeded by one job until others were gone", func(b *Batch) { b.limit(cores(13)); b.at(rich).Dropped = cores(2) }, LIM06, Suspect},
	{"a limit was exceeded by two jobs until others were gone", func(b *Batch) {
		b.limit(cores(13))
		b.alsoTake(2)
		b.alsoTake(1)
		b.at(rich).Dropped = cores(1)
	}, LIM06, Violated},

	{"a graceful operation is asked", func(b *Batch) { b.grace() }, GRC01, OK},
	{"another operation is asked", func(b *Batch) { b.grace(); b.at(donor).Graceful = false }, GRC01, Violated},
	{"a graceful operation is asked twice", func(b *Batch) { b.grace(); b.Jobs[3].Interrupted = true }, GRC01, Violated},
	{"a graceful operation is asked for a protected job", func(b *Batch) { b.grace(); b.Taken[0].Job = 0 }, GRC01, Violated},
	{"a graceful operation is asked for a job that was preemptible until another node took some", func(b *Batch) {
		b.grace()
		b.Taken[0].Job, b.at(donor).Elsewhere = 0, cores(5)
	}, GRC01, Suspect},

	{"the node was overfull for long", func(b *Batch) { b.overfill(80 * second) }, OVC01, OK},
	{"not known for how long the node may be overfull", func(b *Batch) { b.overfill(80 * second); b.MissingInputs = NoOvercommit }, OVC01, Undecidable},
	{"the node was not overfull, for however long it may be", func(b *Batch) { b.Taken[0].Reason, b.MissingInputs = scheduling.ForOvercommit, NoOvercommit }, OVC01, Violated},
	{"the node was overfull for a short time", func(b *Batch) { b.overfill(92 * second) }, OVC01, Violated},
	{"the node was overfull for long but for a heartbeat", func(b *Batch) { b.overfill(86 * second) }, OVC01, Suspect},
	{"the node was overfull for long but for one of its heartbeats, which are far apart", func(b *Batch) { b.overfill(92 * second); b.Node.Interval = 30 * second }, OVC01, Suspect},
	{"the node was overfull for long, if usage was 1 % more", func(b *Batch) { b.overfill(99 * second); b.Inexact, b.Node.OvercommittedWithin = true, 80*second }, OVC01, Suspect},
	{"the node was not overfull, but if usage was 1 % more", func(b *Batch) {
		b.overfill(scheduling.Never)
		b.Inexact, b.Node.OvercommittedWithin = true, 80*second
	}, OVC01, Suspect},
	{"the node was overfull for a short time, if usage was 1 % more, too", func(b *Batch) { b.overfill(99 * second); b.Inexact, b.Node.OvercommittedWithin = true, 98*second }, OVC01, Violated},
	{"the least protected job goes from an overfull node", func(b *Batch) { b.overfill(80 * second) }, OVC02, OK},
	{"a better protected job goes from an overfull node", func(b *Batch) { b.overfill(80 * second); b.Taken[0].Job = 2 }, OVC02, Violated},
	{"either of the least protected jobs goes from an overfull node", func(b *Batch) {
		b.overfill(80 * second)
		b.Taken[0].Job, b.Jobs[2].Start = 2, b.Jobs[3].Start
	}, OVC02, OK},
	{"both of the least protected jobs go from an overfull node", func(b *Batch) {
		b.overfill(80 * second)
		b.alsoTake(2)
		b.Jobs[2].Start = b.Jobs[3].Start
	}, OVC02, Violated},
	{"a stage had made room on an overfull node", func(b *Batch) { b.overfill(80 * second); b.takeBefore(2) }, OVC02, Violated},
	{"a stage had made room on an overfull node, and started a job there", func(b *Batch) {
		b.overfill(80 * second)
		b.takeBefore(2)
		b.Started = []Started{{Operation: needy, Usage: cores(1)}}
	}, OVC02, OK},
	{"a job was asked to finish on an overfull node, which makes no room", func(b *Batch) {
		b.overfill(80 * second)
		b.takeBefore(2)
		b.Taken[0].Reason = scheduling.ForGracefulPreemption
	}, OVC02, OK},
	{"the best protected job goes from an overfull node", func(b *Batch) { b.overfill(80 * second); b.Taken[0].Job = 0 }, OVC02, Violated},
	{"the last job to fit goes from a node that is full but for less than 1 %", func(b *Batch) {
		b.overfill(80 * second)
		b.Taken[0].Job, b.Jobs[3].Gone, b.Inexact = 2, true, true
		b.Node.Limits = room(4)
	}, OVC02, Suspect},
}

// PRE-11 compares the places of the victim and of the job that should have gone.
func TestTheWrongVictimHasAPlace(t *testing.T) {
	for victim, want := range map[int32]float64{2: 2, 1: 3} { // the last of the operation's jobs goes first
		b := fairBatch()
		b.Taken[0].Job = victim
		for _, r := range b.Judge(nil) {
			if r.Invariant == PRE11 && (r.Left != want || r.Right != 1) {
				t.Errorf("job %d: %v against %v, want %v against 1", victim, r.Left, r.Right, want)
			}
		}
	}
}
