package snapshots

import (
	"fmt"
	"math"
	"slices"

	"poolproof/core"
	"poolproof/core/fairshare"
	"poolproof/core/judge"
	"poolproof/core/quantity"
	"poolproof/core/resource"
	"poolproof/replay/tables"
)

// A derived is the fair share that is recorded of an element beside the one that follows from the other records
// of the snapshot and the configuration.
type derived struct {
	about
	*view
	result        *fairshare.Result
	found         tables.SnapshotError
	weight        float64 // recorded, 0 if it is not or says nothing
	weightBefore  float64 // of the record before
	above         int32   // slot of the pool that the record puts it in, none for those directly below the root
	aspect, cause string  // a recorded input that is not the configured one; "" if all are
	undated       bool    // and the log does not show since when the configuration gives it
	fresh         bool    // and was another in the record before, or there was none: the log may show its change later
}

// judgeDerivation judges whether the recorded fair shares follow from the records and the configuration (GUA-11).
// Where they do not, the cause is a recorded weight, guarantee or limit that is not the configured one, if the
// shares follow from that.
func (x *recomputation) judgeDerivation() {
	all := x.derivedShares()
	apart := slices.ContainsFunc(all, x.isApart)
	if apart && x.missing == inputsComplete {
		x.findCauses(all)
		x.useRecorded(all)
		return
	}
	for i := range all {
		x.ruleDerivation(&all[i], judge.DerivedShare{Context: x.derivationContext()})
	}
}

// derivationContext says what is missing where inputs are not complete.
func (x *recomputation) derivationContext() judge.Context {
	c := x.asRecomputed()
	switch {
	case c.Missing != judge.NothingMissing || x.missing == inputsComplete:
	case x.missing == noConfiguration, x.missing == configurationChange:
		c.Missing = judge.Configuration
	default:
		c.Missing = judge.FairShares
	}
	return c
}

func (x *recomputation) isApart(d derived) bool { return d.found.Error > x.slacks.Epsilon }

// derivedShares are the fair shares that the snapshot records and that can be recomputed.
func (x *recomputation) derivedShares() (all []derived) {
	for _, slot := range x.seenPools {
		v := &x.Snapshots.pools[slot]
		d := derived{about: x.aboutPool(slot), view: &v.view, result: x.poolResult(slot), above: -1}
		var told bool
		if d.found, told = differenceOf(d.view, d.result); !told || slot == 0 {
			continue
		}
		if parent, ok := x.recordedParent(v); ok {
			d.above = parent
		}
		d.weight, d.weightBefore = x.tellingWeight(v.record.Weight, d.above), v.earlier.Weight
		all = append(all, d)
	}
	for _, slot := range x.seenOps {
		v := &x.Snapshots.operations[slot]
		d := derived{about: aboutOperation(v), view: &v.view, result: x.operationResult(slot), above: -1}
		var told bool
		if d.found, told = differenceOf(d.view, d.result); !told {
			continue
		}
		if pool, ok := x.Core.PoolOf(v.record.Pool); ok {
			d.above = pool
		}
		d.weight, d.weightBefore = x.tellingWeight(v.record.Weight.Value, d.above), v.earlier.Weight.Value
		all = append(all, d)
	}
	return all
}

// tellingWeight is a recorded weight, 0 where it is inferred from usage that no snapshot records.
func (x *recomputation) tellingWeight(weight float64, above int32) float64 {
	if above >= 0 && x.Core.Pool(above).Config.InferFromHistory {
		return 0
	}
	return weight
}

// findCauses notes which recorded inputs are not those that the configuration gives.
func (x *recomputation) findCauses(all []derived) {
	dated := x.Core.DatedOptions()
	for i := range all {
		d := &all[i]
		s, r := &d.state, d.result
		switch k := farthest(s.StrongShare, r.StrongShare); {
		case d.weight > 0 && math.Abs(d.weight-r.Weight) > inputsPrecision*r.Weight:
			d.aspect, d.fresh = "weight", !d.had || d.weight != d.weightBefore
			d.cause = fmt.Sprintf("a weight of %s is recorded, and the configuration gives %s", quantity.Number(d.weight, 3), quantity.Number(r.Weight, 3))
		case s.StrongDetail == core.PerResource && math.Abs(s.StrongShare[k]-r.StrongShare[k]) > x.slacks.Epsilon:
			d.aspect, d.fresh = "strong_guarantee", !d.had || s.StrongShare != d.previous.StrongShare
			d.cause = fmt.Sprintf("a strong guarantee of %s is recorded, and the configuration gives %s", quantity.Share(s.StrongShare[k]), quantity.Share(r.StrongShare[k]))
		case s.Limits.Set && x.limitsDiffer(s.Limits.Value, r.Limits):
			d.aspect, d.cause, d.fresh = "resource_limits", "the recorded limits are not those that the configuration gives", !d.had || s.Limits != d.previous.Limits
		}
		d.undated = d.cause != "" && !x.isDated(d, &dated)
	}
}

// isDated reports whether the log dates the options that give an element another input than the recorded one.
func (x *recomputation) isDated(d *derived, options *core.DatedOptions) bool {
	switch {
	case d.element != tables.ElementPool:
		return false
	case d.aspect == "weight":
		return options.OfWeight(d.number)
	case d.aspect == "strong_guarantee":
		recorded, given := d.state.StrongShare, d.result.StrongShare
		for k := range recorded {
			if math.Abs(recorded[k]-given[k]) > x.slacks.Epsilon && options.OfGuarantee(d.number, resource.Kind(k)) {
				return true
			}
		}
		return false
	}
	return options.OfPool(d.number)
}

