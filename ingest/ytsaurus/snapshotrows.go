package ytsaurus

import (
	"math"
	"slices"

	"poolproof/core"
	"poolproof/ingest/trace"
)

// The kinds of records of a snapshot, in their order.
const (
	distributionPart byte = iota // what guarantees were given to pools
	rootPart                     // the tree as a whole
	poolPart
	operationPart
)

// rootPool is the name of the root in the source.
const rootPool = "<Root>"

// An element is what a snapshot says of a pool or an operation.
type element struct {
	pool      string `record:"-"` // its name; of an operation the pool that it is in
	operation guid   `record:"-"`

	usage, demand                                   trace.Resources
	limits                                          core.Optional[trace.Resources]
	usageShare, demandShare, strongShare            core.Optional[trace.Shares]
	fairTotal, fairStrong, fairIntegral, fairWeight core.Optional[trace.Shares]
	bestAllocation                                  core.Optional[trace.Shares] // of an operation
	usageRatio, demandRatio, fairRatio, minRatio    core.Optional[float64]
	ratioStrong, ratioIntegral, ratioWeight         core.Optional[float64]
	weight, satisfaction, local                     core.Optional[float64]
	ratioVolume                                     core.Optional[float64] // of a pool
	dominant, status                                string
	parent, mode, integral                          string // of a pool
	unschedulable                                   string // of an operation
	schedulable                                     core.Optional[bool]
	ephemeral                                       core.Optional[bool]  // of a pool
	treeRole                                                             // of an operation
	unstarted                                       core.Optional[bool]  // start_time is 1970-01-01
	running, operations                             core.Optional[int64] // of a pool
	own                                             core.Optional[int64] // operations that are its children, each with a record
	lightweight                                     core.Optional[int64]
	preemptible, aggressively, declines             core.Optional[int64] // of an operation
	interruptTimeout, gracefulTimeout               core.Optional[int64] // of an operation, in ms
	slot, fifoIndex, schedulingIndex                core.Optional[int32]
	volume                                          core.Optional[trace.Volume] // of a pool
	strongResources                                 core.Optional[trace.Resources]
	minNeeded                                       core.Optional[trace.Resources] // of an operation
	start, starvingSince                            core.Optional[core.Time]
	settings                                        trace.SnapSettings
}

var elements = layoutOf[element]()

// A distribution says what guarantees a snapshot records as given to pools, and left.
type distribution struct {
	strong, strongLeft, flow, flowLeft core.Optional[trace.Resources]
}

var distributions = layoutOf[distribution]()

// A rootElement is what a snapshot says of the tree as a whole.
type rootElement struct {
	usage    trace.Resources
	limits   core.Optional[trace.Resources]
	own      core.Optional[int64]
	settings trace.SnapSettings
}

var rootElements = layoutOf[rootElement]()

// snapshot keeps the parts of a snapshot that a row holds.
func (l *loader) snapshot(c *columnSet) {
	name := c[keyTree].bytes()
	if !usable(name) {
		l.quarantine("tree_id", missingField, "")
		return
	}
	tree := l.tree(name)
	id := c[keySnapshot].bytes()
	if !usable(id) {
		id = nil // its time names it
	}
	if len(id) > 0 {
		l.dialect.saw(batchedSnapshots, l.at)
	} else {
		l.dialect.saw(singleSnapshots, l.at)
	}
	if l.snapped[tree] == nil {
		l.snapped[tree] = snapshotTimes{}
	}
	l.snapped[tree][l.at] = true
	l.snapshotOf(tree, id, snapshotParts{pools: c[keyPools], operations: c[keyOperations], distribution: c[keyDistribution]})
}

// snapshotParts are what a row or a dump holds of a snapshot of a tree.
type snapshotParts struct {
	pools, operations, distribution cursor
	dumped                          bool // its time is not the scheduler's, but of whoever took it
}

