package ytsaurus

import (
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
	pool                                            string // its name; of an operation the pool that it is in
	operation                                       guid
	usage, demand                                   trace.Resources
	limits                                          core.Optional[trace.Resources]
	usageShare, demandShare, strongShare            core.Optional[trace.Shares]
	fairTotal, fairStrong, fairIntegral, fairWeight core.Optional[trace.Shares]
	bestAllocation                                  core.Optional[trace.Shares] // of an operation
	usageRatio, demandRatio, fairRatio, minRatio    core.Optional[float64]
	ratioStrong, ratioIntegral, ratioWeight         core.Optional[float64]
	dominant, status                                string
	weight                                          core.Optional[float64]
	satisfaction, local                             core.Optional[float64]
	schedulable                                     core.Optional[bool]
	parent, mode, integral                          string // of a pool
	ephemeral                                       core.Optional[bool]
	running, operations, lightweight                core.Optional[int64]
	own                                             core.Optional[int64] // operations that are its children, each with a record
	ratioVolume                                     core.Optional[float64]
	volume                                          core.Optional[trace.Volume]
	strongResources                                 core.Optional[trace.Resources]
	settings                                        trace.SnapSettings
	start, starvingSince                            core.Optional[core.Time] // of an operation
	unstarted                                       core.Optional[bool]      // start_time is 1970-01-01
	slot, fifoIndex, schedulingIndex                core.Optional[int32]
	minNeeded                                       core.Optional[trace.Resources]
	preemptible, aggressively, declines             core.Optional[int64]
	unschedulable                                   string
	treeRole
}

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
		e := begin(distributionPart)
		for _, k := range [...]key{keyDistributedStrong, keyUndistributedStrong, keyDistributedFlow, keyUndistributedFlow} {
			r, ok := d.get(k).optionalResources()
			if !ok {
				l.note("resource_distribution_info", badAmount, "")
			}
			optional(e, r, e.resources)
		}
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
			e := begin(rootPart)
			e.resources(x.usage)
			optional(e, x.limits, e.resources)
			optional(e, p.get(keyOwnOperationCount).count(), e.int)
			e.settings(settingsOf(p))
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
		x.encodePool(e)
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
		l.operationFields(&x, o)
		sighted := l.sight(id, l.at)
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
		x.encode(e)
		e.settings(x.settings)
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

func (l *loader) operationFields(x *element, c cursor) {
	x.settings = settingsOf(c)
	for e := range c.children {
		switch e.key() {
		case keyStartTime:
			x.start, x.unstarted = e.moment(), core.Some(e.isEpoch())
		case keyStarvingSince:
			x.starvingSince = e.moment()
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

// encode appends what is known of the element, but for its key.
func (x *element) encode(e *encoder) {
	e.resources(x.usage)
	e.resources(x.demand)
	optional(e, x.limits, e.resources)
	for _, s := range x.vectors() {
		optional(e, *s, e.shares)
	}
	for _, f := range x.numbers() {
		optional(e, *f, e.float)
	}
	for _, t := range x.texts() {
		e.text([]byte(*t))
	}
	for _, b := range x.flags() {
		optional(e, *b, e.bool)
	}
	for _, n := range x.counts() {
		optional(e, *n, e.int)
	}
	for _, n := range x.indexes() {
		optional(e, *n, func(v int32) { e.int(int64(v)) })
	}
	optional(e, x.volume, e.volume)
	optional(e, x.strongResources, e.resources)
	optional(e, x.minNeeded, e.resources)
	optional(e, x.start, e.time)
	optional(e, x.starvingSince, e.time)
}

// decode reads what encode wrote.
func (x *element) decode(d *decoder, n names) {
	x.usage, x.demand = d.resources(), d.resources()
	x.limits = optionalOf(d, d.resources)
	for _, s := range x.vectors() {
		*s = optionalOf(d, d.shares)
	}
	for _, f := range x.numbers() {
		*f = optionalOf(d, d.float)
	}
	for _, t := range x.texts() {
		*t = n.of(d.text())
	}
	for _, b := range x.flags() {
		*b = optionalOf(d, d.bool)
	}
	for _, c := range x.counts() {
		*c = optionalOf(d, d.int)
	}
	for _, i := range x.indexes() {
		*i = optionalOf(d, func() int32 { return int32(d.int()) })
	}
	x.volume = optionalOf(d, d.volume)
	x.strongResources = optionalOf(d, d.resources)
	x.minNeeded = optionalOf(d, d.resources)
	x.start, x.starvingSince = optionalOf(d, d.time), optionalOf(d, d.time)
}

func (x *element) vectors() [8]*core.Optional[trace.Shares] {
	return [...]*core.Optional[trace.Shares]{&x.usageShare, &x.demandShare, &x.strongShare, &x.fairTotal, &x.fairStrong, &x.fairIntegral, &x.fairWeight, &x.bestAllocation}
}

func (x *element) numbers() [11]*core.Optional[float64] {
	return [...]*core.Optional[float64]{&x.usageRatio, &x.demandRatio, &x.fairRatio, &x.minRatio, &x.ratioStrong, &x.ratioIntegral, &x.ratioWeight,
		&x.weight, &x.satisfaction, &x.local, &x.ratioVolume}
}

func (x *element) texts() [6]*string {
	return [...]*string{&x.dominant, &x.status, &x.parent, &x.mode, &x.integral, &x.unschedulable}
}

func (x *element) flags() [6]*core.Optional[bool] {
	return [...]*core.Optional[bool]{&x.schedulable, &x.ephemeral, &x.tentative, &x.probing, &x.offloading, &x.unstarted}
}

func (x *element) counts() [7]*core.Optional[int64] {
	return [...]*core.Optional[int64]{&x.running, &x.operations, &x.own, &x.lightweight, &x.preemptible, &x.aggressively, &x.declines}
}

func (x *element) indexes() [3]*core.Optional[int32] {
	return [...]*core.Optional[int32]{&x.slot, &x.fifoIndex, &x.schedulingIndex}
}
