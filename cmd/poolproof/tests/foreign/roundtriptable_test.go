package foreign

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"poolproof/audit"
	"poolproof/cmd/poolproof/commandtest"
	"poolproof/core/coretest/sweep"
	"poolproof/ingest/synthetic"
	"poolproof/ingest/ytsaurus/eventlogtest"
	"poolproof/queries"
)

// tripForms are the ways of writing that round trips take in turn. Batches are small, so
// that snapshots and samples of nodes come in several rows.
var tripForms = []eventlogtest.Options{
	{Form: eventlogtest.JSONL},
	{Form: eventlogtest.BinaryYSON, Compression: "zst", ElementsPerRow: 3, NodesPerRow: 2},
	{Form: eventlogtest.JSONL, Compression: "gz", Structured: true},
	{Form: eventlogtest.Parquet, ElementsPerRow: 4},
	{Form: eventlogtest.TextYSON, Compression: "gz", ElementsPerRow: 5},
}

// tripSample are the plants of the round trip that every run of the tests takes: of
// limits, counts, order, preemption, shares, lists, placement and the log itself.
var tripSample = []string{
	"running_over_ancestor_limit", "job_of_two_slots", "placed_in_wrong_pool", "start_over_pool_limit", "share_below_guarantee",
	"start_in_other_segment", "older_victim_first", "job_in_two_places", "node_in_two_trees",
}

// sampleAge is the age through whose log the sample goes.
const sampleAge = "2023"

// TestSweepRoundTrip takes every kind of plant through the log of each age, or those that
// POOLPROOF_ROUND_TRIP names. `make round-trip` writes what became of the findings of each
// audit.
func TestSweepRoundTrip(t *testing.T) {
	part := sweep.Take(t, 1)
	table, form := tripTable{}, 0
	through := func(n *native, ages ...string) {
		for _, age := range ages {
			how := tripForms[form%len(tripForms)]
			how.Age, how.Seed = eventlogtest.Age(age), 1
			form++
			for _, p := range n.through(t, how) {
				if p.became == accused {
					t.Errorf("%s", &p)
				}
				table.add(&p)
			}
		}
	}
	if wanted := os.Getenv("POOLPROOF_ROUND_TRIP"); wanted != "" {
		through(nativeOf(t, t.TempDir(), synthetic.Options{Plants: strings.Split(wanted, ","), Seed: 1}), ages...)
		t.Logf("%s\n%s", table.sum(), table.text())
		return
	}
	if part.Sample() {
		through(nativeOf(t, t.TempDir(), synthetic.Options{Plants: tripSample, Seed: 1}), sampleAge)
		commandtest.Golden(t, filepath.Join("testdata", "eventlog", "roundtrip.txt"), table.text())
		return
	}
	kinds := 0
	for i, bed := range commandtest.Beds(synthetic.Plants()) {
		if !part.Has(i) {
			continue
		}
		t.Logf("%s", strings.Join(commandtest.KindsOf(bed), ","))
		dir := t.TempDir()
		through(nativeOf(t, dir, synthetic.Options{Plants: commandtest.KindsOf(bed), Seed: 1}), ages...)
		os.RemoveAll(dir)
		kinds += len(bed)
	}
	t.Logf("%d kinds in %d ages: %s", kinds, len(ages), table.sum())
	if !part.All() {
		return
	}
	commandtest.Golden(t, commandtest.InProject("ingest/ytsaurus/findings.md"), table.page(kinds))
}

