package snapshots

import (
	"math"

	"poolproof/core"
	"poolproof/core/fairshare"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
	"poolproof/replay/tables"
)

// fairShareOfInputs is the field of snapshot_errors that compares a recorded fair share with the
// one that follows from the inputs of the same snapshot, and inputsPrecision the tolerance.
const (
	fairShareOfInputs = "fair_share_of_recorded_inputs"
	inputsPrecision   = 1e-6
)

// A recomputation computes the fair shares that follow from one snapshot: its total, its tree,
// usage and demand of its operations, accumulated volumes. Settings are those of the replay,
// because snapshots do not record them.
type recomputation struct {
	*Snapshots
	*buffers
	shares    *fairshare.Tree            // nil if the replay has the same inputs: then its shares are used
	missing   string                     // the input that makes a difference inconclusive, or complete
	order     int                        // number of the order of children whose order is not recorded; 0 is that of the replay
	unordered int                        // the most children of one pool whose order is unknown, if order is not 0
	causes    map[*view]*shareComparison // elements whose recorded inputs replace the configured ones
}

// buffers is the reused memory of recomputations.
type buffers struct {
	tree         fairshare.Tree
	poolsAt      []fairshare.Element // by slot
	operationsAt []fairshare.Element
}

// What is missing for a conclusion, in the words of share_agreements.
const (
	inputsComplete      = "complete"
	noConfiguration     = "configuration"
	configurationChange = "configuration_change"
	noRecords           = "records"
	noShareUpdate       = "share_update"
)

// Marks of elements that are not placed yet, or are being placed.
const (
	unplaced fairshare.Element = -1
	placing  fairshare.Element = -2
)

// compareFairShares compares every recorded fair share of the snapshot with the one that its
// recorded inputs give, and counts them by difference.
func (s *Snapshots) compareFairShares() {
	if !s.Begun {
		return
	}
	x := recomputation{Snapshots: s, missing: inputsComplete, buffers: &s.recomputed}
	if !x.isReplayed() {
		x.rebuild()
	}
	x.missing = x.lacks()
	x.explainByOrder()
	for _, slot := range s.seenPools {
		if result := x.poolResult(slot); result != nil {
			x.compare(s.aboutPool(slot), &s.pools[slot].view, result)
		}
	}
	for _, slot := range s.seenOps {
		if v := &s.operations[slot]; x.operationResult(slot) != nil {
			x.compare(aboutOperation(v), &v.view, x.operationResult(slot))
		}
	}
	x.judgeDerivation()
}

// compare compares one record.
func (x *recomputation) compare(a about, v *view, result *fairshare.Result) {
	found, told := differenceOf(v, result)
	if !told {
		return
	}
	x.Snapshots.agreements.countRecord(x.Snapshots.at, a, x.missing, found.Error)
	if found.Error > inputsPrecision && x.missing != noRecords {
		x.err(a, fairShareOfInputs, found)
	}
}

// differenceOf compares a recorded fair share with a recomputed one, nil if there is none; told is
// false if there is nothing to compare.
func differenceOf(v *view, result *fairshare.Result) (found tables.SnapshotError, told bool) {
	state := &v.state
	switch {
	case state.FairDetail == core.Unrecorded || result == nil:
		return found, false
	case state.FairDetail == core.DominantOnly:
		found.Recorded, found.Recomputed = state.FairShare.Dominant(), result.FairShare.Total.Dominant()
	default:
		found.Resource = core.Some(farthest(state.FairShare, result.FairShare.Total))
		found.Recorded, found.Recomputed = state.FairShare[found.Resource.Value], result.FairShare.Total[found.Resource.Value]
	}
	found.Error = math.Abs(found.Recorded - found.Recomputed)
	return found, true
}

// farthest returns the resource in which two shares differ most, the first of equals.
func farthest(a, b resource.Share) (worst resource.Kind) {
	for k := range a {
		if math.Abs(a[k]-b[k]) > math.Abs(a[worst]-b[worst]) {
			worst = resource.Kind(k)
		}
	}
	return worst
}

// poolResult returns the result for a recorded pool, or nil.
func (x *recomputation) poolResult(slot int32) *fairshare.Result {
	if x.missing == noShareUpdate {
		return nil
	}
	if x.shares == nil {
		return x.Core.Shares(x.Core.Pool(slot).Element)
	}
	return x.shares.Result(x.poolsAt[slot])
}

