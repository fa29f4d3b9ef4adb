package core

import (
	"math"

	"poolproof/core/pooltree"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// RecordedSettings are the settings of starvation and preemption that the scheduler recorded as in force for an
// element, each as far as the record holds it (core/spec/scheduling.md §13.7).
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

// Contradicts visits the recorded settings that are not the given ones.
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

// Inherited returns what an element has in force whose parent has the recorded settings, given what the configuration
// gives to both: what the element does not have of its own is what was recorded of the parent.
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

// RootSettings are the settings of starvation and preemption that a version of the tree's settings gives to all
// who set none themselves.
func (t *Tree) RootSettings(c *TreeConfig) pooltree.Effective {
	return pooltree.EffectiveRoot(t.profile, c)
}

// Learn returns the tree's settings with those in place that a record of the root contradicts, and whether it
// contradicts any. A version that the log dates stays in force, whatever records say.
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

// IsDated reports whether the log shows since when the options of a pool are in force from which it has a
// setting: those of the pool itself or of the nearest above it that states the setting. Options of presets stand
// in the tree's settings, which the log does not date.
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
