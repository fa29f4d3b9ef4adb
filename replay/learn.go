package replay

import "poolproof/core"

// learned holds settings of the tree that only the scheduler's records show
// (core/spec/scheduling.md §13.7).
type learned struct {
	settings   core.RecordedSettings // that the version in force was made of last
	versions   int                   // of the source, that took effect
	configured core.Time             // when the last of them took effect
}

// followVersion notes a version that the source holds.
func (l *learned) followVersion(e *core.Event) {
	if e.Kind == core.TreeConfigured && !e.Tree.Learned {
		*l = learned{versions: l.versions + 1, configured: e.Time}
	}
}

// learn has the settings that a record of the root contradicts take effect as another version of the tree's
// settings. A version that replaced another just now may not be in force yet.
func (r *treeRun) learn(e *core.Event) {
	l, settings := &r.learned, e.TreeRecord.Settings
	if settings == l.settings || l.versions > 1 && int64(e.Time-l.configured) <= r.recorder.Slacks().Configuration {
		return
	}
	if config, contradicted := r.core.Learn(&settings); contradicted {
		l.settings = settings
		version := core.Event{
			Time: e.Time, Seq: e.Seq, Kind: core.TreeConfigured, Tree: &config, Pool: core.Unknown,
			Operation: core.Unknown, Node: core.Unknown, Job: core.Unknown,
		}
		r.recorder.snapshots.ApplyEvent(&version)
		r.referee.Decide(&version, r.started)
		r.core.Step(&version)
	}
}
