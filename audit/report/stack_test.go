package report

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"poolproof/audit"
)

// heldDatabase is an hour of tree main: pool a with pools b and b2, pool c, which gives back half
// of its share at half past, and operation x of b. A hundredth is held by jobs of no pool.
func heldDatabase(t *testing.T) *sql.DB {
	t.Helper()
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	shares := "from_time TIMESTAMP, to_time TIMESTAMP, usage_share_cpu DOUBLE, fair_share_cpu DOUBLE, strong_guarantee_share_cpu DOUBLE, demand_share_cpu DOUBLE, resource_limits_cpu DOUBLE"
	for _, statement := range []string{
		"CREATE TABLE coverage (tree VARCHAR, aspect VARCHAR, state VARCHAR)",
		"CREATE TABLE pools (tree VARCHAR, pool VARCHAR, path VARCHAR)",
		"CREATE TABLE operations (tree VARCHAR, operation VARCHAR, pool VARCHAR)",
		"CREATE TABLE pool_intervals (tree VARCHAR, pool VARCHAR, " + shares + ")",
		"CREATE TABLE operation_intervals (tree VARCHAR, operation VARCHAR, " + shares + ")",
		"INSERT INTO pools VALUES ('main', 'a', 'a'), ('main', 'b', 'a/b'), ('main', 'b2', 'a/b2'), ('main', 'c', 'c'), ('other', 'c', 'c')",
		"INSERT INTO operations VALUES ('main', 'x', 'b')",
		`INSERT INTO pool_intervals SELECT 'main', p, '2025-01-01 00:00', '2025-01-01 01:00', u, 0.25, 0.125, 0.5, 8 FROM (VALUES ('a', 0.5), ('b', 0.3), ('b2', 0.2)) AS v(p, u)`,
		`INSERT INTO pool_intervals SELECT 'main', p, f, t, u, 0, if(p = 'c', 0.25, 0), if(p = 'c', 0, 1.5), 8 FROM (VALUES ('c', '2025-01-01 00:00', '2025-01-01 00:30', 0.4), ('c', '2025-01-01 00:30', '2025-01-01 01:00', 0.2),
			('<Root>', '2025-01-01 00:00', '2025-01-01 00:30', 0.91), ('<Root>', '2025-01-01 00:30', '2025-01-01 01:00', 0.71)) AS v(p, f, t, u)`,
		"INSERT INTO operation_intervals VALUES ('main', 'x', '2025-01-01 00:15', '2025-01-01 00:45', 0.1, 0.2, 0, 0.3, 8)",
	} {
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(statement, err)
		}
	}
	return db
}

// The bands add up to all of the tree in every bucket, whoever the subject is.
func TestTheBandsAddUpToTheTree(t *testing.T) {
	begin := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		subject     element
		bands, line string
	}{
		{element{"operation", "x"}, "operation x 5 %, other operations of its pool 25 %, pool c 30 %, pool b2 20 %, (all other pools) 1 %, nobody (free) 19 %", "its fair share 10 %, its demand 15 %"},
		{element{"pool", "b"}, "pool b 30 %, pool c 30 %, pool b2 20 %, (all other pools) 1 %, nobody (free) 19 %", "its fair share 25 %, its strong guarantee 12.5 %, its demand 50 %"},
		{element{"pool", "a"}, "pool a 50 %, pool c 30 %, (all other pools) 1 %, nobody (free) 19 %", "its fair share 25 %, its strong guarantee 12.5 %, its demand 50 %"},
		{element{}, "pool c 30 % (guaranteed 25 %), pool a 50 % (guaranteed 12.5 %), (all other pools) 1 %, nobody (free) 19 %", "demand of the tree 150 %"},
	} {
		s, err := readStack(context.Background(), heldDatabase(t), "main", c.subject, "cpu", begin, begin.Add(time.Hour))
		if err != nil {
			t.Fatal(err)
		}
		told := func(bands []band) string {
			var parts []string
			for _, b := range bands {
				part := b.Name + " " + percent(mean(b.Values))
				if b.Guaranteed != nil {
					part += " (guaranteed " + percent(mean(b.Guaranteed)) + ")"
				}
				parts = append(parts, part)
			}
			return strings.Join(parts, ", ")
		}
		if told(s.Bands) != c.bands || told(s.Lines) != c.line {
			t.Errorf("%v: bands %s, lines %s", c.subject, told(s.Bands), told(s.Lines))
		}
		for i := range stackBuckets {
			sum, want := int64(0), int64(1_000_000_000)
			for _, b := range s.Bands {
				sum += b.Values[i]
			}
			if sum != want {
				t.Errorf("%v: bucket %d sums to %d, want %d", c.subject, i, sum, want)
			}
		}
	}
}

