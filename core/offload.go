package core

import "poolproof/core/pooltree"

// Offloads returns the trees that the pool of an operation, or its nearest ancestor with
// offloading_settings, adds to the operation's own trees, used (core/spec/scheduling.md §2.4).
func (t *Tree) Offloads(pool PoolID, user string, spec *pooltree.TreeSpec, used []string, known *pooltree.KnownTrees) []pooltree.Offload {
	t.flush()
	name := t.recordedName(pool)
	if name == "" {
		return nil
	}
	return t.admission.Offloads(t.admission.Recorded(name, user), spec, used, known)
}

// HasOffloading reports whether some pool in force has offloading_settings.
func (t *Tree) HasOffloading() bool {
	t.flush()
	for _, d := range t.admission.Definitions() {
		if len(d.Config.Offloading) > 0 {
			return true
		}
	}
	return false
}
