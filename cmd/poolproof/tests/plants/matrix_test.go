package plants

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"poolproof/audit"
	"poolproof/cmd/poolproof/commandtest"
	"poolproof/core/coretest/sweep"
	"poolproof/ingest/synthetic"
	"poolproof/queries"
)

// The matrix of what is planted against what the audits find: every planted
// violation is found, in its place, with nothing beside what follows from it; the
// same cluster without it, and whatever only looks like one, accuses nobody.
// `make matrix` prints it for several seeds.

// A rule is an invariant, as one of its audits judges it.
type rule struct{ invariant, audit string }

func (r rule) String() string { return r.invariant + " of " + r.audit }

// rulesOf are the rules of all audits, in the order of the audits.
func rulesOf(t *testing.T) (all []rule) {
	audits, err := audit.ReadAudits(queries.Files)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range audits {
		for _, id := range a.Invariants {
			all = append(all, rule{id, a.ID})
		}
	}
	return all
}

// A matrix counts what was found of what was planted.
type matrix struct {
	seeds int

	mu      sync.Mutex
	found   map[string]int            // by kind: for how many seeds it was
	false   map[string]map[string]int // by kind and rule: findings that should not be
	byAudit map[string]int            // the same by audit
	excused map[string]int            // by kind and rule, as "kind rule": runs in which it was excused
	fired   map[rule]bool             // rules of audits that found what is planted, or what follows from it
	example map[string]string         // one of each kind and rule
}

func newMatrix(seeds int) *matrix {
	return &matrix{seeds: seeds, found: map[string]int{}, false: map[string]map[string]int{}, byAudit: map[string]int{}, excused: map[string]int{}, fired: map[rule]bool{}, example: map[string]string{}}
}

// add judges a plant by what was found in its trees.
func (m *matrix) add(p *synthetic.Planted, findings []audit.Finding, innocent bool) {
	guilty := !innocent && p.Severity != "none"
	found, excused := false, map[string]bool{}
	for i := range findings {
		f := &findings[i]
		if !inTrees(f, p) {
			continue
		}
		of := rule{f.Invariant, f.Audit}
		switch {
		case guilty && tells(f, p):
			found, m.fired[of] = true, true
		case !declares(p, f, guilty):
			m.alleged(p.Kind, f)
		case f.Verdict == audit.Excused:
			excused[f.Invariant] = true
		case guilty && (f.Verdict == audit.Violated || f.Verdict == audit.Damaged || f.Verdict == audit.Noted):
			m.fired[of] = true
		}
	}
	if found {
		m.found[p.Kind]++
	}
	for _, rule := range p.Excused {
		if excused[rule] && !innocent {
			m.excused[p.Kind+" "+rule]++
		}
	}
}

// alleged counts a finding that should not be.
func (m *matrix) alleged(kind string, f *audit.Finding) {
	if m.false[kind] == nil {
		m.false[kind] = map[string]int{}
	}
	what := f.Invariant + " " + string(f.Verdict)
	m.false[kind][what]++
	m.example[kind+" "+what] = fmt.Sprintf("%s: %s of %s %s from %s: %s", f.Audit, f.Severity, f.SubjectKind, f.Subject, f.From, f.Reason)
	m.byAudit[f.Audit]++
}

// unexcused complains of rules that a plant says are excused, and that are not.
// A consequence may follow or not.
func (m *matrix) unexcused(t *testing.T, plants []synthetic.Plant) {
	for _, p := range plants {
		for _, rule := range p.Excused {
			if n := m.excused[p.Kind+" "+rule]; n < m.seeds && !slices.Contains(p.Consequences, rule) {
				t.Errorf("%s: %s is excused for %d of %d seeds", p.Kind, rule, n, m.seeds)
			}
		}
	}
}

// silent complains of rules that found nothing of all that is planted, and do not
// stand on the list of those. An audit may judge many rules: each has to fire.
func (m *matrix) silent(t *testing.T) {
	for _, of := range rulesOf(t) {
		switch reason, known := unplanted[of]; {
		case !known && !m.fired[of]:
			t.Errorf("%v found nothing of all that is planted", of)
		case known && m.fired[of]:
			t.Errorf("%v found something: take it off the list of those that do not (%s)", of, reason)
		}
	}
}

// table shows the matrix: a line per plant, then a line per audit.
func (m *matrix) table(t *testing.T, plants []synthetic.Plant) string {
	audits, err := audit.ReadAudits(queries.Files)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	line := func(name, rule, found, wrong string) {
		fmt.Fprintf(&b, "%-36s %-9s %8s  %s\n", name, rule, found, wrong)
	}
	line("plant", "rule", "found", "found and not planted")
	for _, p := range append(slices.Clone(plants), synthetic.Plant{Kind: plain, Expectation: synthetic.Expectation{Severity: "none"}}) {
		found := ""
		if p.Severity != "none" {
			found = fmt.Sprintf("%d of %d", m.found[p.Kind], m.seeds)
		}
		var wrong []string
		for _, rule := range slices.Sorted(maps.Keys(m.false[p.Kind])) {
			wrong = append(wrong, fmt.Sprintf("%s ×%d", rule, m.false[p.Kind][rule]))
		}
		line(p.Kind, strings.Join(p.Invariants, " "), found, cmp.Or(strings.Join(wrong, ", "), "0"))
	}
	b.WriteByte('\n')
	line("audit", "", "found", "found and not planted")
	for _, a := range audits {
		planted, found := 0, 0
		for _, p := range plants {
			if anyOf(a.Invariants, p.Invariants) {
				planted += m.seeds
				found += m.found[p.Kind]
			}
		}
		line(a.ID, "", fmt.Sprintf("%d of %d", found, planted), strconv.Itoa(m.byAudit[a.ID]))
	}
	return b.String()
}

