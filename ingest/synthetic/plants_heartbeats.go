package synthetic

import (
	"poolproof/core"
	"poolproof/core/simulate"
)

// mostStarts is a cluster in which a heartbeat may start two jobs, and a node has
// room for ten at once.
const mostStarts = "\nmax_started_jobs_per_heartbeat: 2\n" + tree + `
    pools: {free: {}}
` + twoNodes + `
operations:
  - {name: TREE-a, at: 20s, pool: free, trees: [TREE], tasks: [{jobs: [20, 20], resources: {cpu: 1}, seconds: [600, 0]}]}
`

// heartbeatPlants are about how much a heartbeat starts.
var heartbeatPlants = []Plant{
	{
		Kind: "heartbeat_starts_too_many", Severity: "minor", About: "operation", Subject: "a", From: 20 * second, To: 60 * second,
		Sentence:   "A heartbeat starts a job more than max_started_jobs_per_heartbeat.",
		Invariants: []string{"HB-07"},
		spec:       mostStarts,
		fault: func(f *field) {
			f.once(func(_ *simulate.Heartbeat, d *core.Decision) bool {
				if len(d.Started) < 2 {
					return false
				}
				f.start(d, f.operation("a"))
				return true
			})
		},
	},
}

// legalHeartbeats are their look-alikes.
var legalHeartbeats = []Plant{
	legal("legal_heartbeat_starts_most", "operation", "a", 20*second, 60*second,
		"A heartbeat starts as many jobs as max_started_jobs_per_heartbeat, and leaves a node with room for more.",
		nil, mostStarts),
}
