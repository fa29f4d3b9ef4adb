package audit

import (
	"math"
	"strings"
	"testing"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/replay/tables"
)

// TestPromisesOfNoLimitAreTold: a count so large that it stands for none is told, and
// the sum of those of siblings, too.
func TestPromisesOfNoLimitAreTold(t *testing.T) {
	t.Parallel()
	none := core.Some[int64](math.MaxInt64)
	pool := func(id core.PoolID, path string) tables.PoolVersion {
		return tables.PoolVersion{FromTime: at(0), ToTime: at(1000), Pool: tables.Pool{Pool: id, Path: path, Parent: core.RootPool, Configured: true,
			OwnRunning: none, OwnOperations: none, MaxRunning: none, MaxOperations: none}}
	}
	r := newTestRun(t)
	r.addTree("a", whole())
	put(r, "a", tables.Tree{Profile: "documented", FromTime: at(0), ToTime: at(1000), Total: resource.Vector{resource.CPU: 10_000}, Updates: 10})
	put(r, "a", tables.TreeVersion{ToTime: at(1000), MaxOperations: none, MaxRunning: none, MaxOperationsPerPool: none, MaxRunningPerPool: none})
	prod, batch := pool(0, "prod"), pool(1, "batch")
	put(r, "a", prod.Pool, batch.Pool)
	put(r, "a", prod, batch)
	var trees, pools int
	for _, p := range r.audit("pool_over_operation_count").Promises {
		switch {
		case strings.HasPrefix(p.Statement, "Tree a has at most 9,223,372,036,854,77"):
			trees++
		case p.SubjectKind == "pool" && strings.Contains(p.Kind, "operation_count"):
			pools++
		}
	}
	if trees != 2 || pools < 4 {
		t.Errorf("%d promises of the tree, %d of pools", trees, pools)
	}
}
