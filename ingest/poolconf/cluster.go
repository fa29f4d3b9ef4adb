package poolconf

import (
	"poolproof/core/pooltree"
	"poolproof/ingest/trace"
)

// ClusterAttributes returns a row of cluster_config as the attributes that
// pooltree.ParseCluster reads, as TreeAttributes does for a tree.
func ClusterAttributes(row *trace.ClusterConfig) (a pooltree.Attributes, wrong []string) {
	b := newBuilder(row.ConfigJSON, nil)
	add(b, "default_tree", row.DefaultTree)
	b.put("trees", splitList(row.Trees))
	add(b, "max_operation_count", row.MaxOperationCount)
	add(b, "fair_share_update_period", row.FairShareUpdatePeriodMS)
	add(b, "watchers_update_period", row.WatchersUpdatePeriodMS)
	return b.attributes, b.wrong
}
