package google2011

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"poolproof/core"
	"poolproof/ingest/joblog"
	"poolproof/ingest/trace"
)

// machines are the nodes of a log, by the number of the machine.
type machines struct {
	byNumber map[int64]*joblog.Node
	removals int64
	last     core.Time
}

// readMachines reads the tables of machines as far as the directory has them.
func readMachines(o *Options, problems *joblog.Problems) (*machines, []trace.Source, error) {
	m := &machines{byNumber: map[int64]*joblog.Node{}, last: o.Epoch}
	var sources []trace.Source
	for _, table := range []struct {
		name, kind string
		needed     []string
		use        func(*joblog.Table) error
	}{
		{machinesName, "google2011 machines", []string{"machine_id"}, m.machine},
		{removalsName, "google2011 machine removals", []string{"time_us", "machine_id"}, func(t *joblog.Table) error { return m.removal(t, o) }},
	} {
		path, ok := findIn(o.Directory, table.name)
		if !ok {
			continue
		}
		source, err := joblog.ReadTable(path, table.kind, table.needed, problems, table.use)
		if err != nil {
			return nil, nil, err
		}
		sources = append(sources, source)
	}
	return m, sources, nil
}

func (m *machines) machine(t *joblog.Table) error {
	id := t.Amount("machine_id", math.MaxInt64)
	if m.byNumber[id] != nil {
		t.Quarantine("machine_id", codeDuplicateNode, t.Text("machine_id"))
	}
	if !t.Bad() {
		m.node(id)
	}
	return nil
}

func (m *machines) removal(t *joblog.Table, o *Options) error {
	at, id := o.Epoch+timeOf(t), t.Amount("machine_id", math.MaxInt64)
	if t.Bad() || o.To != 0 && at > o.To {
		return nil
	}
	n := m.node(id)
	n.Left = append(n.Left, at)
	m.removals++
	m.last = max(m.last, at)
	return nil
}

func (m *machines) node(id int64) *joblog.Node {
	if m.byNumber[id] == nil {
		m.byNumber[id] = &joblog.Node{Address: strconv.FormatInt(id, 10), Trees: []int{0}}
	}
	return m.byNumber[id]
}

// nodes returns the machines by their number.
func (m *machines) nodes() []joblog.Node {
	type machine struct {
		id   int64
		node *joblog.Node
	}
	var all []machine
	for id, n := range m.byNumber {
		slices.Sort(n.Left)
		n.Left = slices.Compact(n.Left)
		all = append(all, machine{id, n})
	}
	slices.SortFunc(all, func(a, b machine) int { return cmp.Compare(a.id, b.id) })
	nodes := make([]joblog.Node, len(all))
	for i := range all {
		nodes[i] = *all[i].node
	}
	return nodes
}
