package judge

import (
	"testing"

	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// victimCases are about who loses: what protects the job, its operation and their pools.
var victimCases = []preemptionCase{
	{"the victim is preemptible", func(*Batch) {}, PRE06, OK},
	{"the victim is protected", func(b *Batch) { b.Taken[0].Job = 0 }, PRE06, Violated},
	{"the victim is protected, but in a segment that is not its own", func(b *Batch) { b.Taken[0].Job = 0; b.Jobs[0].Forced = true }, PRE06, OK},
	{"the victim is the last one before the boundary", func(b *Batch) { b.place1(4) }, PRE06, Suspect},
	{"the victim is the last but one before the boundary", func(b *Batch) { b.place1(3) }, PRE06, Violated},
	{"the victim was behind the boundary with what another node took", func(b *Batch) { b.place1(3); b.at(donor).Elsewhere = cores(2) }, PRE06, Suspect},
	{"the victim was before the boundary with what another node took, too", func(b *Batch) { b.place1(2); b.at(donor).Elsewhere = cores(1) }, PRE06, Violated},
	{"the victim is just within 1 % of a boundary", func(b *Batch) { b.place1(3); b.Inexact = true; b.heavy(0.2499) }, PRE06, Suspect},
	{"an aggressive stage takes an aggressively preemptible job", func(b *Batch) { b.aggressive(); b.place1(3) }, PRE06, OK},
	{"an aggressive stage takes from a pool that forbids it", func(b *Batch) { b.aggressive(); b.place1(3); b.at(donor).AggressivePreemption = false }, PRE06, Violated},

	{"the operation is not graceful", func(*Batch) {}, PRE07, OK},
	{"the operation is graceful", func(b *Batch) { b.at(donor).Graceful = true }, PRE07, Violated},
	{"the operation is graceful, the job in another segment", func(b *Batch) { b.at(donor).Graceful = true; b.Jobs[3].Forced = true }, PRE07, OK},

	{"the victim did not starve", func(*Batch) {}, PRE08, OK},
	{"the victim starved", func(b *Batch) { b.starve(donor, 0, scheduling.Starving) }, PRE08, Violated},
	{"the victim's pool starved", func(b *Batch) { b.starve(rich, 0, scheduling.Starving) }, PRE08, Violated},
	{"the victim's pool starved, and may be that of a beneficiary that is over", func(b *Batch) {
		b.starve(rich, 0, scheduling.Starving)
		b.Started[0].Operation = -1
	}, PRE08, Undecidable},
	{"the victim's pool starved, and is the beneficiary's", func(b *Batch) { b.starve(rich, 0, scheduling.Starving); b.at(needy).Above = rich }, PRE08, OK},
	{"the victim may have starved, for the log begins", func(b *Batch) { b.starve(donor, 0, scheduling.Starving); b.From = 80 * second }, PRE08, Undecidable},
	{"the victim starved, and had waited for its timeout in the log", func(b *Batch) { b.starve(donor, 0, scheduling.Starving); b.From = 1 }, PRE08, Violated},
	{"the victim starved, and nobody checks", func(b *Batch) { b.starve(donor, 0, scheduling.Starving); b.settings().CheckStarvation = false }, PRE08, Excused},
	{"the victim starves from this tick on", func(b *Batch) { b.starve(donor, 69500*1000, scheduling.Starving) }, PRE08, Suspect},
	{"the victim's pool starved, of no matter in the profile current", func(b *Batch) {
		b.settings().Profile = scheduling.Current
		b.starve(rich, 0, scheduling.Starving)
	}, PRE08, OK},

	{"the victim had more than its share", func(*Batch) {}, PRE09, OK},
	{"the victim had less than its share", func(b *Batch) { b.at(donor).Usage = both(0.1) }, PRE09, Violated},
	{"the victim's pool had less than its share", func(b *Batch) { b.at(rich).Fair = both(0.8) }, PRE09, Violated},
	{"the victim's pool had its share with what another node took", func(b *Batch) { b.at(rich).Fair = both(0.8); b.at(rich).Elsewhere = cores(5) }, PRE09, Suspect},
	{"the victim's pool had less than its share with what another node took, too", func(b *Batch) { b.at(rich).Fair = both(0.8); b.at(rich).Elsewhere = cores(2) }, PRE09, Violated},
	{"the victim's pool had less than its share, and may be that of a beneficiary that is over", func(b *Batch) {
		b.at(rich).Fair = both(0.8)
		b.Started[0].Operation = -1
	}, PRE09, Undecidable},
	{"the victim had its share but for half a job", func(b *Batch) { b.at(donor).Usage = both(0.225) }, PRE09, Suspect},
	{"the victim had its share but for half a job, and nobody checks", func(b *Batch) {
		b.at(donor).Usage = both(0.225)
		b.settings().CheckSatisfaction = false
	}, PRE09, Excused},
	{"the victim had three quarters of its share, enough for an aggressive stage", func(b *Batch) { b.aggressive(); b.at(donor).Usage = both(0.1875) }, PRE09, OK},

	{"the pool protects nothing", func(*Batch) {}, PRE10, OK},
	{"the pool protects the victim, and the beneficiary is outside", func(b *Batch) { b.at(rich).Fair = both(0.8) }, PRE10, Violated},
	{"the pool protects the victim since another node took of it", func(b *Batch) { b.at(rich).Fair = both(0.8); b.at(rich).Elsewhere = cores(5) }, PRE10, Suspect},
	{"the pool protects the victim, whatever another node took of another one", func(b *Batch) { b.at(rich).Fair = both(0.8); b.at(other).Elsewhere = cores(5) }, PRE10, Violated},
	{"the pool starves, which does not protect from an SSD stage", func(b *Batch) { b.onSSD(scheduling.ForSSDPreemption); b.starve(rich, 0, scheduling.Starving) }, PRE10, OK},
	{"the pool protects the victim, and the beneficiary is inside", func(b *Batch) { b.at(rich).Fair = both(0.8); b.at(needy).Above = rich }, PRE10, OK},
	{"the beneficiary is inside, and the feature is off", func(b *Batch) {
		b.at(rich).Fair, b.at(needy).Above = both(0.8), rich
		b.settings().ConditionalPreemption = false
	}, PRE10, Violated},
	{"the pool starved, for all the log tells that begins", func(b *Batch) { b.starve(rich, 0, scheduling.Starving); b.From = 80 * second }, PRE10, Undecidable},
	{"the pool starved, and had waited for its timeout in the log", func(b *Batch) { b.starve(rich, 0, scheduling.Starving); b.From = 1 }, PRE10, Violated},
	{"the pool protects the victim, and the beneficiary is over", func(b *Batch) { b.at(rich).Fair = both(0.8); b.Taken[0].Preemptor = PreemptorEnded }, PRE10, Undecidable},
	{"the pool protects the victim, and its preemptor is not recorded", func(b *Batch) { b.at(rich).Fair = both(0.8); b.Taken[0].Preemptor = PreemptorUnknown }, PRE10, Undecidable},

	{"aggressive preemption leaves half", (*Batch).aggressive, PRE15, OK},
	{"aggressive preemption of who has a fifth", func(b *Batch) { b.aggressive(); b.at(donor).Usage = both(0.05) }, PRE15, Violated},
	{"aggressive preemption of who has a fifth since another node took of it", func(b *Batch) { b.aggressive(); b.at(donor).Usage = both(0.05); b.at(donor).Elsewhere = cores(2) }, PRE15, Suspect},
	{"normal preemption leaves its share", func(*Batch) {}, PRE16, OK},
	{"normal preemption of who has less than its share", func(b *Batch) { b.at(donor).Usage = both(0.15) }, PRE16, Violated},
	{"preemption without a reason of who has less than its share", func(b *Batch) { b.at(donor).Usage, b.Taken[0].Reason = both(0.15), scheduling.NoReason }, PRE16, Violated},
	{"the same for one who may have starved aggressively", func(b *Batch) {
		b.at(donor).Usage, b.Taken[0].Reason = both(0.15), scheduling.NoReason
		b.starveBoth(-19*second, scheduling.Starving)
	}, PRE16, Suspect},
	{"normal preemption of who has less than its share since another node took of it", func(b *Batch) { b.at(donor).Usage = both(0.15); b.at(donor).Elsewhere = cores(2) }, PRE16, Suspect},

	{"the pool allows no aggressive preemption, of a preemptible job", func(b *Batch) { b.aggressive(); b.at(donor).AggressivePreemption = false }, PRE17, OK},
	{"the pool allows no aggressive preemption", func(b *Batch) { b.aggressive(); b.place1(3); b.at(donor).AggressivePreemption = false }, PRE17, Violated},
	{"the pool allows no aggressive preemption, of a job that was preemptible until another node took some", func(b *Batch) {
		b.aggressive()
		b.place1(3)
		b.at(donor).AggressivePreemption, b.at(donor).Elsewhere = false, cores(2)
	}, PRE17, Suspect},
	{"the gang is protected, the job preemptible", func(b *Batch) { b.aggressive(); b.protectGang() }, PRE18, OK},
	{"the gang is protected", func(b *Batch) { b.aggressive(); b.place1(3); b.protectGang() }, PRE18, Violated},
	{"the gang is protected, the job was preemptible until another node took some", func(b *Batch) {
		b.aggressive()
		b.place1(3)
		b.protectGang()
		b.at(donor).Elsewhere = cores(2)
	}, PRE18, Suspect},

	{"an SSD job that is preemptible", func(b *Batch) { b.onSSD(scheduling.ForSSDPreemption); b.Jobs[3].SSD = true }, PRE20, OK},
	{"an SSD job that is not preemptible", func(b *Batch) { b.onSSD(scheduling.ForSSDPreemption); b.place1(3); b.Jobs[1].SSD = true }, PRE20, Violated},
	{"an SSD job that was preemptible until another node took some", func(b *Batch) {
		b.onSSD(scheduling.ForSSDPreemption)
		b.place1(3)
		b.Jobs[1].SSD, b.at(donor).Elsewhere = true, cores(2)
	}, PRE20, Suspect},
	{"an SSD job that is not preemptible, on an SSD node since just now", func(b *Batch) {
		b.onSSD(scheduling.ForSSDPreemption)
		b.place1(3)
		b.Jobs[1].SSD, b.Node.SSDSince = true, 80*second
	}, PRE20, Suspect},
	{"a job without a record whether it is an SSD job", func(b *Batch) { b.onSSD(scheduling.ForSSDPreemption); b.Jobs[3].SSDUnknown = true }, PRE20, Undecidable},
	{"a protected victim whose segment may not fit", func(b *Batch) { b.place1(3); b.Jobs[1].ForcedUnknown = true }, PRE06, Suspect},

	{"normal preemption is allowed", func(*Batch) {}, PRE26, OK},
	{"normal preemption is forbidden, and the stage may be another", func(b *Batch) {
		b.at(donor).NormalForbidden, b.Taken[0].Reason = true, scheduling.NoReason
		b.at(needy).Timeouts = scheduling.Timeouts{Starving: 30 * second, Aggressive: 50 * second, AggressiveEnabled: true}
	}, PRE26, Suspect},
	{"normal preemption is forbidden, and no other stage is possible", func(b *Batch) {
		b.at(donor).NormalForbidden, b.Taken[0].Reason = true, scheduling.NoReason
	}, PRE26, Violated},
	{"normal preemption is forbidden", func(b *Batch) { b.at(donor).NormalForbidden = true }, PRE26, Violated},

	{"the operation wants more than it gets", func(*Batch) {}, LST03, OK},
	{"the operation gets all it wants", func(b *Batch) { b.at(donor).Demand = both(0.25) }, LST03, Violated},
	{"the threshold is passed", func(b *Batch) { b.at(donor).Threshold = cores(9) }, LST05, OK},
	{"the threshold is not reached", func(b *Batch) { b.at(donor).Threshold = cores(15) }, LST05, Violated},
	{"the threshold is not reached, and a limit is repaired", func(b *Batch) { b.limit(cores(11)); b.at(donor).Threshold = cores(15) }, LST05, Violated},
	{"the threshold is not reached, and the stage that repaired a limit may serve SSD", func(b *Batch) {
		b.limit(cores(11))
		b.at(donor).Threshold, b.Node.SSD = cores(15), true
	}, LST05, Undecidable},
	{"the threshold is not reached, and no stage for SSD takes the job", func(b *Batch) {
		b.limit(cores(11))
		b.at(donor).Threshold, b.Node.SSD, b.Jobs[3].SSD = cores(15), true, true
	}, LST05, Violated},
	{"the threshold is less than a job away", func(b *Batch) { b.at(donor).Threshold = cores(13) }, LST05, Suspect},

	{"a limit is repaired by a protected job", func(b *Batch) { b.limit(cores(11)); b.Taken[0].Job = 0 }, PRE06, Violated},
	{"a limit is repaired by a job that an aggressive stage may take", func(b *Batch) { b.limit(cores(11)); b.place1(3) }, PRE06, OK},
	{"a limit is repaired by a job that a stage for SSD may take", func(b *Batch) { b.limit(cores(11)); b.Taken[0].Job, b.Node.SSD = 0, true }, PRE06, Undecidable},
	{"a limit is repaired by a protected job with SSD", func(b *Batch) {
		b.limit(cores(11))
		b.Taken[0].Job, b.Node.SSD, b.Jobs[0].SSD = 0, true, true
	}, PRE06, Violated},
	{"a limit is repaired by a job that a stage for SSD may have taken until just now", func(b *Batch) {
		b.limit(cores(11))
		b.Taken[0].Job, b.Node.SSDSince = 0, 80*second
	}, PRE06, Suspect},
	{"a limit is repaired by who did not starve", func(b *Batch) { b.limit(cores(11)) }, PRE08, OK},
	{"a limit is repaired by who starved", func(b *Batch) { b.limit(cores(11)); b.starve(donor, 0, scheduling.Starving) }, PRE08, Violated},
	{"a limit is repaired by a job of a starving pool", func(b *Batch) { b.limit(cores(11)); b.starve(rich, 0, scheduling.Starving) }, PRE08, Violated},
	{"a limit is repaired by who starved, to a stage for SSD perhaps", func(b *Batch) {
		b.limit(cores(11))
		b.starve(donor, 0, scheduling.Starving)
		b.Node.SSD = true
	}, PRE08, Undecidable},
	{"a limit is repaired by who had more than an aggressive stage leaves", func(b *Batch) { b.limit(cores(11)); b.at(donor).Fair = both(0.9) }, PRE09, OK},
	{"a limit is repaired by who had less than any stage leaves", func(b *Batch) { b.limit(cores(11)); b.at(rich).Fair = both(1.6) }, PRE09, Violated},
	{"a limit is repaired by who had less than that since other jobs were gone", func(b *Batch) {
		b.limit(cores(11))
		b.at(donor).Fair, b.at(donor).Dropped = both(1.6), cores(5)
	}, PRE09, Suspect},
	{"a limit is repaired by who had less than the stages leave that may take of it", func(b *Batch) {
		b.limit(cores(11))
		b.at(donor).Fair, b.at(donor).AggressivePreemption = both(0.9), false
	}, PRE09, Violated},
}

// What protects gangs from aggressive stages says nothing of other operations, nor of
// other stages (PRE-18).
func TestGangProtectionIsOfGangs(t *testing.T) {
	for name, change := range map[string]func(b *Batch){
		"no gang":          func(b *Batch) { b.aggressive(); b.protectGang(); b.at(donor).Gang = false },
		"no such stage":    func(b *Batch) { b.protectGang() },
		"gangs may lose":   func(b *Batch) { b.aggressive(); b.protectGang(); b.settings().AggressiveForGangs = true },
		"no gang nor such": func(b *Batch) { b.settings().AggressiveForGangs = false },
	} {
		b := fairBatch()
		change(b)
		if _, judged := Worst(b.Judge(nil), PRE18); judged {
			t.Errorf("%s: PRE-18 is judged", name)
		}
	}
}

// TestTheResourceThatDecidesIsShown: an operation whose fair share covers all slots that it
// wants has too little cpu, however many slots it uses.
func TestTheResourceThatDecidesIsShown(t *testing.T) {
	for invariant, change := range map[Invariant]func(b *Batch){
		PRE15: func(b *Batch) { b.aggressive(); b.at(donor).Usage = resource.Share{0.6, 0.05} },
		PRE16: func(b *Batch) { b.at(donor).Usage = resource.Share{0.6, 0.15} },
		GUA07: func(b *Batch) { b.at(donor).Guarantee, b.at(donor).Usage = both(0.25), resource.Share{0.6, 0.15} },
	} {
		b := fairBatch()
		change(b)
		b.at(donor).Demand[resource.UserSlots] = 0.25
		found := false
		for _, r := range b.Judge(nil) {
			if r.Invariant == invariant {
				found = true
				if r.Verdict == OK || r.Resource != resource.CPU || r.Left >= r.Right {
					t.Errorf("%s", r.Sentence(&resource.UsualUnits))
				}
			}
		}
		if !found {
			t.Errorf("%v is not judged", invariant)
		}
	}
}
