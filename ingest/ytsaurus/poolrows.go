package ytsaurus

import (
	"bytes"

	"poolproof/core"
)

// A poolSight is what rows say of a pool beside its configuration.
type poolSight struct {
	first, last core.Time
	ephemeral   bool
	mode        string
	integral    string
}

// maxPools bounds how many pools a log may name: more are damage.
const maxPools = 5_000_000

// seePool notes that the log names a pool. It returns nil for the root.
func (l *loader) seePool(tree treeID, name []byte, at core.Time) *poolSight {
	if string(name) == rootPool {
		return nil
	}
	s := l.poolSights[poolName{tree, string(name)}]
	if s == nil {
		if len(l.poolSights) >= maxPools {
			return nil
		}
		s = &poolSight{first: at, last: at}
		l.poolSights[poolName{tree, l.names.of(name)}] = s
	}
	s.first, s.last = min(s.first, at), max(s.last, at)
	return s
}

// snapshot notes what a snapshot says.
func (s *poolSight) snapshot(x *element) {
	s.ephemeral = s.ephemeral || x.ephemeral.Or(false)
	s.mode, s.integral = max(s.mode, x.mode), max(s.integral, x.integral)
}

// pools keeps the configurations of a row of pools_info, which holds all pools of every tree.
func (l *loader) pools(c *columnSet) {
	for t := range c[keyPools].children {
		if !usable(t.name()) || t.kind() != mapping {
			l.quarantine("pools", badID, string(t.name()))
			continue
		}
		tree := l.tree(t.name())
		l.poolsInfos[tree] = append(l.poolsInfos[tree], l.at)
		for p := range t.children {
			if !usable(p.name()) || p.kind() != mapping {
				l.quarantine("pools", badID, string(p.name()))
				continue
			}
			l.seePool(tree, p.name(), l.at)
			l.json = p.appendSortedJSON(l.json[:0])
			e := &l.rec
			e.begin(configRecords, tree)
			e.name(p.name())
			e.time(l.at)
			e.text(l.json)
			l.keep()
		}
	}
}

// accumulated keeps what operations used since the last row of its kind.
func (l *loader) accumulated(c *columnSet) {
	name := c[keyTree].bytes()
	if !usable(name) {
		l.quarantine("tree_id", missingField, "")
		return
	}
	tree := l.tree(name)
	for p := range c[keyPools].children {
		if !usable(p.name()) {
			continue
		}
		s := l.seePool(tree, p.name(), l.at)
		if parent := p.get(keyParent).string(); s != nil && parent != "" {
			l.above(tree, p.name(), parent, l.at)
		}
	}
	for o := range c[keyOperations].children {
		id, ok := parseGUID(o.name())
		if !ok {
			l.quarantine("operations", badID, string(o.name()))
			continue
		}
		volume, ok := o.get(keyAccumulated).volume()
		if !ok {
			l.quarantine("operations", badAmount, string(o.name()))
			continue
		}
		l.sight(id, l.at)
		pool := o.get(keyPool).bytes()
		l.seePool(tree, pool, l.at)
		r := usageReport{time: l.at, operation: id, pool: l.names.of(pool), volume: volume}
		l.distribute(&r, o.get(keyAccumulatedDistribution))
		l.keepReport(tree, &r)
	}
}

func (l *loader) keepReport(tree treeID, r *usageReport) {
	l.rec.begin(accumulatedRecords, tree)
	usageReports.put(&l.rec, r)
	l.keep()
}

// distribute takes a distribution over, and reports whether it holds all volumes. Early builds record the usage alone.
func (l *loader) distribute(r *usageReport, given cursor) bool {
	usage, hasUsage := given.get(keyUsed).wholeVolume()
	fair, hasFair := given.get(keyFairResources).wholeVolume()
	deficit, hasDeficit := given.get(keyUsageDeficit).wholeVolume()
	if !hasUsage || !hasFair || !hasDeficit {
		if !given.get(keyFairResources).isNull() || !given.get(keyUsageDeficit).isNull() {
			l.note("accumulated_resource_distribution", badAmount, r.operation.String())
		}
		return false
	}
	r.volume, r.fair, r.deficit = usage, core.Some(fair), core.Some(deficit)
	return true
}

// lastAccumulated keeps what an operation accumulated in each tree from the report before to its end. Rows of ends
// are read beyond the window, too, where reports are not.
func (l *loader) lastAccumulated(id guid, end core.Time, c *columnSet) {
	if l.options.To != 0 && l.at >= l.options.To {
		return
	}
	for t := range c[keyDistributionPerTree].children {
		r := usageReport{time: min(end, l.at), operation: id, ends: true}
		if !usable(t.name()) || !l.distribute(&r, t) {
			continue
		}
		for in := range c[keyTreeInfo].children {
			if bytes.Equal(in.name(), t.name()) {
				r.pool = l.poolName(in.get(keyPool))
			}
		}
		l.keepReport(l.tree(t.name()), &r)
	}
}