// limitsDiffer reports whether a recorded limit within the tree's total is not the expected one.
func (x *recomputation) limitsDiffer(recorded, expected resource.Vector) bool {
	for k, total := range x.total {
		a, b := min(recorded[k], total), min(expected[k], total)
		if float64(max(a-b, b-a)) > x.slacks.OnUsage*float64(total) {
			return true
		}
	}
	return false
}

// useRecorded judges the shares that disagree. They are recomputed with the recorded inputs in place of the
// configured ones: what follows from these shows that the scheduler went by them.
func (x *recomputation) useRecorded(all []derived) {
	other := recomputation{Snapshots: x.Snapshots, missing: inputsComplete, order: x.order, recorded: all, buffers: new(buffers)}
	explains := func(*derived) bool { return false }
	if slices.ContainsFunc(all, func(d derived) bool { return d.cause != "" }) {
		other.rebuild()
		explains = func(d *derived) bool {
			var result *fairshare.Result
			if d.element == tables.ElementPool {
				result = other.poolResult(d.number)
			} else if slot, ok := x.Core.OperationOf(d.operation.Value); ok {
				result = other.operationResult(slot)
			}
			found, told := differenceOf(d.view, result)
			return other.missing == inputsComplete && told && found.Error <= x.slacks.Epsilon
		}
	}
	asked, unordered := false, false
	for i := range all {
		d := &all[i]
		record := judge.DerivedShare{Context: x.derivationContext(), Recorded: d.found.Recorded, Expected: d.found.Recomputed, Resource: d.found.Resource.Value}
		record.Apart = x.isApart(*d)
		switch {
		case !record.Apart:
		case explains(d) && d.cause == "", x.followsAbove(all, d):
			continue // another element has the cause
		case explains(d) && d.fresh:
			record.Context.Missing = judge.Configuration
		case explains(d):
			record.Cause, record.Undated = d.cause, d.undated
		default:
			if !asked {
				asked, unordered = true, x.dependsOnOrder()
			}
			record.Cause, record.Unexplained, record.Unordered = d.cause, true, unordered
		}
		x.ruleDerivation(d, record)
	}
}

// followsAbove reports whether the share of the pool above disagrees as well, or that of a sibling by more.
func (x *recomputation) followsAbove(all []derived, d *derived) bool {
	return d.cause == "" && slices.ContainsFunc(all, func(o derived) bool {
		if o.element == tables.ElementPool && o.number == d.above {
			return x.isApart(o)
		}
		return o.above == d.above && o.about != d.about && (o.cause != "" && x.isApart(o) || o.found.Error > d.found.Error)
	})
}

// dependsOnOrder reports whether children whose order is not known have other shares in another order, as they
// may where a limit is met exactly. Where many snapshots in a row disagree the first of them answer for the rest.
func (x *recomputation) dependsOnOrder() bool {
	s := x.Snapshots
	if s.unexplained >= patience {
		return s.orderMatters
	}
	s.orderMatters = false
	for order := 1; order <= triedOrders && !s.orderMatters; order++ {
		other := recomputation{Snapshots: s, missing: inputsComplete, order: order, buffers: new(buffers)}
		if other.rebuild(); other.unordered < 2 {
			break
		}
		s.orderMatters = other.missing != inputsComplete || x.differsFrom(&other)
	}
	return s.orderMatters
}

// differsFrom reports whether a recorded element has another share in another recomputation.
func (x *recomputation) differsFrom(other *recomputation) bool {
	differ := func(a, b *fairshare.Result) bool {
		if a == nil || b == nil {
			return a != b
		}
		k := farthest(a.FairShare.Total, b.FairShare.Total)
		return math.Abs(a.FairShare.Total[k]-b.FairShare.Total[k]) > x.slacks.Epsilon
	}
	return slices.ContainsFunc(x.seenPools, func(slot int32) bool { return differ(x.poolResult(slot), other.poolResult(slot)) }) ||
		slices.ContainsFunc(x.seenOps, func(slot int32) bool { return differ(x.operationResult(slot), other.operationResult(slot)) })
}

func (x *recomputation) ruleDerivation(d *derived, record judge.DerivedShare) {
	x.rule(d.about, d.aspect, record.Judge(x.rulings[:0]))
}

// override replaces the settings of an element by the recorded inputs that are not the configured ones.
func (x *recomputation) override(settings *fairshare.Settings, v *view) {
	i := slices.IndexFunc(x.recorded, func(d derived) bool { return d.view == v })
	if i < 0 {
		return
	}
	switch d := &x.recorded[i]; d.aspect {
	case "weight":
		settings.Weight = fairshare.Some(d.weight)
	case "strong_guarantee":
		settings.StrongGuarantee = resource.Partial{}
		for k, share := range d.state.StrongShare {
			settings.StrongGuarantee.Set[k] = true
			settings.StrongGuarantee.Amounts[k] = int64(math.Round(share * float64(x.total[k])))
		}
	case "resource_limits":
		settings.ResourceLimits, settings.MaxShareRatio = resource.Partial{Amounts: d.state.Limits.Value}, fairshare.Optional{}
		for k := range settings.ResourceLimits.Set {
			settings.ResourceLimits.Set[k] = d.state.Limits.Value[k] < x.total[k]
		}
	}
}
