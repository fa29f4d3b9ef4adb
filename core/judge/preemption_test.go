package judge

import (
	"testing"

	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// preemptionCases change the fair batch. What is not said to be otherwise stays
// without violation.
var preemptionCases = []struct {
	name      string
	change    func(b *Batch)
	invariant Invariant
	verdict   Verdict
}{
	{"nobody profits and the node had room", func(b *Batch) { b.nobody(5) }, PRE01, Violated},
	{"nobody profits and the node was overfull", func(b *Batch) { b.nobody(4) }, PRE01, OK},
	{"nobody profits and the node was overfull, if usage was 1 % more", func(b *Batch) { b.nobody(5); b.Inexact = true }, PRE01, Suspect},
	{"nobody profits and the node had more than 1 % of room", func(b *Batch) { b.nobody(5); b.Inexact = true; b.Node.Limits[resource.CPU] = 510 }, PRE01, Violated},
	{"the job it names started elsewhere", func(b *Batch) { b.Taken[0].For = ForElsewhere }, PRE01, Violated},
	{"the job it names is not in the log", func(b *Batch) { b.Taken[0].For = ForDangling }, PRE01, Excused},
	{"the operation it names was over before a job of it started", func(b *Batch) { b.Taken[0].For = ForGone }, PRE01, Excused},
	{"the job it names is of an operation that is over", func(b *Batch) { b.Started[0].Operation = -1 }, PRE01, OK},
	{"nobody recorded for whom", func(b *Batch) { b.Taken[0].For = ForUnknown }, PRE01, Undecidable},
	{"neither reason nor beneficiary is recorded", func(b *Batch) { b.nobody(5); b.Taken[0].Reason = scheduling.NoReason }, PRE01, Undecidable},
	{"the job it names exists", func(*Batch) {}, PRE25, OK},
	{"it names an operation and no job", func(b *Batch) { b.Taken[0].Unnamed = true }, PRE25, Undecidable},
	{"the job it names does not exist", func(b *Batch) { b.Taken[0].For = ForDangling }, PRE25, Violated},

	{"the freed room suffices", func(*Batch) {}, PRE02, OK},
	{"the freed room does not suffice", func(b *Batch) { b.Started[0].Usage = cores(2) }, PRE02, Violated},
	{"the freed room suffices if usage was 1 % less", func(b *Batch) { b.Started[0].Usage[resource.CPU] = 104; b.Inexact = true }, PRE02, Suspect},
	{"the freed room does not suffice by 2 %", func(b *Batch) { b.Started[0].Usage[resource.CPU] = 110; b.Inexact = true }, PRE02, Violated},
	{"the freed room does not suffice by less than 1 % of what is known exactly", func(b *Batch) { b.Started[0].Usage[resource.CPU] = 104 }, PRE02, Violated},
	{"the beneficiary is of another tree", func(b *Batch) { b.Started[0].OtherTree = true }, PRE02, Violated},

	{"the beneficiary starved", func(*Batch) {}, PRE03, OK},
	{"the beneficiary is over", func(b *Batch) { b.Started[0].Operation = -1 }, PRE03, Undecidable},
	{"the beneficiary had starved for a minute less", func(b *Batch) { b.starveBoth(99*second, scheduling.NonStarving) }, PRE03, Violated},
	{"the beneficiary starved from this tick on", func(b *Batch) { b.starveBoth(70*second, scheduling.NonStarving) }, PRE03, Suspect},
	{"the beneficiary starves aggressively from this tick on", func(b *Batch) { b.aggressive(); b.starveBoth(-20*second, scheduling.Starving) }, PRE03, Suspect},
	{"only the pool starved", func(b *Batch) { b.starve(needy, scheduling.Never, scheduling.NonStarving) }, PRE03, OK},
	{"only the pool starved, and pools do not count", func(b *Batch) {
		b.starve(needy, scheduling.Never, scheduling.NonStarving)
		b.settings().Scope = scheduling.OperationOnly
	}, PRE03, Violated},
	{"the reason is not recorded", func(b *Batch) { b.Taken[0].Reason = scheduling.NoReason }, PRE03, Undecidable},

	{"it had waited for its timeout", func(*Batch) {}, PRE04, OK},
	{"it was not below its share", func(b *Batch) { b.starveBoth(scheduling.Never, scheduling.Starving) }, PRE04, Violated},
	{"it had waited for half its timeout", func(b *Batch) { b.starveBoth(85*second, scheduling.Starving) }, PRE04, Violated},
	{"it had waited for its timeout but a second", func(b *Batch) { b.starveBoth(71*second, scheduling.Starving) }, PRE04, Suspect},
	{"it may have waited for longer, for the log begins", func(b *Batch) { b.starveBoth(85*second, scheduling.NonStarving); b.From = 85 * second }, PRE04, Undecidable},
	{"it may have waited for less long, for the log begins", func(b *Batch) { b.starveBoth(60*second, scheduling.Starving); b.From = 80 * second }, PRE04, Undecidable},
	{"it waited for its timeout since the log began", func(b *Batch) {
		b.starveBoth(60*second, scheduling.Starving)
		b.From, b.settings().Scope, b.at(needy).Timeouts.AggressiveEnabled = 65*second, scheduling.OperationOnly, false
	}, PRE04, OK},
	{"it waited since after the log began", func(b *Batch) { b.starveBoth(85*second, scheduling.NonStarving); b.From = 83 * second }, PRE04, Violated},
	{"it waited for its min share", func(b *Batch) {
		b.starveBoth(80*second, scheduling.NonStarving)
		b.at(needy).Hunger.MinShare = scheduling.Clock{Since: 80 * second, Status: scheduling.Starving}
	}, PRE04, OK},
	{"in Legacy it may have waited for its min share", func(b *Batch) { b.legacy(80 * second) }, PRE04, Suspect},
	{"in Legacy it waits for its min share", func(b *Batch) {
		b.legacy(80 * second)
		b.at(needy).Hunger.TickLegacy(99*second, scheduling.MinShare, 30*second, 15*second)
	}, PRE04, OK},
	{"in Legacy it has no min share", func(b *Batch) { b.legacy(80 * second); b.at(needy).Guarantee = resource.Share{} }, PRE04, Violated},
	{"in Legacy it had not waited for its min share either", func(b *Batch) { b.legacy(95 * second) }, PRE04, Violated},
	{"it had waited for the aggressive timeout", (*Batch).aggressive, PRE04, OK},
	{"it had waited long enough for its min share only", func(b *Batch) {
		b.aggressive()
		b.starveBoth(0, scheduling.AggressivelyStarving)
		b.at(needy).Hunger.MinShare = scheduling.Clock{Since: -100 * second, Status: scheduling.Starving}
	}, PRE04, Violated},
	{"it had not waited for the aggressive timeout", func(b *Batch) { b.aggressive(); b.starveBoth(0, scheduling.AggressivelyStarving) }, PRE04, Violated},

	{"the beneficiary starved itself", func(*Batch) {}, PRE05, OK},
	{"the beneficiary did not starve itself", func(b *Batch) { b.starve(needy, scheduling.Never, scheduling.NonStarving) }, PRE05, Violated},

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
	{"the pool protects the victim, and the beneficiary is over", func(b *Batch) { b.at(rich).Fair = both(0.8); b.Taken[0].For = ForGone }, PRE10, Undecidable},
	{"the pool protects the victim, and nobody knows for whom it went", func(b *Batch) { b.at(rich).Fair = both(0.8); b.Taken[0].For = ForUnknown }, PRE10, Undecidable},

	{"the last one went first", func(*Batch) {}, PRE11, OK},
	{"an earlier one went, the last one stayed", func(b *Batch) { b.Taken[0].Job = 2 }, PRE11, Violated},
	{"the one that stayed started at the same time", func(b *Batch) { b.Taken[0].Job = 2; b.Jobs[2].Start = b.Jobs[3].Start }, PRE11, OK},
	{"the one that stayed started later, of an operation at its share", func(b *Batch) { b.Jobs[4].Start = 99 * second }, PRE11, OK},
	{"the one that stayed started later, of a rich operation", func(b *Batch) { b.addRival() }, PRE11, Violated},
	{"the one that stayed started later, of an operation that may have starved, for the log begins", func(b *Batch) {
		b.addRival()
		b.starve(other, 80*second, scheduling.NonStarving)
		b.From = 80 * second
	}, PRE11, Undecidable},
	{"the one that stayed started later, of an operation that was below since after the log began", func(b *Batch) {
		b.addRival()
		b.starve(other, 80*second, scheduling.NonStarving)
		b.From = 78 * second
	}, PRE11, Violated},
	{"the one that stayed started later, of an operation that may have starved, which protects nobody", func(b *Batch) {
		b.addRival()
		b.starve(other, 80*second, scheduling.NonStarving)
		b.From, b.settings().CheckStarvation = 80*second, false
	}, PRE11, Violated},
	{"two that stayed started later, one of them of an operation that may have starved, for the log begins", func(b *Batch) {
		b.addRival()
		b.starve(other, 80*second, scheduling.NonStarving)
		b.From, b.Taken[0].Job = 80*second, 2
	}, PRE11, Violated},
	{"the one that stayed started later, of an operation that was rich until an earlier stage", func(b *Batch) { b.addRival(); b.takeEarlier() }, PRE11, OK},
	{"the one that stayed started later, where normal preemption is forbidden", func(b *Batch) { b.addRival(); b.at(other).NormalForbidden = true }, PRE11, OK},
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
		b.Taken = []Taken{{Job: 2, Reason: scheduling.ForViolatedLimits, For: ForNobody}, b.Taken[0]}
	}, PRE12, OK},
	{"the victim was needed for a job of an operation that is over", func(b *Batch) { b.Started[0].Operation = -1 }, PRE12, OK},
	{"the second victim was not needed for a job of an operation that is over", func(b *Batch) {
		b.Started[0].Operation = -1
		b.Taken = append(b.Taken, Taken{Job: 2, Reason: scheduling.ForPreemption})
	}, PRE12, Violated},
	{"nobody knows what room the victim was to make", func(b *Batch) { b.Started, b.Taken[0].For = nil, ForGone }, PRE12, Undecidable},
	{"the second victim was not needed", func(b *Batch) { b.Taken = append(b.Taken, Taken{Job: 2, Reason: scheduling.ForPreemption}) }, PRE12, Violated},
	{"the second victim was needed for a larger job", func(b *Batch) {
		b.Taken = append(b.Taken, Taken{Job: 2, Reason: scheduling.ForPreemption})
		b.Started[0].Usage = cores(2)
	}, PRE12, OK},
	{"the second victim was not needed but perhaps for a disk", func(b *Batch) {
		b.Taken = append(b.Taken, Taken{Job: 2, Reason: scheduling.ForPreemption})
		b.Started[0].Disk = true
	}, PRE12, Excused},

	{"one job started", func(*Batch) {}, PRE13, OK},
	{"two jobs started", func(b *Batch) { b.Started = append(b.Started, b.Started[0]) }, PRE13, Violated},

	{"the node had waited", func(*Batch) {}, PRE14, OK},
	{"the node had never been preemptive", func(b *Batch) { b.Node.LastPreemptive = scheduling.Never }, PRE14, OK},
	{"the node had not waited", func(b *Batch) { b.Node.LastPreemptive = 96 * second }, PRE14, Violated},
	{"the node had waited to the second", func(b *Batch) { b.Node.LastPreemptive = 95 * second }, PRE14, Suspect},
	{"the node had not waited since the latest moment at which it may have", func(b *Batch) { b.Node.LastPreemptive, b.Untimed = 96*second, true }, PRE14, Undecidable},
	{"the node had waited even since that moment", func(b *Batch) { b.Untimed = true }, PRE14, OK},
	{"the node had not waited, whatever stages took nothing", func(b *Batch) { b.Node.LastPreemptive, b.NoTicks = 96*second, true }, PRE14, Violated},
	{"nobody knows whether the node had waited", func(b *Batch) { b.NoTicks = true }, PRE14, Undecidable},

	{"aggressive preemption leaves half", (*Batch).aggressive, PRE15, OK},
	{"aggressive preemption of who has a fifth", func(b *Batch) { b.aggressive(); b.at(donor).Usage = both(0.05) }, PRE15, Violated},
	{"aggressive preemption of who has a fifth since another node took of it", func(b *Batch) { b.aggressive(); b.at(donor).Usage = both(0.05); b.at(donor).Elsewhere = cores(2) }, PRE15, Suspect},
	{"normal preemption leaves its share", func(*Batch) {}, PRE16, OK},
	{"normal preemption of who has less than its share", func(b *Batch) { b.at(donor).Usage = both(0.15) }, PRE16, Violated},
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

	{"an SSD stage on an SSD node", func(b *Batch) { b.onSSD(scheduling.ForSSDPreemption) }, PRE19, OK},
	{"an SSD stage for who is over", func(b *Batch) { b.onSSD(scheduling.ForSSDPreemption); b.Started[0].Operation = -1 }, PRE19, Undecidable},
	{"an SSD stage on another node", func(b *Batch) { b.onSSD(scheduling.ForSSDPreemption); b.Node.SSD = false }, PRE19, Violated},
	{"an SSD stage for who asks for none", func(b *Batch) { b.onSSD(scheduling.ForSSDPreemption); b.at(needy).RequestsSSD = false }, PRE19, Violated},
	{"an SSD stage on a node that was an SSD node until just now", func(b *Batch) {
		b.onSSD(scheduling.ForSSDPreemption)
		b.Node.SSD, b.Node.SSDSince = false, 80*second
	}, PRE19, Suspect},
	{"an SSD stage on a node that was an SSD node long ago", func(b *Batch) {
		b.onSSD(scheduling.ForSSDPreemption)
		b.Node.SSD, b.Node.SSDSince = false, 70*second
	}, PRE19, Violated},
	{"an SSD stage on a node that became an SSD node, for who asks for none", func(b *Batch) {
		b.onSSD(scheduling.ForSSDPreemption)
		b.Node.SSDSince, b.at(needy).RequestsSSD = 80*second, false
	}, PRE19, Violated},
	{"the priority is of an SSD node until just now", func(b *Batch) {
		b.onSSD(scheduling.ForSSDPreemption)
		b.Node.SSD, b.Node.SSDSince = false, 80*second
	}, PRE03, Suspect},
	{"the priority is of an SSD node since just now", func(b *Batch) {
		b.onSSD(scheduling.ForPreemption)
		b.Node.SSDSince = 80 * second
	}, PRE05, Suspect},
	{"the priority is of an SSD node", func(b *Batch) { b.onSSD(scheduling.ForPreemption) }, PRE05, Violated},
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
	{"a job of which nobody knows whether it is an SSD job", func(b *Batch) { b.onSSD(scheduling.ForSSDPreemption); b.Jobs[3].SSDUnknown = true }, PRE20, Undecidable},
	{"a protected victim whose segment may not fit", func(b *Batch) { b.place1(3); b.Jobs[1].ForcedUnknown = true }, PRE06, Suspect},

	{"there was no room", func(*Batch) {}, PRE24, OK},
	{"there was room that suited badly", func(b *Batch) { b.Node.Limits = room(7); b.settings().Packing.Enable = true }, PRE24, Excused},
	{"there was room", func(b *Batch) { b.Node.Limits = room(7) }, PRE24, Violated},
	{"there was room, and nobody knows how much is left alone", func(b *Batch) { b.Node.Limits, b.Lacks = room(7), NoSpare }, PRE24, Undecidable},
	{"there was less room than is offered", func(b *Batch) { b.Node.Limits = room(6); b.settings().MinSpare = cores(2) }, PRE24, Excused},

	{"normal preemption is allowed", func(*Batch) {}, PRE26, OK},
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
		b.Under(*b.settings()).Elements[rich].Fair = both(0.58)
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
	{"nobody knows for how long the node may be overfull", func(b *Batch) { b.overfill(80 * second); b.Lacks = NoOvercommit }, OVC01, Undecidable},
	{"the node was not overfull, for however long it may be", func(b *Batch) { b.Taken[0].Reason, b.Lacks = scheduling.ForOvercommit, NoOvercommit }, OVC01, Violated},
	{"the node was overfull for a short time", func(b *Batch) { b.overfill(92 * second) }, OVC01, Violated},
	{"the node was overfull for long but for a heartbeat", func(b *Batch) { b.overfill(86 * second) }, OVC01, Suspect},
	{"the node was overfull for long but for one of its heartbeats, which are far apart", func(b *Batch) { b.overfill(92 * second); b.Node.Interval = 30 * second }, OVC01, Suspect},
	{"the node was overfull for long, if usage was 1 % more", func(b *Batch) { b.overfill(99 * second); b.Inexact, b.Node.Crowded = true, 80*second }, OVC01, Suspect},
	{"the node was not overfull, but if usage was 1 % more", func(b *Batch) {
		b.overfill(scheduling.Never)
		b.Inexact, b.Node.Crowded = true, 80*second
	}, OVC01, Suspect},
	{"the node was overfull for a short time, if usage was 1 % more, too", func(b *Batch) { b.overfill(99 * second); b.Inexact, b.Node.Crowded = true, 98*second }, OVC01, Violated},
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