// snapshotOf keeps the parts of a snapshot.
func (l *loader) snapshotOf(tree treeID, id []byte, s snapshotParts) {
	if l.essential(tree, s) {
		return
	}
	begin := func(part byte) *encoder {
		e := &l.rec
		e.begin(snapshotRecords, tree)
		e.time(l.at)
		e.name(id)
		e.byte(part)
		return e
	}
	if d := s.distribution; d.kind() == mapping {
		amounts := func(k key) core.Optional[trace.Resources] {
			r, ok := d.get(k).optionalResources()
			if !ok {
				l.note("resource_distribution_info", badAmount, "")
			}
			return r
		}
		distributions.put(begin(distributionPart), &distribution{
			amounts(keyDistributedStrong), amounts(keyUndistributedStrong), amounts(keyDistributedFlow), amounts(keyUndistributedFlow)})
		l.keep()
	}
	for p := range s.pools.children {
		if !usable(p.name()) {
			l.quarantine("pools", badID, string(p.name()))
			continue
		}
		x := element{pool: l.names.of(p.name())}
		if !l.element(&x, p, "pools") {
			continue
		}
		if x.pool == rootPool {
			rootElements.put(begin(rootPart), &rootElement{x.usage, x.limits, p.get(keyOwnOperationCount).count(), settingsOf(p)})
			l.keep()
			if !x.limits.Set {
				l.note("resource_limits", missingField, rootPool)
			}
			continue
		}
		l.poolFields(&x, p)
		if !x.own.Set && id == nil { // the row is all of the snapshot
			x.own = runningIn(s.pools, p)
		}
		if sight := l.seePool(tree, p.name(), l.at); sight != nil {
			sight.snapshot(&x)
		}
		e := begin(poolPart)
		e.name([]byte(x.pool))
		elements.put(e, &x)
		l.keep()
	}
	for o := range s.operations.children {
		id, ok := parseGUID(o.name())
		if !ok {
			l.quarantine("operations", badID, string(o.name()))
			continue
		}
		x := element{operation: id, pool: l.poolName(o.get(keyPool))}
		if !l.element(&x, o, "operations") {
			continue
		}
		if x.pool == "" {
			l.quarantine("operations", missingField, string(o.name()))
			continue
		}
		gang := l.operationFields(&x, o)
		sighted := l.sight(id, l.at)
		if gang {
			sighted.gang = core.Some(true)
		}
		if x.start.Set {
			sighted.startsAt(x.start.Value)
		}
		if !s.dumped {
			sighted.holds(tree, l.at, x.usage.UserSlots)
		}
		l.seePool(tree, []byte(x.pool), l.at)
		e := begin(operationPart)
		e.guid(id)
		e.text([]byte(x.pool))
		elements.put(e, &x)
		l.keep()
	}
}

// runningIn is how many operations directly in a pool run, by the counters of all pools. Of those that wait there may be
// no record where no counter says how many a pool has.
func runningIn(pools, pool cursor) core.Optional[int64] {
	own := pool.get(keyRunningCount).count()
	for p := range pools.children {
		if string(p.get(keyParent).bytes()) == string(pool.name()) {
			own.Value -= p.get(keyRunningCount).count().Value
		}
	}
	own.Set = own.Set && own.Value >= 0
	return own
}

// element reads what pools and operations have in common.
func (l *loader) element(x *element, c cursor, column string) bool {
	vector := func(e cursor) core.Optional[trace.Shares] {
		s := e.optionalShares()
		if !s.Set && e.kind() != null {
			l.note(column, badField, string(c.name()))
		}
		return s
	}
	wrong := func(code string) bool {
		l.quarantine(column, code, string(c.name()))
		return false
	}
	if c.kind() != mapping {
		return wrong(missingField)
	}
	for e := range c.children {
		ok := true
		switch e.key() {
		case keyUsage:
			x.usage, ok = e.resources()
		case keyDemand:
			x.demand, ok = e.resources()
		case keyLimits:
			x.limits, ok = e.limits()
		case keyUsageShare:
			x.usageShare = vector(e)
		case keyDemandShare:
			x.demandShare = vector(e)
		case keyStrongShare:
			x.strongShare = vector(e)
		case keyBestAllocation:
			x.bestAllocation = vector(e)
		case keyUsageRatio:
			x.usageRatio = e.number()
		case keyDemandRatio:
			x.demandRatio = e.number()
		case keyFairRatio:
			x.fairRatio = e.number()
		case keyMinRatio:
			x.minRatio = e.number()
		case keyDetailed:
			x.detailed(e)
		case keyDominant:
			x.dominant = l.names.of(e.bytes())
		case keySatisfaction:
			x.satisfaction = e.number()
		case keyLocalSatisfaction:
			x.local = e.number()
		case keyStarvation:
			x.status = l.names.of(e.bytes())
		case keyStarving:
			if starving, ok := e.bool(); ok && x.status == "" {
				x.status = map[bool]string{false: "non_starving", true: "starving"}[starving]
			}
		case keyWeight:
			x.weight = e.number()
		case keySchedulable:
			x.schedulable = e.flag()
		}
		if !ok {
			return wrong(badAmount)
		}
	}
	if usage, demand := c.get(keyUsage), c.get(keyDemand); usage.isNull() || demand.isNull() || usage.lacksSome() || demand.lacksSome() {
		return wrong(missingField)
	}
	if x.usageShare.Set {
		l.dialect.saw(vectorShares, l.at)
	} else if x.usageRatio.Set {
		l.dialect.saw(ratioShares, l.at)
	}
	return true
}

