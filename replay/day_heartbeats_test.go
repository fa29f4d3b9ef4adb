package replay_test

import (
	"fmt"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// stopJobs ends the jobs whose time has come.
func (d *day) stopJobs() {
	kept := d.running[:0]
	for _, id := range d.running {
		j := d.jobs[id]
		if j.ends > d.now {
			kept = append(kept, id)
			continue
		}
		e := event(core.JobFinished)
		e.Job, e.Operation, e.Node, e.End = id, j.operation, j.node, core.EndCompleted
		if j.gone {
			d.nodes[j.node].leaving--
			e.End = core.EndPreempted
		} else {
			d.work[j.operation].live--
		}
		d.emit(e)
		d.now++
		delete(d.jobs, id)
	}
	d.running = kept
}

// An offer is a kind of jobs that an operation has offered within a heartbeat.
type offer struct {
	operation core.OperationID
	main      bool
}

// Offer implements core.Controller.
func (d *day) Offer(o core.OperationID, _ core.NodeID, room resource.Vector) (resource.Vector, scheduling.Refusal) {
	w := &d.work[o]
	switch {
	case w.left+w.smalls == 0:
		return resource.Vector{}, scheduling.NothingPending
	case d.opportunity(2):
		return resource.Vector{}, scheduling.Declined
	case w.left > d.offered[offer{o, true}] && w.size.FitsIn(room):
		d.offered[offer{o, true}]++
		return w.size, scheduling.Accepted
	case w.smalls > d.offered[offer{o, false}] && w.small.FitsIn(room):
		d.offered[offer{o, false}]++
		return w.small, scheduling.Accepted
	}
	return resource.Vector{}, scheduling.NotEnoughResources
}

func (d *day) heartbeat(n core.NodeID) {
	own := &d.nodes[n]
	e := event(core.HeartbeatReceived)
	e.Node, e.Limits, e.Skipped = n, own.limits, core.Some(own.leaving > 0)
	if own.leaving > 0 {
		d.emit(e)
		return
	}
	d.offered = map[offer]int{}
	decided := d.tree.Decide(n, d.now, d)
	d.tree.RememberHeartbeat()
	if d.bend != nil {
		d.bend(n, decided)
	}
	e.Preemptive = core.Some(decided.Preemptive)
	started, preempted := append([]core.DecidedStart(nil), decided.Started...), append([]core.DecidedPreemption(nil), decided.Preempted...)
	d.emit(e)
	var lost []core.OperationID
	for _, p := range preempted {
		lost = append(lost, d.preempt(n, &p, started))
	}
	for _, s := range started {
		d.start(n, &s)
	}
	for _, o := range lost {
		d.now++
		d.tellDemand(o)
	}
}

func (d *day) preempt(n core.NodeID, p *core.DecidedPreemption, started []core.DecidedStart) core.OperationID {
	j := d.jobs[p.Job]
	e := event(core.JobPreempted)
	e.Job, e.Operation, e.Node, e.Reason, e.End = p.Job, p.Operation, n, "preemption", core.EndPreempted
	e.Preemption = &core.PreemptionRecord{Reason: p.Reason.String()}
	if p.Preemptor >= 0 {
		e.Preemptor, e.PreemptorJob = started[p.Preemptor].Operation, fmt.Sprint("job", int(d.nextJob)+p.Preemptor)
	}
	e.Finish = core.Some(d.now + core.Time(1+d.random.IntN(9))*core.Second)
	d.emit(e)
	j.ends, d.nodes[n].leaving = e.Finish.Value, d.nodes[n].leaving+1
	if !j.gone {
		d.work[p.Operation].live--
		d.giveBack(j, 1)
	}
	j.gone, j.asked = true, p.Reason == scheduling.ForGracefulPreemption
	d.preemptions++
	return p.Operation
}

// giveBack returns the work of a job to its operation, or takes it out.
func (d *day) giveBack(j *dayJob, n int) {
	w := &d.work[j.operation]
	if j.size == w.size {
		w.left += n
	} else {
		w.smalls += n
	}
}

func (d *day) start(n core.NodeID, s *core.DecidedStart) {
	w := &d.work[s.Operation]
	e := event(core.JobStarted)
	e.Job, e.Name, e.Operation, e.Node, e.Limits = d.nextJob, fmt.Append(nil, "job", int(d.nextJob)), s.Operation, n, s.Resources
	e.Stage = s.Stage.String()
	e.Finish, e.End = core.Some(d.now+core.Time(w.lasts/2+d.random.IntN(w.lasts))*core.Second), core.EndCompleted
	j := &dayJob{operation: s.Operation, node: n, size: s.Resources, ends: e.Finish.Value}
	d.jobs[d.nextJob] = j
	e.SSD = s.Resources == w.size && d.config.SSD.Names(w.params.Media.Some)
	d.running = append(d.running, d.nextJob)
	d.nextJob++
	d.giveBack(j, -1)
	w.live++
	d.emit(e)
	d.starts++
	d.check(&e)
}
