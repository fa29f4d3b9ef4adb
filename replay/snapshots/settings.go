package snapshots

import (
	"poolproof/core"
	"poolproof/core/judge"
	"poolproof/core/pooltree"
)

// judgeTreeSettings judges the settings in force that the snapshot records of the root by the version of the
// tree's settings that the source holds (STV-05). Only a version that the log dates is surely in force.
func (s *Snapshots) judgeTreeSettings() {
	source := &s.source.Value
	if !s.source.Set || source.Assumed || s.settings == (core.RecordedSettings{}) {
		return
	}
	s.judgeSettings(s.aboutPool(0), &s.settings, &s.settingsBefore, s.Core.RootSettings(source), func(core.SettingName) bool { return source.Dated })
}

// judgePoolSettings judges the settings of a pool by its own and inherited options. Options of the
// tree are those of the root.
func (s *Snapshots) judgePoolSettings(slot int32, v *poolView) {
	if slot == 0 || s.Core.Config().Assumed || s.Unconfigured() || s.Stale ||
		v.record.Settings == (core.RecordedSettings{}) {
		return
	}
	own := s.Core.Scheduling().Effective(s.Core.Pool(slot).Element)
	s.judgeSettings(s.aboutPool(slot), &v.record.Settings, &v.earlier.Settings, own, func(name core.SettingName) bool { return s.Core.IsDated(slot, name) })
}

// judgeOperationSettings judges the settings of an operation by its own options and those of its
// pool. If the record of the pool has the same value, only that one is judged.
func (s *Snapshots) judgeOperationSettings(slot int32, v *operationView) {
	o := s.Core.Operation(slot)
	pool, ok := s.Core.PoolOf(v.record.Pool)
	if s.Core.Config().Assumed || s.Unconfigured() || s.Stale || !o.Enabled() || !ok || pool != o.Pool || int(pool) >= len(s.pools) ||
		int64(s.at-o.LastMoved) <= s.slacks.Configuration || v.record.Settings == (core.RecordedSettings{}) {
		return
	}
	own := s.Core.Scheduling().Effective(o.Element)
	above := &s.pools[pool]
	inherits := above.at == s.at && above.record.Settings != (core.RecordedSettings{})
	if inherits {
		own = above.record.Settings.Inherited(own, s.Core.Scheduling().Effective(s.Core.Pool(pool).Element))
	}
	s.judgeSettings(aboutOperation(v), &v.record.Settings, &v.earlier.Settings, own, func(name core.SettingName) bool {
		return inherits || s.Core.IsDated(pool, name)
	})
}

// judgeSettings judges each recorded setting of an element that differs from the expected one. It
// skips times at which a version takes effect, and the first record with a changed setting: the row
// of a new version may come after it.
func (s *Snapshots) judgeSettings(a about, recorded, before *core.RecordedSettings, expected pooltree.Effective, isDated func(core.SettingName) bool) {
	if !s.settled() {
		return
	}
	agrees, stands := true, *recorded == *before
	recorded.Contradicts(expected, func(name core.SettingName) {
		if agrees = false; !stands {
			return
		}
		record := judge.SettingRecord{Context: s.asStated(), Differs: true, Undated: !isDated(name)}
		if name == core.TimeoutSetting {
			record.Recorded, record.Expected = int64(recorded.Timeout.Value)*1000, expected.Timeout
		}
		s.rule(a, string(name), record.Judge(s.rulings[:0]))
	})
	if agrees {
		s.rule(a, "", (&judge.SettingRecord{Context: s.asStated()}).Judge(s.rulings[:0]))
	}
}