// plain is the row of the preset without plants.
const plain = "small"

// told is what a finding says of a rule.
type told struct {
	rule     string
	verdict  audit.Judgement
	severity audit.Severity
}

// plainTells is what the preset may show, which accuses nobody: preemption by an
// ancestor, starvation that comes and goes and use beyond a max_share_ratio are worth a note, and its limit that comes
// down after twelve minutes may find more in use.
var plainTells = []told{{"PRE-05", audit.Noted, audit.Info}, {"STV-10", audit.Noted, audit.Info}, {"LIM-08", audit.Noted, audit.Info}, {"LIM-02", audit.Excused, audit.Minor}}

// fill plants every kind of a list, and finds what the audits say of the wanted
// ones. Those that are not share their beds all the same: when nodes report, and
// with it what is decided when, depends on how many there are.
func (m *matrix) fill(t *testing.T, plants []synthetic.Plant, wanted func(kind string) bool, seed uint64, innocent bool) {
	for _, bed := range commandtest.Beds(plants) {
		if !slices.ContainsFunc(commandtest.KindsOf(bed), wanted) {
			continue
		}
		t.Run(fmt.Sprintf("seed=%d innocent=%v %s", seed, innocent, bed[0].Kind), func(t *testing.T) {
			t.Parallel()
			planted, v := commandtest.Harvest(t, synthetic.Options{Plants: commandtest.KindsOf(bed), Seed: seed, Innocent: innocent})
			m.mu.Lock()
			defer m.mu.Unlock()
			for i := range planted {
				if wanted(planted[i].Kind) {
					m.add(&planted[i], v.Findings, innocent)
					keptThough(t, &planted[i], v)
				}
			}
		})
	}
}

// fillPlain judges the preset small with nothing planted.
func (m *matrix) fillPlain(t *testing.T, seed uint64) {
	t.Run(fmt.Sprintf("seed=%d %s", seed, plain), func(t *testing.T) {
		t.Parallel()
		spec, err := synthetic.Preset("small")
		if err != nil {
			t.Fatal(err)
		}
		_, v := commandtest.Harvest(t, synthetic.Options{Spec: spec, Seed: seed})
		findings := v.Findings
		m.mu.Lock()
		defer m.mu.Unlock()
		for i := range findings {
			if f := &findings[i]; !slices.Contains(plainTells, told{f.Invariant, f.Verdict, f.Severity}) {
				m.alleged(plain, f)
			}
		}
	})
}

// TestSweepMatrix fills the matrix for POOLPROOF_MATRIX_SEEDS seeds, by default one, and for
// a part of the traces, or for POOLPROOF_MATRIX_KINDS, kinds after commas. What no plant
// brings out shows only where all are.
func TestSweepMatrix(t *testing.T) {
	seeds, err := strconv.Atoi(cmp.Or(os.Getenv("POOLPROOF_MATRIX_SEEDS"), "1"))
	if err != nil {
		t.Fatal(err)
	}
	kinds := os.Getenv("POOLPROOF_MATRIX_KINDS")
	part := sweep.Take(t, 48)
	whole := kinds == "" && part.All()
	m, all := newMatrix(seeds), synthetic.Plants()
	wantedOf := func(plants []synthetic.Plant) func(kind string) bool {
		chosen := strings.Split(kinds, ",")
		if kinds == "" {
			chosen = nil
			for i, bed := range commandtest.Beds(plants) {
				if part.Has(i) {
					chosen = append(chosen, commandtest.KindsOf(bed)...)
				}
			}
		}
		return func(kind string) bool { return slices.Contains(chosen, kind) }
	}
	wanted := wantedOf(all)
	only := func(is func(p *synthetic.Plant) bool) []synthetic.Plant {
		return slices.DeleteFunc(slices.Clone(all), func(p synthetic.Plant) bool { return !is(&p) })
	}
	plants := only(func(p *synthetic.Plant) bool { return wanted(p.Kind) })
	wrong := only(func(p *synthetic.Plant) bool { return wanted(p.Kind) && p.Severity != "none" })
	twins := only((*synthetic.Plant).HasTwin)
	t.Run("fill", func(t *testing.T) { // all of it, before anything is counted
		for seed := uint64(1); seed <= uint64(seeds); seed++ {
			m.fill(t, all, wanted, seed, false)
			m.fill(t, twins, wantedOf(twins), seed, true)
			if whole || kinds == "" && part.Has(len(commandtest.Beds(all))) {
				m.fillPlain(t, seed)
			}
		}
	})
	if t.Failed() {
		t.FailNow()
	}
	for _, p := range wrong {
		reason, known := gaps[p.Kind]
		switch found := m.found[p.Kind]; {
		case !known && found < seeds:
			t.Errorf("%s is found for %d of %d seeds", p.Kind, found, seeds)
		case known && found == seeds:
			t.Errorf("%s is found: take it off the list of gaps (%s)", p.Kind, reason)
		}
	}
	for _, of := range slices.Sorted(maps.Keys(m.example)) {
		t.Errorf("%s is not planted, and found:\n\t%s", of, m.example[of])
	}
	m.unexcused(t, plants)
	if whole {
		m.silent(t)
	}
	if seeds > 1 || kinds != "" {
		t.Log("\n" + m.table(t, plants))
	}
}