// detailed reads the parts of the fair share: vectors, or ratios in old logs.
func (x *element) detailed(c cursor) {
	for e := range c.children {
		switch e.key() {
		case keyDetailedTotal:
			x.fairTotal = e.optionalShares()
		case keyDetailedStrong:
			x.fairStrong, x.ratioStrong = e.optionalShares(), e.number()
		case keyDetailedIntegral:
			x.fairIntegral, x.ratioIntegral = e.optionalShares(), e.number()
		case keyDetailedWeight:
			x.fairWeight, x.ratioWeight = e.optionalShares(), e.number()
		}
	}
}

func (l *loader) poolFields(x *element, c cursor) {
	x.settings = settingsOf(c)
	for e := range c.children {
		switch e.key() {
		case keyParent:
			x.parent = l.names.of(e.bytes())
		case keyMode:
			x.mode = l.names.of(e.bytes())
		case keyEphemeral:
			x.ephemeral = e.flag()
		case keyRunningCount:
			x.running = e.count()
		case keyOperationCount:
			x.operations = e.count()
		case keyOwnOperationCount:
			x.own = e.count()
		case keyLightweightRunning:
			x.lightweight = e.count()
			l.dialect.saw(lightweightCounts, l.at)
		case keyIntegralType:
			x.integral = l.names.of(e.bytes())
		case keyRatioVolume:
			x.ratioVolume = e.number()
		case keyVolume:
			if v, ok := e.volume(); ok {
				x.volume = core.Some(v)
			}
		case keyStrong, keyMinShareResources:
			x.strongResources, _ = e.optionalResources()
		}
	}
}

// operationFields reads what operations alone have, and whether the record says that it is a gang.
func (l *loader) operationFields(x *element, c cursor) (gang bool) {
	x.settings = settingsOf(c)
	for e := range c.children {
		switch e.key() {
		case keyStartTime:
			x.start, x.unstarted = e.moment(), core.Some(e.isEpoch())
		case keyStarvingSince:
			x.starvingSince = e.moment()
		case keyIsGang:
			gang = e.flag().Value
		case keySlotIndex:
			x.slot = e.index()
		case keyFIFOIndex:
			x.fifoIndex = e.index()
		case keySchedulingIndex:
			x.schedulingIndex = e.index()
		case keyMinNeeded:
			x.minNeeded, _ = e.limits()
		case keyPreemptible:
			x.preemptible = e.count()
		case keyAggressivelyPreemptible:
			x.aggressively = e.count()
		case keyDeactivations:
			x.declines = e.get(keyScheduleFailed).count()
		case keyInterruptTimeout:
			x.interruptTimeout = e.count()
			if ms := x.interruptTimeout.Value; ms < math.MaxInt64/2000 { // else the time that it means overflows
				l.longestInterrupt = max(l.longestInterrupt, ms)
			}
		case keyGracefulTimeout:
			x.gracefulTimeout = e.count()
		case keyUnschedulable:
			x.unschedulable = l.names.of(e.bytes())
		case keyTentative:
			x.tentative = e.flag()
		case keyProbing:
			x.probing = e.flag()
		case keyOffloading:
			x.offloading = e.flag()
		}
	}
	return gang
}

// isDisabled reports whether the record is that of an operation that waits for a place in its pools. The
// scheduler computes nothing for a disabled operation, so that its amounts and shares are zero, its start_time
// is 1970 and it has no unschedulable_reason. An enabled operation without demand has the reason
// no_pending_jobs (ingest/trace/FORMAT.md §4.2).
func (x *element) isDisabled() bool {
	none := trace.Resources{}
	if x.unschedulable != "" || x.usage != none || x.demand != none {
		return false
	}
	return x.unstarted.Value || x.limits.Set && x.limits.Value == none
}

// waits reports whether the record says that the operation does not run.
func (x *element) waits() bool { return slices.Contains(notRunning, x.unschedulable) || x.isDisabled() }