func TestPreemptionRules(t *testing.T) {
	seen := map[Invariant]map[Verdict]bool{}
	for i := range preemptionRules {
		seen[preemptionRules[i].invariant] = map[Verdict]bool{}
	}
	for _, c := range preemptionCases {
		t.Run(c.invariant.String()+"/"+c.name, func(t *testing.T) {
			b := fairBatch()
			c.change(b)
			rulings := b.Judge(nil)
			got, judged := Worst(rulings, c.invariant)
			if !judged || got != c.verdict {
				t.Errorf("%v = %v (judged: %v), want %v; %+v", c.invariant, got, judged, c.verdict, rulings)
			}
			seen[c.invariant][got] = true
		})
	}
	for i := range preemptionRules {
		if v := seen[preemptionRules[i].invariant]; !v[OK] || !v[Violated] {
			t.Errorf("%v lacks a planted fault or its legal look-alike", preemptionRules[i].invariant)
		}
	}
}

func TestFairBatch(t *testing.T) {
	for _, r := range fairBatch().Judge(nil) {
		if r.Verdict != OK {
			t.Errorf("%v is %+v", r.Invariant, r)
		}
	}
}

// TestDoubt plants one fault and looks at it with less certainty.
func TestDoubt(t *testing.T) {
	for name, c := range map[string]struct {
		change  func(b *Batch)
		verdict Verdict
	}{
		"certain":                          {func(*Batch) {}, Violated},
		"possible evidence":                {func(b *Batch) { b.Evidence = Possible }, Suspect},
		"a window that excuses others":     {func(b *Batch) { b.Excuse = PoolsAlert }, Violated},
		"a window in which all is in flux": {func(b *Batch) { b.Excuse, b.Shaken = Reconnecting, OnState }, Suspect},
		"no shares":                        {func(b *Batch) { b.Missing = FairShares }, Undecidable},
		"the next tick sees it alike":      {func(b *Batch) { b.States = append(b.States, b.States[0]) }, Violated},
		"the next tick sees it otherwise": {func(b *Batch) {
			b.States = append(b.States, fairBatch().States[0])
		}, Suspect},
	} {
		t.Run(name, func(t *testing.T) {
			b := fairBatch()
			b.starve(donor, 0, scheduling.Starving)
			c.change(b)
			if got, _ := Worst(b.Judge(nil), PRE08); got != c.verdict {
				t.Errorf("verdict %v, want %v", got, c.verdict)
			}
		})
	}
}

