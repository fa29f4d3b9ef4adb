package snapshots

import (
	"strings"

	"poolproof/core"
	"poolproof/core/judge"
)

// A stray is a recorded pool without operations in the log.
type stray struct {
	pool  core.PoolID
	since core.Time // when its last one left, the window's start if it never had one
}

// recordStray records a pool that is not in the tree. Pools without a configuration exist only
// while they have operations.
func (s *Snapshots) recordStray(p *core.PoolRecord) {
	if p.Pool < 0 || !s.Dims.Pools[p.Pool].Ephemeral {
		return
	}
	x := stray{p.Pool, s.Log.Window.From}
	if slot, known := s.Core.PoolOf(p.Pool); known {
		x.since = s.Core.Pool(slot).Removed.Or(x.since)
	}
	s.strays = append(s.strays, x)
}

// judgeEphemeral judges the recorded ephemeral pools that the tree has (POOL-04 to POOL-06).
func (s *Snapshots) judgeEphemeral() {
	namesParents := s.namesParents()
	for _, slot := range s.seenPools {
		p, v := s.Core.Pool(slot), &s.pools[slot]
		if slot == 0 || !p.Ephemeral {
			continue
		}
		e := s.ephemeralRecord(p.ID)
		home, byUser := s.Core.PrescribedHome(slot)
		e.Here, e.Guessed = p.Operations > 0 && (e.Subpool || !s.Core.Config().Assumed), byUser
		e.Placeless, e.Lost = v.record.Parent == core.Unknown, namesParents
		e.Elsewhere = !e.Placeless && v.record.Parent != home
		options := otherwise(p, &v.record)
		e.Undated = !s.Core.IsHomeDated(slot) || v.mayHaveChanged(s.Core.LastConfigured(slot), !e.Elsewhere && len(options) == 0)
		s.rule(s.aboutPool(slot), "", e.Judge(s.rulings[:0]))
		if e.Elsewhere {
			continue // it has the options of another parent
		}
		e.Otherwise = true
		for _, option := range options {
			s.rule(s.aboutPool(slot), option, e.JudgePlace(s.rulings[:0]))
		}
	}
}

// mayHaveChanged reports whether a lost row of a change may explain the difference between the
// record of an ephemeral pool and its configuration: an earlier record agreed with it, or the row
// may follow.
func (v *poolView) mayHaveChanged(configured core.Time, agrees bool) bool {
	if agrees {
		v.agreed = core.Some(configured)
	}
	return v.agreed == core.Some(configured) || v.record.Parent != v.earlier.Parent || v.record.Mode != v.earlier.Mode
}

// judgeStrays judges the pools that the tree does not have, unless an operation has come to them
// since (POOL-05, POOL-06).
func (s *Snapshots) judgeStrays() {
	for _, x := range s.strays {
		if slot, known := s.Core.PoolOf(x.pool); known && !s.Core.Pool(slot).Removed.Set {
			continue
		}
		e := s.ephemeralRecord(x.pool)
		e.Empty = int64(s.at - x.since)
		s.rule(aboutStray(x.pool), "", e.Judge(s.rulings[:0]))
	}
}

// otherwise returns the options of an ephemeral pool that, by its record, differ from its parent's
// ephemeral_subpool_config. A record shows only the least of several limits.
func otherwise(p *core.Pool, record *core.PoolRecord) (options []string) {
	switch record.Mode {
	case core.FairShare.String(), core.FIFO.String(): // other words are ignored
		if record.Mode != p.Config.Mode.Value.String() {
			options = append(options, "mode")
		}
	}
	if record.Limits.Set {
		for k, limit := range record.Limits.Value {
			if specified := p.Config.ResourceLimits; specified.Set[k] && float64(limit) > (1+judge.OnUsage)*float64(specified.Amounts[k]) {
				return append(options, "resource_limits")
			}
		}
	}
	return options
}

func (s *Snapshots) ephemeralRecord(pool core.PoolID) judge.EphemeralRecord {
	e := judge.EphemeralRecord{
		Context: s.context, Orphan: s.Core.IsOrphan(pool),
		Subpool: strings.Contains(s.Dims.Pools[pool].Name, "$"), Toggled: !s.settled(),
	}
	e.Evidence = judge.Recomputed // its operations, and its parent by the rules
	if s.Unconfigured() {
		e.Missing = judge.Configuration
	}
	return e
}
