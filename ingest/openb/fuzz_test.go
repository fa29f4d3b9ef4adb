package openb

import (
	"errors"
	"path/filepath"
	"testing"

	"poolproof/ingest/joblog"
	"poolproof/ingest/parquetlog"
)

const (
	podHeader  = "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time\n"
	nodeHeader = "sn,cpu_milli,memory_mib,gpu,model\n"
)

// FuzzTables reads any bytes as the two tables: every row is used or left out with a
// code, amounts are bounded, times follow each other and no two operations have one name.
func FuzzTables(f *testing.F) {
	f.Add([]byte(podHeader+"p0,12000,16384,1,1000,,LS,Running,0,12537496,0\np1,6000,12288,1,460,V100,BE,Failed,427061,,427061\n"),
		[]byte(nodeHeader+"n0,64000,262144,2,P100\nn1,96000,786432,8,V100M32\n"))
	f.Add([]byte("\ufeff"+podHeader+"\"a\"\"b\",1,1,2,,,,Succeeded,1.5,2,1.75\r\na,1,1,0,,,,,0,,\na,1,1,0,,,,,0,,\na#2,1,1,0,,,,,0,,\n"), []byte(nodeHeader+"\xff,1,1,65537,\n,1,1,1,"))
	f.Add([]byte(podHeader+"a,99999999999999999999,-1,x,1001,,\",Running,1e3,0,9223372036854775807\na\n"), []byte(nodeHeader+"n,1,1,1\nn,1,1,1,m\nn,1,1,1,m\n"))
	f.Add([]byte("\x1f\x8b\x08"), []byte("\x28\xb5\x2f\xfd"))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, podTable, nodeTable []byte) {
		o := Options{Pods: filepath.Join(dir, podList.published), Nodes: filepath.Join(dir, nodeList.published)}
		write(t, o.Pods, string(podTable))
		write(t, o.Nodes, string(nodeTable))
		var problems joblog.Problems
		forest := joblog.NewForest(nil, MilliGPU)
		p, source, err := readPods(t.Context(), &o, forest, &problems)
		if left := problems.Quarantined(); checkRead(t, err) && source.Rows != int64(p.Len())+left {
			t.Fatalf("of %d rows %d are used and %d left out", source.Rows, p.Len(), left)
		}
		if err == nil {
			checkPods(t, p, len(forest.Pools))
		}
		problems = joblog.Problems{}
		nodes, source, err := readNodes(o.Nodes, &problems)
		if left := problems.Quarantined(); checkRead(t, err) && source.Rows != int64(len(nodes))+left {
			t.Fatalf("of %d rows of nodes %d are used and %d left out", source.Rows, len(nodes), left)
		}
		for _, n := range nodes {
			if n.Limit.CPUMilli < 0 || n.Limit.Memory < 0 || n.Limit.GPU < 0 {
				t.Fatalf("node %q has %+v", n.Address, n.Limit)
			}
		}
	})
}

// checkRead reports whether a table was read. What is no table is bad input.
func checkRead(t *testing.T, err error) bool {
	var bad *parquetlog.FormatError
	if err != nil && !errors.As(err, &bad) {
		t.Fatal(err)
	}
	return err == nil
}

func checkPods(t *testing.T, p *pods, pools int) {
	names := map[string]bool{}
	var o joblog.Operation
	for i := range p.Len() {
		p.Describe(i, &o)
		if names[o.ID] {
			t.Fatalf("two operations are called %q", o.ID)
		}
		names[o.ID] = true
		if o.Submit < 0 || o.End.Set && o.End.Value < o.Submit || int(o.Pool) >= pools {
			t.Fatalf("operation %+v", o)
		}
		p.Bursts(i, func(b *joblog.Burst) {
			if n := b.Needed; n.CPUMilli < 0 || n.Memory < 0 || n.GPU < 0 {
				t.Fatalf("pod %q requests %+v", o.ID, n)
			}
			if b.Started && (b.Start < b.Wanted || b.Finish.Set && b.Finish.Value <= b.Start || b.Finish.Set && !o.End.Set) {
				t.Fatalf("pod %+v runs %+v", o, b)
			}
		})
	}
}
