package ytsaurus

import (
	"cmp"
	"maps"
	"slices"

	"poolproof/core"
)

// timeSlack is how far apart two records of one time may be: copies may have shortened them.
const timeSlack = core.Second

// useArchive fills in what the log does not say of operations. It leaves out those that were over
// before the log, and those that by the archive alone ran, until an unknown time.
func (a *assembly) useArchive() {
	for _, id := range slices.SortedFunc(maps.Keys(a.archive), compareGUIDs) {
		r := a.archive[id]
		o := a.operations[id]
		if o == nil {
			if r.start == 0 || r.end.time < a.first || r.start > a.last {
				continue
			}
			o = a.sight(id, max(r.start, a.first))
			o.lastSeen = min(r.end.time, a.last)
		}
		a.compareOperation(o, r)
		o.complete(r)
	}
}

// complete takes from the archive what the log lacks.
func (o *operation) complete(r *archived) {
	o.kind, o.user = cmp.Or(o.kind, r.kind), cmp.Or(o.user, r.user)
	o.title, o.alias, o.annotations = cmp.Or(o.title, r.title), cmp.Or(o.alias, r.alias), cmp.Or(o.annotations, r.annotations)
	if !o.jobCount.Set {
		o.jobCount = r.jobCount
	}
	if !o.gang.Set {
		o.gang = r.gang
	}
	o.singleTree = o.singleTree || r.singleTree
	o.start = cmp.Or(o.start, r.start)
	if o.end.time == 0 {
		o.end = r.end
	}
	if len(o.prepared) == 0 && r.pending != 0 {
		o.prepared = append(o.prepared, r.pending)
	}
	if len(o.materialized) == 0 && r.running != 0 {
		o.materialized = append(o.materialized, r.running)
	}
	o.materializing = r.materializing
	for i := range r.trees {
		from, to := &r.trees[i], o.in(r.trees[i].tree)
		if !to.options.Set {
			to.options = from.options
		}
		to.lastPool = cmp.Or(to.lastPool, from.lastPool)
	}
	if len(o.erased) == 0 {
		o.erased = r.erased
	}
}

// compareOperation notes where the log and the archive differ.
func (a *assembly) compareOperation(o *operation, r *archived) {
	for _, fact := range []struct{ column, log, archive string }{
		{"operation_type", o.kind, r.kind}, {"authenticated_user", o.user, r.user},
		{"state", finalStates[o.end.event], finalStates[r.end.event]},
	} {
		if fact.log != "" && fact.archive != "" && fact.log != fact.archive {
			a.differs(fact.column, o.id, fact.log, fact.archive)
		}
	}
	for _, fact := range []struct {
		column       string
		log, archive core.Time
	}{{"start_time", o.start, r.start}, {"finish_time", o.end.time, r.end.time}} {
		if fact.log != 0 && fact.archive != 0 && !near(fact.log, fact.archive, timeSlack) {
			a.differs(fact.column, o.id, formatTime(fact.log), formatTime(fact.archive))
		}
	}
}
