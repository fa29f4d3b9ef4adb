package ytsaurus

import (
	"cmp"
	"container/heap"
	"strings"

	"poolproof/core"
	"poolproof/ingest/reconstruct"
	"poolproof/ingest/trace"
)

// A jobEnd is the end of a live job on its node.
type jobEnd struct {
	time   core.Time
	job    guid
	node   core.NodeID
	limits trace.Resources
}

// An endHeap holds live jobs, the first to end on top.
type endHeap []jobEnd

func (h endHeap) Len() int      { return len(h) }
func (h endHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h endHeap) Less(i, j int) bool {
	a, b := &h[i], &h[j]
	return cmp.Or(cmp.Compare(a.time, b.time), cmp.Compare(a.node, b.node), strings.Compare(string(a.job[:]), string(b.job[:]))) < 0
}
func (h *endHeap) Push(x any) { *h = append(*h, x.(jobEnd)) }
func (h *endHeap) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}

// never is after all times.
const never core.Time = 1 << 62

// writeHeartbeats writes the heartbeats that starts and ends of jobs imply, and the samples of
// nodes.
func (t *treeAssembly) writeHeartbeats() error {
	beats := reconstruct.NewHeartbeats(func(b *trace.Heartbeat) error {
		b.Seq = t.out.NextSeq()
		return t.out.Add(b)
	})
	for _, n := range t.nodeList {
		if len(n.states) > 0 {
			beats.Limit(n.number, n.states[0].limits)
		}
	}
	jobs := t.readJobs()
	jobs.next()
	samples := t.sorter.Scan(prefixOf(nodeRecords, t.id))
	var sample nodeSample
	sampled := core.Time(never)
	next := func() {
		sampled = never
		if samples.Next() {
			nodeSamples.decode(samples.Record(), &sample, t.names)
			sampled = sample.time
		}
	}
	next()
	var ends endHeap
	for n := 0; ; n++ {
		if n%progressRows == 0 {
			if err := t.ctx.Err(); err != nil {
				return err
			}
		}
		ending, starting := core.Time(never), core.Time(never)
		if len(ends) > 0 {
			ending = ends[0].time
		}
		if jobs.ok {
			starting = jobs.job.start
		}
		var err error
		switch first := min(ending, starting, sampled); {
		case first == never:
			return cmp.Or(beats.Flush(), jobs.scan.Err(), samples.Err())
		case first == sampled:
			if sample.online && !sample.undescribed {
				err = beats.Sample(sampled, t.nodes[sample.address].number, sample.limits, sample.usage)
			}
			next()
		case first == ending:
			e := heap.Pop(&ends).(jobEnd)
			err = beats.End(e.time, e.node, e.limits)
		default:
			j := &jobs.job
			if node := t.nodeNumber(j.address); node != core.Unknown {
				if err = beats.Start(j.start, node, j.limits); j.finish.Set {
					// A job that ends at the instant of its start ends after it.
					heap.Push(&ends, jobEnd{j.finish.Value, j.job, node, j.limits})
				}
			}
			jobs.next()
		}
		if err != nil {
			return err
		}
	}
}
