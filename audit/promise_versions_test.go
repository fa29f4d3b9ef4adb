package audit

import (
	"fmt"
	"strings"
	"testing"

	"poolproof/core"
	"poolproof/core/pooltree"
	"poolproof/core/resource"
	"poolproof/replay/tables"
)

// TestPromisesAreOfAVersion: a setting that is changed makes another promise, one
// that stays the same, whatever else changes, goes on.
func TestPromisesAreOfAVersion(t *testing.T) {
	t.Parallel()
	const prod = core.PoolID(0)
	version := func(guarantee int64, weight float64) tables.Pool {
		return tables.Pool{Pool: prod, Path: "prod", Parent: core.RootPool, Configured: true, StrongGuarantee: cores(guarantee), Weight: core.Some(weight)}
	}
	span := func(from, to int, demand float64) tables.PoolInterval {
		i := busy(prod, demand, 0.6, 1)
		i.FromTime, i.ToTime = at(from), at(to)
		return i
	}
	r := newTestRun(t)
	r.addTree("a", whole())
	put(r, "a", tables.Tree{Profile: "documented", FromTime: at(0), ToTime: at(40_000), Total: resource.Vector{resource.CPU: 10_000}, Updates: 10})
	put(r, "a", version(60, 3))
	of := func(from, to int, p tables.Pool) tables.PoolVersion {
		return tables.PoolVersion{Pool: p, FromTime: at(from), ToTime: at(to)}
	}
	put(r, "a", of(0, 10_000, version(60, 1)), of(10_000, 20_000, version(60, 2)), // which promise the same
		of(20_000, 30_000, version(50, 2)), of(30_000, 40_000, version(60, 3))) // and the first once more
	put(r, "a", span(0, 20_000, 0.1), span(20_000, 30_000, 0), span(30_000, 40_000, 0.1))
	put(r, "a", tables.GuaranteeEpisode{Pool: prod, FromTime: at(31_000), ToTime: at(31_600), Resource: resource.CPU, Gap: 0.3, GapTime: at(31_010), Owed: 6e11, Others: 6e8, Withheld: 6e8, Preemptible: 6e8, SurelyPreemptible: 6e8})
	part := faulty(pooltree.GuaranteeAboveTotal, "", "strong_guarantee_resources", "cpu: 110 of 100")
	part.ToTime = at(1800)
	put(r, "a", part)
	v := r.graded("strong_guarantee_unmet")
	var got []string
	ids := map[string]bool{}
	for _, p := range v.Promises {
		ids[p.ID] = true
		got = append(got, fmt.Sprintf("%d-%d %s %s: %s", p.From.Unix()-at0, p.To.Unix()-at0, p.Grade, p.Statement, p.Reason))
	}
	want := "30000-40000 broken Pool prod gets 60 cores within 5 minutes of demanding them.: Violated: 1 finding. It was in force from 2023-11-15 06:33:20 UTC to 2023-11-15 09:20:00 UTC.\n" +
		"20000-30000 vacuous Pool prod gets 50 cores within 5 minutes of demanding them.: Nothing tested it: it demanded nothing. It was in force from 2023-11-15 03:46:40 UTC to 2023-11-15 06:33:20 UTC.\n" +
		"0-20000 kept Pool prod gets 60 cores within 5 minutes of demanding them.: Tested and not broken. For 30 min 00 s of its time it could not be kept: " +
		pooltree.GuaranteeAboveTotal.Meaning() + " (cpu: 110 of 100). It was in force from 2023-11-14 22:13:20 UTC to 2023-11-15 03:46:40 UTC."
	if lines := strings.Join(got, "\n"); lines != want || len(ids) != 3 {
		t.Errorf("got\n%s\nwant\n%s", lines, want)
	}
}

const at0 = 1_700_000_000 // second of at(0)
