package snapshots

import (
	"slices"

	"poolproof/core"
	"poolproof/core/judge"
	"poolproof/replay/tables"
)

// ephemeralRows holds the recorded configurations of ephemeral pools, which the scheduler made from
// ephemeral_subpool_config (POOL-04).
type ephemeralRows struct {
	latest  map[core.PoolID]*ephemeralRow
	waiting []*ephemeralRow // their pools have no operations yet
}

type ephemeralRow struct {
	pool   core.PoolID
	config core.PoolConfig
	at     core.Time
	broken []*openBreach
}

// followEphemeralRow adds a row of the window. A later row of the pool ends it. Undated rows are
// not records of the scheduler: imports write them for assumed ephemeral pools.
func (s *Snapshots) followEphemeralRow(e *core.Event) {
	if e.Kind != core.PoolConfigured {
		return
	}
	x := &s.ephemeralRows
	s.EndEphemeralRow(e.Pool, e.Time)
	if s.Begun && e.Config.Ephemeral && e.Config.Dated && !e.Config.Deleted {
		row := &ephemeralRow{pool: e.Pool, config: *e.Config, at: e.Time}
		if x.latest == nil {
			x.latest = map[core.PoolID]*ephemeralRow{}
		}
		x.latest[e.Pool] = row
		x.waiting = append(x.waiting, row)
	}
}

// SettleEphemeralRows judges the rows whose pools exist. A pool exists from its first operation,
// whose row may come shortly after.
func (s *Snapshots) SettleEphemeralRows(now core.Time) {
	x := &s.ephemeralRows
	x.waiting = slices.DeleteFunc(x.waiting, func(row *ephemeralRow) bool {
		slot, known := s.Core.PoolOf(row.pool)
		if known && s.Core.Pool(slot).Ephemeral && s.Core.Pool(slot).Operations > 0 {
			s.judgeEphemeralRow(row, slot, now)
			return true
		}
		return now > row.at+core.Time(s.Slacks().Configuration)
	})
}

func (s *Snapshots) judgeEphemeralRow(row *ephemeralRow, slot int32, now core.Time) {
	slacks, p := s.Slacks(), s.Core.Pool(slot)
	last := s.Core.Reconfigured()
	e := judge.EphemeralRecord{
		Context: judge.Context{Evidence: judge.Recomputed, Excuse: s.Excuses.ExcuseAt(now), Slacks: &slacks},
		Here:    !s.Core.Config().Assumed, Orphan: s.Core.IsOrphan(row.pool),
		Toggled: now-last <= core.Time(slacks.Configuration),
	}
	if s.Unconfigured() {
		e.Missing = judge.Configuration
	}
	home, byUser := s.Core.PrescribedHome(slot)
	e.Elsewhere, e.Guessed = row.config.Parent != home, byUser
	s.breakRow(row, "", e.JudgePlace(nil))
	if e.Elsewhere {
		return // it has the options of another parent
	}
	e.Otherwise = true
	for _, option := range configuredOtherwise(p, &row.config) {
		s.breakRow(row, option, e.JudgePlace(nil))
	}
}

// breakRow adds the rulings on a row.
func (s *Snapshots) breakRow(row *ephemeralRow, option string, rulings []judge.Ruling) {
	s.tallies.countRulings(row.at, tables.ElementPool, row.pool, rulings)
	for i := range rulings {
		x := &rulings[i]
		if x.Verdict == judge.OK || x.Verdict == judge.Undecidable {
			continue
		}
		o := &openBreach{SnapshotCheck: tables.SnapshotCheck{
			Invariant: x.Invariant.String(), Element: tables.ElementPool, Pool: row.pool, Aspect: option, FromTime: row.at,
		}, off: -1}
		o.addRuling(x, row.at, s.Log.Units())
		row.broken = append(row.broken, o)
	}
}

// EndEphemeralRow ends a pool's row.
func (s *Snapshots) EndEphemeralRow(pool core.PoolID, at core.Time) {
	x := &s.ephemeralRows
	row := x.latest[pool]
	if row == nil {
		return
	}
	delete(x.latest, pool)
	for _, o := range row.broken {
		o.ToTime = at
		s.snapshotChecks.Add(at, &o.SnapshotCheck)
	}
}

func (s *Snapshots) finishEphemeralRows(at core.Time) {
	for pool := range s.ephemeralRows.latest { // rows that end at one instant are sorted
		s.EndEphemeralRow(pool, at)
	}
}

// configuredOtherwise returns the options of an ephemeral pool's row that differ from its parent's
// ephemeral_subpool_config, or from the defaults of unset options.
func configuredOtherwise(p *core.Pool, row *core.PoolConfig) (options []string) {
	if row.Mode.Set && row.Mode.Value != p.Config.Mode.Value {
		options = append(options, "mode")
	}
	for k, set := range row.ResourceLimits.Set {
		if own := &p.Config.ResourceLimits; set && (!own.Set[k] || own.Amounts[k] != row.ResourceLimits.Amounts[k]) {
			options = append(options, "resource_limits")
			break
		}
	}
	differs := func(recorded, inForce core.Optional[int64]) bool {
		return recorded.Set && inForce.Set && recorded.Value != inForce.Value
	}
	if differs(row.MaxOperationCount, p.MaxOperations) {
		options = append(options, "max_operation_count")
	}
	if differs(row.MaxRunningOperationCount, p.MaxRunning) {
		options = append(options, "max_running_operation_count")
	}
	return options
}
