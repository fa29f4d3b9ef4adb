package judge

import (
	"testing"

	"poolproof/core/fairshare"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// fairStart is a job of one core of an operation that has 2 of the 4 cores it
// wants, on a node with room for 4 where 2 are used.
func fairStart() *Start {
	b := fairBatch()
	s := &Start{
		Decision: Decision{Context: b.Context, At: 100 * second, States: b.States, Node: Node{Limits: room(4), SSDSince: scheduling.Never}},
		Size:     cores(1), Operation: needy, NodeUsage: cores(2),
		Running: Yes, Pending: No, Demand: Yes, InTree: Yes, OwnNode: Yes, Tags: Yes, Segment: Yes, Sought: Yes,
		TagsSince: scheduling.Never, SegmentSince: scheduling.Never, RunsSince: scheduling.Never, LimitedSince: scheduling.Never, MovedSince: scheduling.Never,
		OfflineSince: scheduling.Never, BackSince: scheduling.Never,
	}
	s.settings().Segments, s.settings().GuaranteePriority = true, true
	op := s.at(needy)
	op.Amount, op.DemandAmount, op.BelowFairShare = cores(2), cores(4), true
	s.at(poor).Amount = cores(2)
	return s
}

func (s *Start) at(e int32) *Element           { return &s.States[0].Elements[e] }
func (s *Start) settings() *scheduling.Options { return s.States[0].Options }

// late has the operation be over since a moment, and the tree not have it any more.
func (s *Start) late(ended int64) {
	s.Operation, s.Ended, s.Running = -1, ended, No
	s.States[0].Elements = nil
}

// specify gives an element a limit of cores, and none of other resources.
func (s *Start) specify(e int32, n int64) {
	s.at(e).Specified = resource.Partial{Amounts: cores(n), Set: [resource.Kinds]bool{false, true}}
}

var startCases = []struct {
	name      string
	change    func(s *Start)
	invariant Invariant
	verdict   Verdict
}{
	{"the node has room", func(*Start) {}, HB01, OK},
	{"the node has just enough room", func(s *Start) { s.NodeUsage = cores(3) }, HB01, OK},
	{"the node is full", func(s *Start) { s.NodeUsage = cores(4) }, HB01, Violated},
	{"the node is full but for 1 % of what is reported", func(s *Start) { s.NodeUsage = resource.Vector{2, 302}; s.Inexact = true }, HB01, Suspect},
	{"the node is full but for jobs that may be gone", func(s *Start) { s.NodeUsage, s.NodeDoubt, s.Doubtful = cores(4), cores(1), true }, HB01, Suspect},
	{"the node is full even without jobs that may be gone", func(s *Start) { s.NodeUsage, s.NodeDoubt, s.Doubtful = cores(6), cores(1), true }, HB01, Violated},
	{"the node is offered", func(*Start) {}, HB02, OK},
	{"a job waits on the node", func(s *Start) { s.Waiting = true }, HB02, Violated},
	{"the node is offline", func(s *Start) { s.Offline = true }, HB02, Violated},
	{"the heartbeat is skipped", func(s *Start) { s.Skipped = true }, HB02, Violated},
	{"not recorded whether the heartbeat is skipped", func(s *Start) { s.Unrecorded = Heartbeats }, HB02, Undecidable},
	{"nor that, and the node is offline", func(s *Start) { s.Unrecorded, s.Offline = Heartbeats, true }, HB02, Violated},
	{"the node's report is not recorded", func(s *Start) { s.MissingInputs = NoHeartbeats }, HB02, Undecidable},
	{"the node went offline just now, by another clock", func(s *Start) { s.Offline, s.OfflineSince = true, s.At-second/20 }, HB02, Suspect},
	{"the node went offline longer before than that", func(s *Start) { s.Offline, s.OfflineSince = true, s.At-second/20-1 }, HB02, Violated},
	{"the node is offline, and is back by its heartbeats", func(s *Start) { s.Offline, s.BackSince = true, s.At-21*second }, HB02, Suspect},
	{"the node would have been told to be back by now", func(s *Start) { s.Offline, s.BackSince = true, s.At-21*second-1 }, HB02, Violated},
	{"the node is back by its heartbeats, and a job waits on it", func(s *Start) { s.Offline, s.BackSince, s.Waiting = true, s.At, true }, HB02, Violated},
	{"the node is offline, and nothing else is known of it", func(s *Start) { s.Offline, s.NoNode = true, true }, HB02, Violated},
	{"the node is not known", func(s *Start) { s.NoNode = true }, HB02, untouched},
	{"the node has no slots", func(s *Start) { s.Node.Disabled = true }, HB02, Violated},

	{"the operation runs", func(*Start) {}, HB03, OK},
	{"the operation does not run", func(s *Start) { s.Running = No }, HB03, Violated},
	{"not recorded whether the operation runs", func(s *Start) { s.Running = Unknown }, HB03, Undecidable},
	{"the operation is suspended", func(s *Start) { s.at(needy).Schedulable, s.Suspended = false, true }, HB03, Violated},
	{"the operation wants nothing", func(s *Start) { s.at(needy).Schedulable = false }, HB03, Violated},
	{"the operation wanted nothing when a snapshot saw it", func(s *Start) { s.at(needy).Schedulable, s.Demand = false, No }, HB03, Suspect},
	{"the operation's demand is not recorded", func(s *Start) { s.at(needy).Schedulable, s.Demand = false, Unknown }, HB03, Undecidable},
	{"nor that, and the operation is suspended", func(s *Start) {
		s.at(needy).Schedulable, s.Suspended, s.Demand = false, true, Unknown
	}, HB03, Violated},
	{"nor that, and not recorded whether it runs", func(s *Start) {
		s.at(needy).Schedulable, s.Running, s.Demand = false, Unknown, Unknown
	}, HB03, Undecidable},
	{"the operation is suspended from the next tick on", func(s *Start) {
		s.States = append(s.States, fairBatch().States[0])
		s.at(needy).Schedulable = false
	}, HB03, Suspect},

	{"the operation ended long before", func(s *Start) { s.late(65 * second) }, HB03, Violated},
	{"it ended a tick before, by another clock", func(s *Start) { s.late(s.At - second - second/20) }, HB03, Undecidable},
	{"it ended longer before than that", func(s *Start) { s.late(s.At - second - second/20 - 1) }, HB03, Violated},
	{"it is not known yet", func(s *Start) { s.late(scheduling.Never) }, HB03, Undecidable},
	{"when it ran was made of its jobs", func(s *Start) { s.late(65 * second); s.Running = Unknown }, HB03, Suspect},
	{"it ended long before, and the scheduler comes back", func(s *Start) { s.late(65 * second); s.Shaken = OnState }, HB03, Suspect},
	{"it ended just now, and the node has room", func(s *Start) { s.late(s.At) }, HB01, OK},
	{"it ended just now, and the node is full", func(s *Start) { s.late(s.At); s.NodeUsage = cores(4) }, HB01, Violated},
	{"it ended just now, and the node is offline", func(s *Start) { s.late(s.At); s.Offline = true }, HB02, Violated},
	{"it ended just now, and the heartbeat may start no more", func(s *Start) {
		s.late(s.At)
		s.settings().MaxStartedPerHeartbeat, s.Earlier = 2, 2
	}, HB07, Violated},
	{"what an operation wanted that is over", func(s *Start) { s.late(s.At) }, HB04, untouched},

	{"the job is wanted", func(*Start) {}, HB04, OK},
	{"the job is the last one wanted", func(s *Start) { s.at(needy).Amount = cores(3) }, HB04, OK},
	{"the job is not wanted", func(s *Start) { s.at(needy).Amount = cores(4) }, HB04, Violated},
	{"the job is wanted from the next tick on", func(s *Start) {
		later := fairStart().States[0]
		s.States = append(s.States, later)
		s.at(needy).Amount = cores(4)
	}, HB04, Suspect},
	{"the demand is not recorded", func(s *Start) { s.Demand = Unknown }, HB04, Undecidable},

	{"no other could start", func(*Start) {}, HB05, OK},
	{"a less satisfied one could start", func(s *Start) { s.Competitor = Competitor{Exists: true, Satisfaction: 0.5, OwnSatisfaction: 0.6} }, HB05, Violated},
	{"an equally satisfied one could start", func(s *Start) { s.Competitor = Competitor{Exists: true, Satisfaction: 0.6, OwnSatisfaction: 0.60005} }, HB05, OK},
	{"a less satisfied one may have declined", func(s *Start) {
		s.Competitor = Competitor{Exists: true, Satisfaction: 0.5, OwnSatisfaction: 0.6, Declined: true}
	}, HB05, Excused},
	{"a less satisfied one could start, but this one is guaranteed", func(s *Start) {
		s.Competitor = Competitor{Exists: true, Satisfaction: 0.5, OwnSatisfaction: 0.6, OwnGuaranteed: true}
	}, HB05, OK},
	{"nobody looked for others", func(s *Start) { s.Sought = Unknown }, HB05, Undecidable},
	{"it is first in its FIFO pool", func(s *Start) { s.Competitor = Competitor{Exists: true, FIFO: true, Index: 2, OwnIndex: 1} }, FIFO03, OK},
	{"it overtakes in its FIFO pool", func(s *Start) { s.Competitor = Competitor{Exists: true, FIFO: true, Index: 1, OwnIndex: 2} }, FIFO03, Violated},
	{"a guaranteed one did not wait", func(s *Start) { s.Competitor = Competitor{Exists: true, OwnGuaranteed: true} }, HB09, OK},
	{"a guaranteed one waited", func(s *Start) { s.Competitor = Competitor{Exists: true, Guaranteed: true} }, HB09, Violated},
	{"no guaranteed one waited for what it was promised", func(s *Start) { s.Competitor = Competitor{Exists: true, OwnGuaranteed: true} }, GUA08, OK},
	{"a guaranteed one waited for what it was promised", func(s *Start) { s.Competitor = Competitor{Exists: true, Guaranteed: true} }, GUA08, Violated},

	{"a graceful operation below its share", func(s *Start) { s.at(needy).Graceful = true }, HB06, OK},
	{"a graceful operation with its share", func(s *Start) { s.at(needy).Graceful = true; s.at(needy).BelowFairShare = false }, HB06, Violated},

	{"it is the first of the heartbeat with preemption", func(s *Start) { s.Preemptive, s.InPlace = true, 1 }, PRE13, OK},
	{"it is the second of the heartbeat with preemption", func(s *Start) { s.Preemptive, s.InPlace = true, 2 }, PRE13, Violated},
	{"victims tell what the heartbeat started with preemption", func(s *Start) { s.Preemptive = true }, PRE13, untouched},
	{"there is more room than is left alone", func(*Start) {}, HB07, OK},
	{"there is less room than is left alone", func(s *Start) { s.settings().MinSpare = cores(3) }, HB07, Violated},
	{"there may be more room than is left alone", func(s *Start) { s.settings().MinSpare, s.NodeDoubt, s.Doubtful = cores(3), cores(2), true }, HB07, Suspect},
	{"there is less room, and a preemptive stage may have run", func(s *Start) { s.settings().MinSpare, s.MayPreempt = cores(3), true }, HB07, Suspect},
	{"the spare part is not known", func(s *Start) { s.MissingInputs = NoSpare }, HB07, Undecidable},
	{"the heartbeat may start one more", func(s *Start) { s.settings().MaxStartedPerHeartbeat, s.Earlier = 2, 1 }, HB07, OK},
	{"a preemptive stage may start no more", func(s *Start) {
		s.settings().MaxStartedPerHeartbeat, s.Earlier, s.Preemptive = 2, 2, true
	}, HB07, Violated},
	{"a preemptive stage starts with no more room than it takes", func(s *Start) {
		s.settings().MaxStartedPerHeartbeat, s.settings().MinSpare, s.Preemptive = 2, cores(3), true
	}, HB07, OK},
	{"the heartbeat may start no more", func(s *Start) { s.settings().MaxStartedPerHeartbeat, s.Earlier = 2, 2 }, HB07, Violated},

	{"regular jobs may use SSD nodes", func(s *Start) { s.Node.SSD = true }, HB08, OK},
	{"regular jobs may not use SSD nodes", func(s *Start) { s.Node.SSD, s.at(needy).SSDForbidden, s.SSD = true, true, No }, HB08, Violated},
	{"regular jobs may not use SSD nodes, and this is one since just now", func(s *Start) {
		s.Node.SSD, s.Node.SSDSince, s.at(needy).SSDForbidden, s.SSD = true, 80*second, true, No
	}, HB08, Suspect},
	{"who knows what the job asks for", func(s *Start) { s.Node.SSD, s.at(needy).SSDForbidden, s.SSD = true, true, Unknown }, HB08, Undecidable},
	{"a job with SSD may use SSD nodes", func(s *Start) { s.Node.SSD, s.at(needy).SSDForbidden, s.SSD = true, true, Yes }, HB08, OK},

	{"the pool's limit holds the job", func(s *Start) { s.specify(poor, 3) }, LIM01, OK},
	{"the pool's limit does not hold the job", func(s *Start) { s.specify(poor, 2) }, LIM01, Violated},
	{"the pool's limit may hold the job", func(s *Start) { s.specify(poor, 2); s.at(poor).Doubt, s.Doubtful = cores(1), true }, LIM01, Suspect},
	{"the operation's limit does not hold the job", func(s *Start) { s.specify(needy, 2) }, LIM01, Violated},
	{"the operation's limit does not hold the job any more", func(s *Start) { s.specify(needy, 2); s.LimitedSince = 94 * second }, LIM01, Suspect},
	{"the operation's limit has not held the job for long enough", func(s *Start) { s.specify(needy, 2); s.LimitedSince = 93 * second }, LIM01, Violated},
	{"the operation's limit changed, and that of its pool does not hold the job", func(s *Start) {
		s.specify(needy, 2)
		s.specify(poor, 2)
		s.LimitedSince = 99 * second
	}, LIM01, Violated},
	{"the limit of the operation's new pool does not hold the job", func(s *Start) { s.specify(poor, 2); s.MovedSince, s.Joined = 94*second, 1 }, LIM01, Suspect},
	{"the limit of a pool that the operation has joined for long enough", func(s *Start) { s.specify(poor, 2); s.MovedSince, s.Joined = 93*second, 1 }, LIM01, Violated},
	{"the limit of a pool that the operation stayed in", func(s *Start) { s.specify(poor, 2); s.MovedSince = 94 * second }, LIM01, Violated},
	{"the limit of the operation's new pool is exceeded", func(s *Start) { s.specify(poor, 1); s.MovedSince, s.Joined = 94*second, 1 }, LIM03, Suspect},
	{"a limit of what the job does not use", func(s *Start) { s.specify(poor, 1); s.Size = resource.Vector{1} }, LIM01, untouched},
	{"no limit", func(*Start) {}, LIM01, untouched},
	{"no limit of the log, which does not hold those of pools", func(s *Start) { s.MissingInputs = NoPools }, LIM01, Undecidable},
	{"no limit of the log, which does not hold those of pools", func(s *Start) { s.MissingInputs = NoPools }, LIM03, Undecidable},
	{"the operation's limit does not hold the job, and those of pools are not known", func(s *Start) { s.specify(needy, 2); s.MissingInputs = NoPools }, LIM01, Violated},
	{"the limit was lowered just now", func(s *Start) {
		s.States = append(s.States, fairStart().States[0])
		s.specify(poor, 2)
	}, LIM01, Suspect},
	{"the pool is at its limit", func(s *Start) { s.specify(poor, 2) }, LIM03, OK},
	{"the pool is above its limit", func(s *Start) { s.specify(poor, 1) }, LIM03, Violated},

	{"the operation does not wait", func(*Start) {}, PEND05, OK},
	{"the operation waits", func(s *Start) { s.Pending = Yes }, PEND05, Violated},
	{"the node is the tree's", func(*Start) {}, TREE03, OK},
	{"the node is another tree's", func(s *Start) { s.OwnNode = No }, TREE03, Violated},
	{"the tree is the operation's", func(*Start) {}, TREE05, OK},
	{"the tree was taken from the operation", func(s *Start) { s.InTree = No }, TREE05, Violated},
	{"the tags match", func(*Start) {}, TREE11, OK},
	{"the tags do not match", func(s *Start) { s.Tags, s.TagsSince = No, 70*second }, TREE11, Violated},
	{"the tags do not match any more", func(s *Start) { s.Tags, s.TagsSince = No, 80*second }, TREE11, Suspect},
	{"the node's tags are not known", func(s *Start) { s.Tags = Unknown }, TREE11, Undecidable},
	{"the segment is its own", func(*Start) {}, SEG01, OK},
	{"the segment is another", func(s *Start) { s.Segment = No }, SEG01, Violated},
	{"the segment is not known", func(s *Start) { s.Segment = Unknown }, SEG01, Undecidable},
	{"its jobs run here, too", func(s *Start) { s.Elsewhere = No }, SEG02, OK},
	{"its jobs run in another module", func(s *Start) { s.Elsewhere = Yes }, SEG02, Violated},
	{"its jobs run in another module, which it may have lost", func(s *Start) { s.Elsewhere, s.Reset = Yes, true }, SEG02, Excused},
	{"its jobs run in another module, and nodes change theirs", func(s *Start) { s.Elsewhere, s.SegmentSince = Yes, 95*second }, SEG02, Suspect},
	{"its jobs run in another module, as far as is known of where the first started", func(s *Start) { s.Elsewhere, s.RunsSince = Yes, 95*second }, SEG02, Suspect},
	{"the segment was its own until just now", func(s *Start) { s.Segment, s.SegmentSince = No, 95*second }, SEG01, Suspect},
}

// untouched is wanted where a rule has nothing to say of a start.
const untouched Verdict = 255

func TestStartRules(t *testing.T) {
	seen := map[Invariant]map[Verdict]bool{}
	for i := range startRules {
		seen[startRules[i].invariant] = map[Verdict]bool{}
	}
	for _, c := range startCases {
		t.Run(c.invariant.String()+"/"+c.name, func(t *testing.T) {
			s := fairStart()
			c.change(s)
			rulings := s.Judge(nil)
			if got, judged := Worst(rulings, c.invariant); judged != (c.verdict != untouched) || judged && got != c.verdict {
				t.Errorf("%v = %v (judged: %v), want %v; %+v", c.invariant, got, judged, c.verdict, rulings)
			}
			seen[c.invariant][c.verdict] = true
		})
	}
	for i := range startRules {
		if v := seen[startRules[i].invariant]; !v[OK] || !v[Violated] {
			t.Errorf("%v lacks a planted fault or its legal look-alike", startRules[i].invariant)
		}
	}
	for _, r := range fairStart().Judge(nil) {
		if r.Verdict != OK {
			t.Errorf("%v of a fair start is %+v", r.Invariant, r)
		}
	}
}

// TestStartsOfTheCoreAreAllowed judges what the core starts.
func TestStartsOfTheCoreAreAllowed(t *testing.T) {
	seen, competitors, overtaken := 0, 0, 0
	for name, profile := range profiles {
		t.Run(name, func(t *testing.T) {
			c := newCluster(t, scheduling.DefaultOptions(profile), 12, 60, 40, 5)
			s := &Start{Decision: Decision{Context: plainContext()}}
			for i, n := range c.nodes {
				for range 2 {
					c.tree.RemoveJob(c.jobs[i]) // job i runs on node i
					c.jobs[i] = c.jobs[i+len(c.nodes)]
				}
				h := scheduling.Heartbeat{Node: n, Now: c.now}
				out := *c.tree.Ask(h, c)
				for _, start := range append([]scheduling.Start(nil), out.Started...) {
					if start.Stage >= scheduling.PreemptiveSSDAggressive {
						continue
					}
					s.LookAt(c.tree, n, c.now, start.Operation, start.Resources)
					s.Running, s.Demand, s.Pending, s.InTree, s.OwnNode, s.Tags = Yes, Yes, No, Yes, Yes, Yes
					first, ok := c.tree.CompetitorOf(h, start.Operation, s.Slacks.Epsilon)
					if !ok {
						t.Fatalf("the competitor of %v is not found out", start.Operation)
					}
					s.CompareWith(&first)
					if slow := s.slowly(c.tree, c.competitors(h)); slow.Exists && slow.lead() > 1e-3 {
						t.Fatalf("%+v goes first, found is %+v", slow, first)
					}
					for _, r := range s.Judge(nil) {
						if seen++; r.Verdict != OK {
							t.Fatalf("%v is %+v", r.Invariant, r)
						}
					}
					for _, other := range c.competitors(h) { // as if it had started in place of this one
						s.LookAt(c.tree, n, c.now, other, oneCore)
						s.Running, s.Demand, s.Pending, s.InTree, s.OwnNode, s.Tags = Yes, Yes, No, Yes, Yes, Yes
						slow := s.slowly(c.tree, c.competitors(h))
						if first, ok := c.tree.CompetitorOf(h, other, s.Slacks.Epsilon); ok {
							s.CompareWith(&first)
						} else {
							continue
						}
						if competitors++; slow.Exists && slow.lead() > 1e-3 && (!s.Competitor.Exists || s.Competitor.lead() <= s.Slacks.Epsilon) {
							t.Fatalf("%+v goes before %v, found is %+v", slow, other, s.Competitor)
						}
						if slow.Exists && slow.lead() < -1e-3 && s.Competitor.Exists && s.Competitor.lead() > 1e-3 {
							t.Fatalf("nobody goes before %v, found is %+v", other, s.Competitor)
						}
						for _, r := range s.Judge(nil) {
							if r.Verdict == Suspect && r.Missing == Controllers {
								overtaken++
								break
							}
						}
					}
					c.tree.AddJob(start.Operation, n, start.Resources, start.Resources, c.now, false)
				}
			}
		})
	}
	if seen < 100 || competitors < 100 || overtaken < 100 {
		t.Errorf("%d rulings, %d competitors, %d overtaken ones caught", seen, competitors, overtaken)
	}
}

// competitors are the operations that could start a job on a node, of a FIFO pool the
// first.
func (c *cluster) competitors(h scheduling.Heartbeat) (list []scheduling.Element) {
	first := map[scheduling.Element]int{}
	for _, e := range c.operations {
		if may, _ := c.tree.MayStart(h, e, oneCore); may != scheduling.NoObstacle || !c.tree.Describe(e).Schedulable {
			continue
		}
		info := c.tree.Describe(e)
		at, known := first[info.Parent]
		switch {
		case !c.tree.Describe(info.Parent).InOrder:
			list = append(list, e)
		case !known:
			first[info.Parent] = len(list)
			list = append(list, e)
		case info.FIFOIndex < c.tree.Describe(list[at]).FIFOIndex:
			list[at] = e
		}
	}
	return list
}

// slowly compares a regular start that Look has filled with each of the operations that
// could have started a job on the node instead, of a FIFO pool the first, and returns
// the one that goes most clearly first.
func (s *Start) slowly(t *scheduling.Tree, others []scheduling.Element) (first Competitor) {
	for _, other := range others {
		v := s.compare(t, other)
		if v.Exists && (!first.Exists || v.lead() > first.lead()) {
			first = v
		}
	}
	return first
}

func (s *Start) compare(t *scheduling.Tree, other scheduling.Element) Competitor {
	own := s.States[0].Element(s.Operation)
	if other == own.Handle {
		return Competitor{}
	}
	v := Competitor{
		Exists:     true,
		Guaranteed: t.HasGuaranteePriority(other), OwnGuaranteed: t.HasGuaranteePriority(own.Handle),
	}
	theirs, pool := s.branch(t, other, &v.Satisfaction, func(e scheduling.Element) bool { return s.holds(e) })
	ours, _ := s.branch(t, own.Handle, &v.OwnSatisfaction, func(e scheduling.Element) bool { return e == pool })
	if pool != scheduling.Root && t.Describe(pool).InOrder {
		v.FIFO, v.Index, v.OwnIndex = true, t.Describe(theirs).FIFOIndex, t.Describe(ours).FIFOIndex
	}
	return v
}

// branch follows an operation up to a pool that ends says is the last, and says
// by which child of it the operation is reached, and by what satisfaction that
// child is chosen, the operation being the best below (§9.6).
func (s *Start) branch(t *scheduling.Tree, e scheduling.Element, satisfaction *float64, ends func(e scheduling.Element) bool) (child, pool scheduling.Element) {
	info := t.Describe(e)
	*satisfaction = fairshare.LocalSatisfaction(info.Fair, info.Demand, info.Usage)
	for info.Parent != scheduling.Root && !ends(info.Parent) {
		e, info = info.Parent, t.Describe(info.Parent)
		if info.UsesPoolSatisfaction {
			*satisfaction = min(*satisfaction, fairshare.LocalSatisfaction(info.Fair, info.Demand, info.Usage))
		}
	}
	return e, info.Parent
}

// holds reports whether a pool is above the operation that started.
func (s *Start) holds(e scheduling.Element) bool {
	for i := range s.States[0].Elements {
		if s.States[0].Elements[i].Handle == e {
			return true
		}
	}
	return false
}

// lead is by how much a competitor goes first, below zero where it does not.
func (v *Competitor) lead() float64 {
	switch {
	case v.Guaranteed && !v.OwnGuaranteed:
		return fairshare.InfiniteSatisfaction * 2
	case v.OwnGuaranteed && !v.Guaranteed:
		return -fairshare.InfiniteSatisfaction * 2
	case v.FIFO:
		return float64(v.OwnIndex - v.Index)
	}
	return v.OwnSatisfaction - v.Satisfaction
}

// TestHB06ShowsTheResourceThatDecides: whose fair share covers all slots it wants is at it
// in cpu.
func TestHB06ShowsTheResourceThatDecides(t *testing.T) {
	s := fairStart()
	own := s.at(needy)
	own.Graceful, own.BelowFairShare = true, false
	own.Fair, own.Usage, own.Demand = resource.Share{0.5, 0.3}, resource.Share{0.4, 0.35}, resource.Share{0.5, 1}
	own.StartsBelow = resource.Share{0.4, 0.24}
	for _, r := range s.Judge(nil) {
		if r.Invariant == HB06 && (r.Resource != resource.CPU || r.Left != 0.35 || r.Right != 0.24) {
			t.Errorf("%s", r.Sentence(&resource.UsualUnits))
		}
	}
}