// TestInfoDoesNotCount checks that an improperly starving beneficiary is told of
// and held against nobody.
func TestInfoDoesNotCount(t *testing.T) {
	b := fairBatch()
	b.starve(needy, scheduling.Never, scheduling.NonStarving)
	rulings := b.Judge(nil)
	if v, _ := Worst(rulings, PRE05); v != Violated || !IsFair(rulings) {
		t.Errorf("PRE-05 %v, fair %v", v, IsFair(rulings))
	}
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

// TestNoLogStatesListsAndShares: what rests on them is worked out, however well the log
// tells of the preemption itself.
func TestNoLogStatesListsAndShares(t *testing.T) {
	want := map[Invariant]Evidence{PRE01: Recorded, PRE02: Recorded, PRE12: Recorded, PRE04: Recomputed, PRE06: Recomputed, PRE09: Recomputed, PRE11: Recomputed}
	for _, evidence := range []Evidence{Recorded, Recomputed, Possible} {
		b := fairBatch()
		b.Evidence = evidence
		seen := 0
		for _, r := range b.Judge(nil) {
			least, known := want[r.Invariant]
			if !known {
				continue
			}
			if seen++; r.Evidence != max(least, evidence) {
				t.Errorf("%v of a preemption that is %v is %v", r.Invariant, evidence, r.Evidence)
			}
		}
		if seen != len(want) {
			t.Errorf("%d rules judged, want %d", seen, len(want))
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
					t.Errorf("%s", r.Sentence())
				}
			}
		}
		if !found {
			t.Errorf("%v is not judged", invariant)
		}
	}
}
