package snapshots

import (
	"strings"

	"poolproof/core"
	"poolproof/core/judge"
)

// A stray is a recorded pool that has no operation as far as the log goes.
type stray struct {
	pool  core.PoolID
	since core.Time // when it lost its last one, the window's start if it never had any
}

// recordStray notes a recorded pool that is not in the tree. Pools that no
// configuration held are there only while they have operations.
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

// mayHaveChanged reports whether the row may be lost of a change that explains how a record of an ephemeral pool differs
// from its configuration, in force since a moment: another record agreed with it, or the row may follow.
func (v *poolView) mayHaveChanged(configured core.Time, agrees bool) bool {
	if agrees {
		v.agreed = core.Some(configured)
	}
	return v.agreed == core.Some(configured) || v.record.Parent != v.earlier.Parent || v.record.Mode != v.earlier.Mode
}

// judgeStrays judges those that it has not, unless an operation in them has come since
// (POOL-05, POOL-06).
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

// otherwise names the options of an ephemeral pool that its record shows to be others
// than those of its parent's ephemeral_subpool_config. Of limits a record shows the
// least of several.
func otherwise(p *core.Pool, record *core.PoolRecord) (options []string) {
	switch record.Mode {
	case core.FairShare.String(), core.FIFO.String(): // any other word says nothing
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
	e.Evidence = judge.Recomputed // who is in it, and where the rules put it
	if s.Unconfigured() {
		e.Missing = judge.Configuration
	}
	return e
}