// The picture has an area per band and a stroke per line, each from edge to edge, and needs no
// script.
func TestThePictureOfWhoHeldTheTree(t *testing.T) {
	begin := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)
	s, err := readStack(context.Background(), heldDatabase(t), "main", element{"pool", "b"}, "cpu", begin, begin.Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	d := Document{Heading: []string{"pool b"}}
	d.held(s)
	var b bytes.Buffer
	if err := WriteDocuments(&b, "html", &audit.Verdict{}, []*Document{&d}); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	_, figure, _ := strings.Cut(page, `<figure class="stack">`)
	figure, _, _ = strings.Cut(figure, "</figure>")
	if n := strings.Count(figure, "<path"); n != len(s.Bands)+len(s.Lines) {
		t.Errorf("%d paths of %d bands and %d lines", n, len(s.Bands), len(s.Lines))
	}
	// All of the tree is the upper edge: the subject's band goes up to 30 % of it, and the next
	// one stands on that, up to 70 % before half past and to 50 % after; it is drawn before, and covered.
	for _, want := range []string{
		`<path class="b0" d="M0 120H600V200H1200V400H0Z"/>
<path class="own" d="M0 280H1200V400H0Z"/>
<path class="line`, `<path class="line guarantee" d="M0 350H1200"/>`,
		"<span>100 %</span><span>75 %</span>", "<span>2025-01-01 00:00:00</span><span>00:30:00</span><span>01:00:00</span>", "its strong guarantee <b>12.5 %</b>",
		"Usage on average, stacked: pool b 30 %, pool c 30 %, pool b2 20 %, (all other pools) 1 %, nobody (free) 19 %.",
	} {
		if !strings.Contains(figure, want) {
			t.Errorf("the picture has no %s", want)
		}
	}
	if strings.Contains(page, "<script") || strings.Contains(page, "style=") {
		t.Error("the page runs a script or has a style of its own")
	}
	if strings.Contains(figure, "cut at") {
		t.Error("nothing is cut")
	}
	s.Lines[2].Values[7] = 3_400_000_000
	if legend := s.Legend(); !strings.HasSuffix(legend[len(legend)-1].Text, " % (cut at 100 %)") {
		t.Errorf("a demand above all of the tree: %v", legend)
	}
	for most, want := range map[int64]string{
		60_000_000: "[10 % 8 % 6 % 4 % 2 % 0 %]", 950_000_000: "[100 % 75 % 50 % 25 % 0 %]", 1_100_000_000: "[125 % 100 % 75 % 50 % 25 % 0 %]", 4_000_000_000: "[400 % 300 % 200 % 100 % 0 %]",
	} {
		used := make([]int64, stackBuckets)
		used[3] = most
		if text := fmt.Sprint((&stack{Bands: []band{{Values: used}}}).Scale()); text != want {
			t.Errorf("up to %d: %s", most, text)
		}
	}
}

// The guarantees of a tree's pools are lines, each on what stands below its pool.
func TestThePictureOfATreeHasItsGuarantees(t *testing.T) {
	begin := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)
	s, err := readStack(context.Background(), heldDatabase(t), "main", element{}, "cpu", begin, begin.Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	want := []shape{{"demand", "M0 0H1200"}, {"guarantee b0", "M0 300H1200"}, {"guarantee b1", "M0 190H600V270H1200"}} // 25 %; 12.5 % on the 40 and 20 % of pool c
	if d := cmp.Diff(want, s.Strokes()); d != "" {
		t.Error(d)
	}
	if text := fmt.Sprint(s.Legend()); !strings.Contains(text, "{b1 pool a 50 % (guaranteed 12.5 %)}") || !strings.Contains(text, "{line guarantee strong guarantee") {
		t.Error(text)
	}
	if _, rows := s.table().forPeople(); fmt.Sprint(rows[:3]) != "[[pool c 30.0 % 40.0 % 25.0 %] [pool a 50.0 % 50.0 % 12.5 %] [(all other pools) 1.0 % 1.0 % ]]" {
		t.Error(rows)
	}
	// A pool that used nothing of its guarantee is there, and the greatest guarantee is lowest.
	db := heldDatabase(t)
	for _, statement := range []string{"INSERT INTO pools VALUES ('main', 'idle', 'idle')", "INSERT INTO pool_intervals VALUES ('main', 'idle', '2025-01-01 00:00', '2025-01-01 01:00', 0, 0, 0.4, 0, 8)"} {
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	if s, err = readStack(context.Background(), db, "main", element{}, "cpu", begin, begin.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if text := s.Sentence(); !strings.Contains(text, "pool idle 0 % (guaranteed 40 %), pool c 30 % (guaranteed 25 %), pool a 50 %") {
		t.Error(text)
	}
}
