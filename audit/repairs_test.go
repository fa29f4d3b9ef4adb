package audit

import (
	"testing"

	"poolproof/core"
	"poolproof/core/judge"
	"poolproof/core/resource"
	"poolproof/replay/tables"
)

func TestExceededLimitNotRepaired(t *testing.T) {
	t.Parallel()
	missed := func(verdict string, from, to int) tables.MissedRepair {
		return tables.MissedRepair{
			Element: tables.ElementPool, Pool: 0, Resource: resource.CPU, Node: 0, FromTime: at(from), ToTime: at(to), Allowed: 22e6,
			Looked: 5, Jobs: 2, Job: "job-1", Verdict: verdict,
		}
	}
	r := newTestRun(t)
	logged := whole("heartbeats", "sampled")
	r.addTree("a", logged)
	of := missed("suspect", 100, 130)
	of.Element, of.Operation = tables.ElementOperation, core.Some(core.OperationID(1))
	put(r, "a", missed("violated", 100, 160), missed("suspect", 100, 190), missed("violated", 200, 240), of)
	put(r, "a", counted(judge.LIM04, judge.Violated, 2), counted(judge.LIM04, judge.OK, 3))
	r.addTree("repaired", logged)
	put(r, "repaired", counted(judge.LIM04, judge.OK, 3))
	r.addTree("kept", logged)
	r.addTree("silent", whole())
	v := r.judge("exceeded_limit_not_repaired")
	if got, want := v.found("exceeded_limit_not_repaired"), "violated a pool prod 60 s\nsuspect a operation op-b 30 s"; got != want {
		t.Errorf("found %q, want %q", got, want)
	}
	r.expect(v, "exceeded_limit_not_repaired", map[string]Judgement{"repaired": OK, "kept": Idle, "silent": Undecidable})
}
