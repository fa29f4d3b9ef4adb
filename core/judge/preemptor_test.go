package judge

import (
	"testing"

	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// beneficiaryCases are about who profits: whether somebody does, starved, fits, and could
// not have had the room otherwise.
var beneficiaryCases = []preemptionCase{
	{"nobody profits and the node had room", func(b *Batch) { b.nobody(5) }, PRE01, Violated},
	{"nobody profits and the node was overfull", func(b *Batch) { b.nobody(4) }, PRE01, OK},
	{"nobody profits and the node was overfull, if usage was 1 % more", func(b *Batch) { b.nobody(5); b.Inexact = true }, PRE01, Suspect},
	{"nobody profits and the node had more than 1 % of room", func(b *Batch) { b.nobody(5); b.Inexact = true; b.Node.Limits[resource.CPU] = 510 }, PRE01, Violated},
	{"the job it names started elsewhere", func(b *Batch) { b.Taken[0].Preemptor = PreemptorElsewhere }, PRE01, Violated},
	{"the job it names is not in the log", func(b *Batch) { b.Taken[0].Preemptor = PreemptorDangling }, PRE01, Excused},
	{"the operation it names was over before a job of it started", func(b *Batch) { b.Taken[0].Preemptor = PreemptorEnded }, PRE01, Excused},
	{"the job it names is of an operation that is over", func(b *Batch) { b.Started[0].Operation = -1 }, PRE01, OK},
	{"nobody recorded for whom", func(b *Batch) { b.Taken[0].Preemptor = PreemptorUnknown }, PRE01, Undecidable},
	{"neither reason nor beneficiary is recorded", func(b *Batch) { b.nobody(5); b.Taken[0].Reason = scheduling.NoReason }, PRE01, Undecidable},
	{"the job it names exists", func(*Batch) {}, PRE25, OK},
	{"it names an operation and no job", func(b *Batch) { b.Taken[0].Unnamed = true }, PRE25, Undecidable},
	{"the job it names does not exist", func(b *Batch) { b.Taken[0].Preemptor = PreemptorDangling }, PRE25, Violated},

	{"the freed room suffices", func(*Batch) {}, PRE02, OK},
	{"the freed room does not suffice", func(b *Batch) { b.Started[0].Usage = cores(2) }, PRE02, Violated},
	{"the freed room suffices if usage was 1 % less", func(b *Batch) { b.Started[0].Usage[resource.CPU] = 104; b.Inexact = true }, PRE02, Suspect},
	{"the freed room does not suffice by 2 %", func(b *Batch) { b.Started[0].Usage[resource.CPU] = 110; b.Inexact = true }, PRE02, Violated},
	{"the freed room does not suffice by less than 1 % of what is known exactly", func(b *Batch) { b.Started[0].Usage[resource.CPU] = 104 }, PRE02, Violated},

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
	{"the reason is not recorded", func(b *Batch) {
		b.Taken[0].Reason, b.at(needy).Timeouts = scheduling.NoReason, scheduling.Timeouts{Starving: 30 * second, Aggressive: 50 * second, AggressiveEnabled: true}
	}, PRE03, Undecidable},
	{"the reason is not recorded, and only one stage is possible", func(b *Batch) { b.Taken[0].Reason = scheduling.NoReason }, PRE03, OK},
	{"the reason is not recorded, and nobody could starve aggressively yet", func(b *Batch) {
		b.Taken[0].Reason, b.at(needy).Timeouts = scheduling.NoReason, scheduling.Timeouts{Starving: 30 * second, Aggressive: 90 * second, AggressiveEnabled: true}
	}, PRE03, OK},
	{"the reason is not recorded, and the node serves SSD", func(b *Batch) { b.Taken[0].Reason, b.Node.SSD = scheduling.NoReason, true }, PRE03, Undecidable},

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
		b.at(needy).Starvation.MinShare = scheduling.Clock{Since: 80 * second, Status: scheduling.Starving}
	}, PRE04, OK},
	{"in Legacy it may have waited for its min share", func(b *Batch) { b.legacy(80 * second) }, PRE04, Suspect},
	{"in Legacy it waits for its min share", func(b *Batch) {
		b.legacy(80 * second)
		b.at(needy).Starvation.TickLegacy(99*second, scheduling.MinShare, 30*second, 15*second)
	}, PRE04, OK},
	{"in Legacy it has no min share", func(b *Batch) { b.legacy(80 * second); b.at(needy).Guarantee = resource.Share{} }, PRE04, Violated},
	{"in Legacy it had not waited for its min share either", func(b *Batch) { b.legacy(95 * second) }, PRE04, Violated},
	{"it had waited for the aggressive timeout", (*Batch).aggressive, PRE04, OK},
	{"it had waited long enough for its min share only", func(b *Batch) {
		b.aggressive()
		b.starveBoth(0, scheduling.AggressivelyStarving)
		b.at(needy).Starvation.MinShare = scheduling.Clock{Since: -100 * second, Status: scheduling.Starving}
	}, PRE04, Violated},
	{"it had not waited for the aggressive timeout", func(b *Batch) { b.aggressive(); b.starveBoth(0, scheduling.AggressivelyStarving) }, PRE04, Violated},

	{"the beneficiary starved itself", func(*Batch) {}, PRE05, OK},
	{"the beneficiary did not starve itself", func(b *Batch) { b.starve(needy, scheduling.Never, scheduling.NonStarving) }, PRE05, Violated},

	{"one job started", func(*Batch) {}, PRE13, OK},
	{"two jobs started", func(b *Batch) { b.Started = append(b.Started, b.Started[0]) }, PRE13, Violated},

	{"the node had waited", func(*Batch) {}, PRE14, OK},
	{"the node had never been preemptive", func(b *Batch) { b.Node.LastPreemptive = scheduling.Never }, PRE14, OK},
	{"the node had not waited", func(b *Batch) { b.Node.LastPreemptive = 96 * second }, PRE14, Violated},
	{"the node had waited to the second", func(b *Batch) { b.Node.LastPreemptive = 95 * second }, PRE14, OK},
	{"the node had waited to the second, but for an instant", func(b *Batch) { b.Node.LastPreemptive = 95*second + 1 }, PRE14, Suspect},
	{"the node had not waited since the latest moment at which it may have", func(b *Batch) { b.Node.LastPreemptive, b.LastRunIsUpperBound = 96*second, true }, PRE14, Undecidable},
	{"the node had waited even since that moment", func(b *Batch) { b.LastRunIsUpperBound = true }, PRE14, OK},
	{"the node had not waited, whatever stages took nothing", func(b *Batch) { b.Node.LastPreemptive, b.NoTicks = 96*second, true }, PRE14, Violated},
	{"not recorded whether the node had waited", func(b *Batch) { b.NoTicks = true }, PRE14, Undecidable},

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

	{"there was no room", func(*Batch) {}, PRE24, OK},
	{"there was room that suited badly", func(b *Batch) { b.Node.Limits = room(7); b.settings().Packing.Enable = true }, PRE24, Excused},
	{"there was room", func(b *Batch) { b.Node.Limits = room(7) }, PRE24, Violated},
	{"there was room, and the spare part is not known", func(b *Batch) { b.Node.Limits, b.MissingInputs = room(7), NoSpare }, PRE24, Undecidable},
	{"there was less room than is offered", func(b *Batch) { b.Node.Limits = room(6); b.settings().MinSpare = cores(2) }, PRE24, Excused},
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