// operationResult returns the result for a recorded operation, nil if it does not take part.
func (x *recomputation) operationResult(slot int32) *fairshare.Result {
	switch {
	case x.missing == noShareUpdate:
		return nil
	case x.shares == nil:
		return x.Published(x.Core.Operation(slot))
	case x.operationsAt[slot] == unplaced:
		return nil
	}
	return x.shares.Result(x.operationsAt[slot])
}

// isReplayed reports whether the replay computed its shares from the very inputs that the
// snapshot records.
func (x *recomputation) isReplayed() bool {
	s, t := x.Snapshots, x.Core
	if x.Stale || s.total != t.ShareTotal() {
		return false
	}
	for slot := range s.pools {
		if p := t.Pool(int32(slot)); !p.Removed.Set && !x.hasRecorded(int32(slot)) {
			return false
		}
	}
	for slot := range s.operations {
		if !x.isOperationReplayed(int32(slot)) {
			return false
		}
	}
	return true
}

// hasRecorded reports whether the record of a pool has the place and the volume of the replay. A
// pool without a record has those of the replay.
func (x *recomputation) hasRecorded(slot int32) bool {
	v, p := &x.Snapshots.pools[slot], x.Core.Pool(slot)
	if v.at != x.Snapshots.at {
		return true
	}
	if parent, ok := x.recordedParent(v); ok && parent != p.Parent {
		return false
	}
	integral := x.Core.Shares(p.Element).Integral
	if !v.record.RatioVolume.Set || integral == nil || p.Config.Integral.Type == core.NoIntegral {
		return true
	}
	volume := integral.RatioVolume(x.Core.ShareTotal())
	return math.Abs(volume-v.record.RatioVolume.Value) <= 1e-9*max(1, volume)
}

func (x *recomputation) isOperationReplayed(slot int32) bool {
	o, v := x.Core.Operation(slot), &x.Snapshots.operations[slot]
	recorded := v.at == x.Snapshots.at && v.id == o.ID
	shares := x.Published(o)
	switch {
	case !o.Alive || shares == nil:
		return !recorded || !x.takesPart(slot)
	case !recorded:
		return shares.Usage.IsZero() && shares.Demand.IsZero()
	case o.Learnt() == x.at:
		return false
	}
	return x.takesPart(slot) && shares.Usage == v.state.Usage && shares.Demand == v.state.Demand && x.Core.Pool(o.Pool).ID == v.record.Pool
}

// takesPart reports whether a recorded operation competes for a share: one that waits for
// admission does not (core/spec/scheduling.md §6.2).
func (x *recomputation) takesPart(slot int32) bool {
	v := &x.Snapshots.operations[slot]
	switch {
	case v.record.Unschedulable != "":
		return v.record.Unschedulable != scheduling.NotRunning.String()
	case v.state.Demand.IsZero() && v.state.Usage.IsZero():
		return x.Published(x.Core.Operation(slot)) != nil
	}
	return true
}

// rebuild computes the shares from the records.
func (x *recomputation) rebuild() {
	s, t := x.Snapshots, x.Core
	options := t.ShareOptions()
	options.Name = nil
	x.tree.Reset(options)
	x.shares = &x.tree
	x.shares.SetTotal(s.total)
	x.poolsAt, x.operationsAt = fill(x.poolsAt, len(s.pools)), fill(x.operationsAt, len(s.operations))
	x.poolsAt[0] = fairshare.Root
	x.placeChildren(0)
	for _, slot := range s.seenOps {
		if x.operationsAt[slot] == unplaced && x.takesPart(slot) {
			x.placeOperation(slot)
		}
	}
	if x.shares.Update(int64(s.at), fairshare.NoUpdate) != nil { // volumes stay as recorded
		x.missing = noShareUpdate
	}
}

// placeChildren adds all that is below a pool of the replay, in child order: sums depend on it
// (core/spec/fair-share.md §3.7).
func (x *recomputation) placeChildren(pool int32) {
	for _, e := range x.children(pool) {
		id, operation := x.Core.Owner(e)
		if slot, ok := x.Core.OperationOf(operation); ok && int(slot) < len(x.operations) {
			if v := &x.Snapshots.operations[slot]; v.at == x.Snapshots.at && v.id == operation && x.takesPart(slot) {
				x.placeOperation(slot)
			}
		} else if slot, ok := x.Core.PoolOf(id); ok && int(slot) < len(x.pools) {
			x.placePool(slot)
			x.placeChildren(slot)
		}
	}
}

