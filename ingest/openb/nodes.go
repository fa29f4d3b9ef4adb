package openb

import (
	"poolproof/ingest/joblog"
	"poolproof/ingest/trace"
)

// MilliGPU is the number of units of gpu in the trace that make one device.
const MilliGPU = 1000

// Bounds of what a node has and a pod requests, far above any real one.
const (
	maxMilliCPU = 1 << 40
	maxMiB      = 1 << 33 // 8 PiB
	maxGPUs     = 1 << 16
)

var nodeColumns = []string{"sn", "cpu_milli", "memory_mib", "gpu", "model"}

// readNodes reads the table of nodes.
func readNodes(path string, problems *joblog.Problems) ([]joblog.Node, trace.Source, error) {
	var nodes []joblog.Node
	known := map[string]bool{}
	source, err := joblog.ReadTable(path, "openb nodes", nodeColumns, problems, func(t *joblog.Table) error {
		n := joblog.Node{
			Address: t.Text("sn"),
			Tags:    t.Text("model"),
			Limit: trace.Resources{
				CPUMilli: t.Amount("cpu_milli", maxMilliCPU),
				Memory:   t.Amount("memory_mib", maxMiB) << 20,
				GPU:      int32(t.Amount("gpu", maxGPUs)) * MilliGPU,
			},
			Trees: []int{0},
		}
		switch {
		case n.Address == "":
			t.Quarantine("sn", joblog.CodeMissing, "")
		case known[n.Address]:
			t.Quarantine("sn", codeDuplicate, n.Address)
		}
		if !t.Bad() {
			known[n.Address] = true
			nodes = append(nodes, n)
		}
		return nil
	})
	return nodes, source, err
}
