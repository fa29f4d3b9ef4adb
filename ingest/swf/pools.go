package swf

import "poolproof/ingest/joblog"

// assignPools puts every operation into its tree and pool.
func (m *model) assignPools(forest *joblog.Forest, o *Options) {
	for i := range m.all {
		op := &m.all[i]
		r := &m.records[op.lead]
		tree := "default"
		if o.TreeBy == "partition" {
			tree = nameOf(m.header.partitions, "partition", r.partition)
		}
		at := forest.Tree(tree)
		switch o.PoolBy {
		case "user":
			op.pool = forest.Pool(at, nameOf(nil, "user", r.user))
			continue
		case "group":
			op.pool = forest.Pool(at, nameOf(nil, "group", r.group))
		default:
			queue := r.queueName
			if queue == "" {
				queue = nameOf(m.header.queues, "queue", r.queue)
			}
			op.pool = forest.Pool(at, queue)
		}
		if op.user != "" {
			op.pool = forest.UserPool(op.pool, op.user)
		}
	}
}
