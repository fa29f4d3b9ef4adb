package poolconf

import (
	"strings"
	"unicode/utf8"

	"poolproof/ingest/trace"
)

type poolRow = trace.PoolConfig

// unconfigured is a pool without any option.
var unconfigured = poolRow{Mode: "fair_share", IntegralType: "none"}

// maxPoolDepth is the deepest level of explicit pools (core/spec/scheduling.md §4.1).
const maxPoolDepth = 30

// readPools reads the key pools of a tree or a pool. Lines says where each pool
// of the tree was named.
func (t *tree) readPools(n *node, parent string, depth int, lines map[string]int) error {
	for i, key := range n.keys {
		if key.text != poolsKey || n.values[i].kind == null {
			continue
		}
		pools := n.values[i]
		if pools.kind != mapping {
			return pools.errorf("%s must be a map from names to pools", poolsKey)
		}
		for j, name := range pools.keys {
			if err := t.readPool(name, pools.values[j], parent, depth, lines); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *tree) readPool(name, n *node, parent string, depth int, lines map[string]int) error {
	if err := checkName("pool", name); err != nil {
		return err
	}
	if before, ok := lines[name.text]; ok {
		return name.errorf("pool %s stands on line %d already; a name is unique in its whole tree", name.text, before)
	}
	if depth > maxPoolDepth {
		return name.errorf("pool %s is nested deeper than %d levels", name.text, maxPoolDepth)
	}
	lines[name.text] = name.line

	row := unconfigured
	r := newReading(&row)
	if err := apply(poolOptions, "a pool", r, n, poolsKey); err != nil {
		return err
	}
	row.ConfigJSON = encode(r.extra)
	at := len(t.pools)
	t.pools = append(t.pools, pool{name.text, parent, name.line, row})
	if err := t.readPools(n, name.text, depth+1, lines); err != nil {
		return err
	}
	return checkPool(name, &row, len(t.pools) > at+1)
}

// checkPool checks what core/spec/scheduling.md §4.2 and §4.3 forbid within a pool.
func checkPool(name *node, r *poolRow, children bool) error {
	running, all := r.MaxRunningOperationCount, r.MaxOperationCount
	burst := r.Burst != (trace.PartialResources{})
	switch {
	case r.Mode == "fifo" && children:
		return name.errorf("pool %s is in mode fifo and has pools below it; a FIFO pool has none", name.text)
	case r.Mode == "fifo" && r.CreateEphemeralSubpools.Or(false):
		return name.errorf("pool %s is in mode fifo and creates ephemeral subpools; a FIFO pool has no pools", name.text)
	case running.Set && all.Set && running.Value > all.Value:
		return name.errorf("pool %s has a max_running_operation_count of %d above its max_operation_count of %d", name.text, running.Value, all.Value)
	case burst && r.IntegralType == "relaxed":
		return name.errorf("pool %s has burst_guarantee_resources and the guarantee_type relaxed; only burst has them", name.text)
	}
	return nil
}

// checkName checks the name of a tree or pool. Names outside the cluster's own
// alphabet are taken: foreign queues have them.
func checkName(what string, n *node) error {
	name := n.text
	if name == "" || utf8.RuneCountInString(name) > 100 || strings.Contains(name, "$") || name == "<Root>" || !utf8.ValidString(name) {
		if hub, _, subpool := strings.Cut(name, "$"); subpool && hub != "" && what == "pool" {
			return n.errorf("%q cannot be the name of a %s: $ is for ephemeral subpools, whose options are those of ephemeral_subpool_config of pool %q", name, what, hub)
		}
		return n.errorf("%q cannot be the name of a %s: a name has 1 to 100 characters, no $, and is not <Root>", name, what)
	}
	return nil
}