func fill(elements []fairshare.Element, n int) []fairshare.Element {
	elements = elements[:0]
	for range n {
		elements = append(elements, unplaced)
	}
	return elements
}

// placePool adds a pool below its recorded parent.
func (x *recomputation) placePool(slot int32) fairshare.Element {
	switch x.poolsAt[slot] {
	case unplaced:
	case placing: // records of one snapshot put pools into each other
		x.missing = noRecords
		return fairshare.Root
	default:
		return x.poolsAt[slot]
	}
	x.poolsAt[slot] = placing
	v, p := &x.Snapshots.pools[slot], x.Core.Pool(slot)
	above := p.Parent
	if parent, ok := x.recordedParent(v); ok && v.at == x.Snapshots.at && !x.Core.Pool(parent).Removed.Set {
		above = parent
	}
	settings := x.Core.PoolShareSettings(slot)
	x.keepWeight(&settings.Settings, above, p.Element)
	settings.InferWeightsFromHistory = false
	x.override(&settings.Settings, &v.view)
	e := x.shares.AddPool(x.placePool(above), settings)
	if i := x.Core.Shares(p.Element).Integral; i != nil && p.Config.Integral.Type != core.NoIntegral {
		volume := i.Volume
		if v.at == x.Snapshots.at && v.record.RatioVolume.Set {
			volume = volumeOf(x.Snapshots.total, v.record.RatioVolume.Value)
		}
		x.shares.SetIntegralState(e, volume, i.LastShareRatio)
	}
	x.poolsAt[slot] = e
	return e
}

// volumeOf returns the volume for a recorded ratio. Its core·seconds are not rounded like a
// scheduler's, because the ratio may be that of another resource.
func volumeOf(total resource.Vector, seconds float64) (volume resource.Volume) {
	for k := range total {
		volume[k] = float64(total[k]) * seconds
	}
	return volume
}

// placeOperation adds an operation to the pool that its record names.
func (x *recomputation) placeOperation(slot int32) {
	v := &x.Snapshots.operations[slot]
	pool, ok := x.Core.PoolOf(v.record.Pool)
	if !ok || int(pool) >= len(x.poolsAt) || x.poolsAt[pool] == unplaced {
		x.missing = noRecords
		return
	}
	settings := x.Core.OperationShareSettings(slot)
	if x.Core.Operation(slot).Enabled() {
		x.keepWeight(&settings.Settings, pool, x.Core.Operation(slot).Element)
	}
	x.override(&settings.Settings, &v.view)
	settings.PendingJobs = max(0, v.state.Demand[resource.UserSlots]-v.state.Usage[resource.UserSlots])
	e := x.shares.AddOperation(x.poolsAt[pool], settings)
	x.shares.SetUsage(e, v.state.Usage)
	x.shares.SetDemand(e, v.state.Demand)
	x.operationsAt[slot] = e
}

// keepWeight gives a child of a pool that infers weights from historic usage the weight of the
// replay: snapshots do not record the history.
func (x *recomputation) keepWeight(s *fairshare.Settings, above int32, e fairshare.Element) {
	if above >= 0 && x.Core.Pool(above).Config.InferFromHistory {
		s.Weight = fairshare.Some(x.Core.Shares(e).Weight)
	}
}

// lacks returns the missing input that makes differences of the snapshot inconclusive.
func (x *recomputation) lacks() string {
	s := x.Snapshots
	switch {
	case x.missing != inputsComplete:
		return x.missing
	case len(s.strays) > 0 || !s.totalTold || !x.addsUp():
		return noRecords
	case x.Unconfigured():
		return noConfiguration
	case !s.settled() || s.retagged(x.Core):
		return configurationChange
	}
	return inputsComplete
}

// addsUp reports whether the recorded operations add up to the records of their pools.
func (x *recomputation) addsUp() bool {
	for _, slot := range x.Snapshots.seenPools {
		result, state := x.poolResult(slot), &x.Snapshots.pools[slot].state
		if result == nil || result.Usage != state.Usage || result.Demand != state.Demand {
			return false
		}
	}
	return true
}
