package core

import (
	"math"

	"poolproof/core/pooltree"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// RecordedSettings holds the settings of starvation and preemption that the scheduler recorded as
// in force for an element, as far as recorded (core/spec/scheduling.md §13.7).
type RecordedSettings struct {
	Tolerance  Optional[float64]
	Timeout    Optional[pooltree.Milliseconds]
	Aggressive Optional[bool] // aggressive starvation is enabled
	Threshold  Optional[resource.Partial]
}

// A SettingName is a recorded setting, by the name of the option.
type SettingName string

// The recorded settings, in the order of RecordedSettings.
const (
	ToleranceSetting  SettingName = "fair_share_starvation_tolerance"
	TimeoutSetting    SettingName = "fair_share_starvation_timeout"
	AggressiveSetting SettingName = "enable_aggressive_starvation"
	ThresholdSetting  SettingName = "non_preemptible_resource_usage_threshold"
)

// Contradicts visits the recorded settings that differ from the given ones.
func (r *RecordedSettings) Contradicts(e pooltree.Effective, visit func(SettingName)) {
	if r.Tolerance.Set && math.Abs(r.Tolerance.Value-e.Tolerance) > scheduling.Equal {
		visit(ToleranceSetting)
	}
	if r.Timeout.Set && micros(r.Timeout) != e.Timeout {
		visit(TimeoutSetting)
	}
	if r.Aggressive.Set && r.Aggressive.Value != e.AggressiveStarvation {
		visit(AggressiveSetting)
	}
	if r.Threshold.Set && r.Threshold.Value != e.NonPreemptible {
		visit(ThresholdSetting)
	}
}

// Inherited returns the settings in force for an element whose parent has the recorded settings,
// given the configured settings of both: the element inherits the recorded ones unless it sets its
// own.
func (r *RecordedSettings) Inherited(own, parent pooltree.Effective) pooltree.Effective {
	if r.Tolerance.Set && own.Tolerance == parent.Tolerance {
		own.Tolerance = r.Tolerance.Value
	}
	if r.Timeout.Set && own.Timeout == parent.Timeout {
		own.Timeout = micros(r.Timeout)
	}
	if r.Aggressive.Set && own.AggressiveStarvation == parent.AggressiveStarvation {
		own.AggressiveStarvation = r.Aggressive.Value
	}
	if r.Threshold.Set && own.NonPreemptible == parent.NonPreemptible {
		own.NonPreemptible = r.Threshold.Value
	}
	return own
}

// RootSettings returns the settings of starvation and preemption that a version of the tree's
// settings gives to elements that set none.
func (t *Tree) RootSettings(c *TreeConfig) pooltree.Effective {
	return pooltree.EffectiveRoot(t.profile, c)
}

// Learn returns the tree's settings with those replaced that a record of the root contradicts, and
// whether there are any. A dated version stays in force, whatever records say.
func (t *Tree) Learn(r *RecordedSettings) (c TreeConfig, learned bool) {
	t.flush()
	c = t.config
	if c.Assumed || c.Dated {
		return c, false
	}
	r.Contradicts(t.RootSettings(&c), func(name SettingName) {
		c.Learned, learned = true, true
		switch name {
		case ToleranceSetting:
			c.FairShareStarvationTolerance = r.Tolerance
		case TimeoutSetting:
			c.FairShareStarvationTimeout = r.Timeout
		case AggressiveSetting:
			c.EnableAggressiveStarvation = r.Aggressive
		case ThresholdSetting:
			c.NonPreemptibleThreshold, c.MaxUnpreemptibleJobs = r.Threshold.Value, Optional[int64]{}
		}
	})
	return c, learned
}

// IsDated reports whether the log dates the options that give a pool a setting: those of the pool
// itself or of its nearest ancestor that states it. Options of presets are part of the tree's
// settings, which the log does not date.
func (t *Tree) IsDated(pool int32, name SettingName) bool {
	for slot := pool; slot > 0; slot = t.pools[slot].Parent {
		switch p := &t.pools[slot]; {
		case len(p.Config.Presets) > 0:
			return false
		case states(p.Config, name):
			return p.Dated
		case !p.Dated: // it may have stated the setting
			return false
		}
	}
	return t.config.Dated
}

// states reports whether the options of a pool state a setting.
func states(c *pooltree.PoolConfig, name SettingName) bool {
	switch name {
	case ToleranceSetting:
		return c.FairShareStarvationTolerance.Set
	case TimeoutSetting:
		return c.FairShareStarvationTimeout.Set
	case AggressiveSetting:
		return c.EnableAggressiveStarvation.Set
	}
	return c.NonPreemptibleThreshold.Set
}