// TestSweepCleanRoundTrip takes clusters through the log of each age whose schedulers kept
// their rules: nobody is accused. They are preset small, an hour of day and all innocent
// descriptions; POOLPROOF_SEED makes other clusters of them.
func TestSweepCleanRoundTrip(t *testing.T) {
	part := sweep.Take(t, 100)
	seed, err := strconv.ParseUint(cmp.Or(os.Getenv("POOLPROOF_SEED"), "1"), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(commandtest.InProject("cmd/poolproof/tests/plants/testdata/innocent/*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d descriptions, %v", len(files), err)
	}
	for i, name := range append([]string{"small", "day"}, files...) {
		var tried []string
		for k, age := range ages {
			if part.Has(i*len(ages) + k) {
				tried = append(tried, age)
			}
		}
		if len(tried) == 0 {
			continue
		}
		t.Run(strings.TrimSuffix(filepath.Base(name), ".yaml"), func(t *testing.T) {
			spec, err := cleanSpec(name)
			if err != nil {
				t.Fatal(err)
			}
			if part.Sample() {
				spec.Length = synthetic.Duration((10 * time.Minute).Microseconds())
			}
			n := nativeOf(t, t.TempDir(), synthetic.Options{Spec: spec, Seed: seed})
			for k, age := range ages {
				if !slices.Contains(tried, age) {
					continue
				}
				how := tripForms[(i+k)%len(tripForms)]
				how.Age, how.Seed = eventlogtest.Age(age), int64(seed)
				for _, p := range n.through(t, how) {
					if p.became == accused && p.finding.Severity != audit.Info {
						t.Errorf("%s", &p)
					}
				}
			}
		})
	}
}

// cleanSpec reads a preset, of day an hour, or a description.
func cleanSpec(name string) (*synthetic.Spec, error) {
	if strings.HasSuffix(name, ".yaml") {
		return synthetic.Read(name)
	}
	spec, err := synthetic.Preset(name)
	if err == nil && name == "day" {
		spec.Length = 3600 * 1_000_000
	}
	return spec, err
}

// A tripTable counts what became of findings, by audit and age.
type tripTable map[string]map[string]map[string]int

var becomings = []string{asBefore, suspected, excusedNow, undecidable, absent, accused}

func (m tripTable) add(p *passage) {
	of := p.finding.Audit
	if m[of] == nil {
		m[of] = map[string]map[string]int{}
		for _, age := range ages {
			m[of][age] = map[string]int{}
		}
	}
	m[of][p.age][p.became]++
}

// cell says what became of an audit's findings in an age.
func (m tripTable) cell(audit, age string) string {
	var words []string
	for _, became := range becomings {
		if n := m[audit][age][became]; n > 0 {
			words = append(words, fmt.Sprintf("%s %d", became, n))
		}
	}
	return strings.Join(words, ", ")
}

// sum counts them all.
func (m tripTable) sum() string {
	count := map[string]int{}
	for _, byAge := range m {
		for _, of := range byAge {
			for became, n := range of {
				count[became] += n
			}
		}
	}
	return tripTable{"": {"": count}}.cell("", "")
}

// audits are those of which there is something, in the order of their files.
func (m tripTable) audits() []string {
	all, err := audit.ReadAudits(queries.Files)
	if err != nil {
		panic(err)
	}
	var found []string
	for _, a := range all {
		if m[a.ID] != nil {
			found = append(found, a.ID)
		}
	}
	return found
}

func (m tripTable) text() string {
	var b strings.Builder
	for _, of := range m.audits() {
		fmt.Fprintf(&b, "%s:", of)
		for _, age := range ages {
			if cell := m.cell(of, age); cell != "" {
				fmt.Fprintf(&b, " %s %s;", age, cell)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// page is the table as a page of the importer's documentation.
func (m tripTable) page(kinds int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `# What an event log shows of a violation

Each of the %d kinds of planted violations was written as the event log of a cluster of
2020, of 2023 and of 2025, imported with its exports of pool trees, and judged. The table
says, by audit and age, what became of the findings of the trace itself. `+"`make round-trip`"+`
writes it.

| word | the finding of the trace is, in the log, |
| --- | --- |
| same | found, of the same subject at the same time |
| suspect | found, and may be due to what the log tells too roughly |
| excused | found within an excused time |
| undecidable | not decided, since the log lacks what the audit needs |
| absent | not seen: the log does not carry it, and the audit judges what else there is |
| different | not of the trace: only the log has it. There must be none |

| audit | 2020 | 2023 | 2025 |
| --- | --- | --- | --- |
`, kinds)
	for _, of := range m.audits() {
		fmt.Fprintf(&b, "| `%s` |", of)
		for _, age := range ages {
			fmt.Fprintf(&b, " %s |", m.cell(of, age))
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "\nIn all: %s.\n", m.sum())
	return b.String()
}
