package report

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"html"
	"regexp"
	"strings"
	"testing"
	"time"

	"poolproof/audit"
)

// testDatabase holds the columns of intervals that a page reads: pool prod used a
// quarter of the tree in the first half of the night and three quarters in the
// second, in one row each, and the pool with the hostile name the rest.
func testDatabase(t testing.TB) *sql.DB {
	t.Helper()
	db, err := sql.Open("duckdb", "") // package audit brings the driver
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	columns := func(element string) string {
		return "tree VARCHAR, " + element + ` VARCHAR, from_time TIMESTAMP, to_time TIMESTAMP, usage_ratio_seconds BIGINT, demand_ratio_seconds BIGINT,
			fair_share_ratio_seconds BIGINT, min_share_ratio DOUBLE, usage_ratio_max DOUBLE, limits_share_user_slots DOUBLE, limits_share_cpu DOUBLE,
			limits_share_gpu DOUBLE, limits_share_memory DOUBLE, limits_share_network DOUBLE, usage_share_cpu DOUBLE, fair_share_cpu DOUBLE,
			strong_guarantee_share_cpu DOUBLE, demand_share_cpu DOUBLE, resource_limits_cpu DOUBLE, resource_limits_user_slots DOUBLE AS (1), resource_limits_gpu DOUBLE AS (1),
			resource_limits_memory DOUBLE AS (1), resource_limits_network DOUBLE AS (1)`
	}
	const settings = "max_share_ratio DOUBLE, resource_limits_user_slots DOUBLE, resource_limits_cpu DOUBLE, resource_limits_gpu DOUBLE, resource_limits_memory DOUBLE, resource_limits_network DOUBLE"
	for _, statement := range []string{
		"CREATE TABLE trees (tree VARCHAR, main_resource VARCHAR)",
		"CREATE TABLE pools (tree VARCHAR, pool VARCHAR, path VARCHAR)",
		"CREATE TABLE pool_versions (tree VARCHAR, pool VARCHAR, from_time TIMESTAMP, to_time TIMESTAMP, " + settings + ")",
		"CREATE TABLE operations (tree VARCHAR, operation VARCHAR, pool VARCHAR, " + settings + ")",
		"CREATE TABLE pool_intervals (" + columns("pool") + ")",
		"CREATE TABLE operation_intervals (" + columns("operation") + ")",
		"CREATE TABLE coverage (tree VARCHAR, aspect VARCHAR, state VARCHAR)",
		"CREATE TABLE jobs (tree VARCHAR, pool VARCHAR, operation VARCHAR, start_time TIMESTAMP, end_kind VARCHAR AS (''))",
		"CREATE TABLE preemptions (tree VARCHAR, pool VARCHAR, operation VARCHAR, time TIMESTAMP)",
		"CREATE TABLE starvation_episodes (tree VARCHAR, element_kind VARCHAR, pool VARCHAR, operation VARCHAR, from_time TIMESTAMP, to_time TIMESTAMP, starvation_status VARCHAR)",
		"CREATE TABLE pending_episodes (tree VARCHAR, operation VARCHAR, from_time TIMESTAMP, to_time TIMESTAMP)",
		"CREATE TABLE snapshot_errors (tree VARCHAR, element_kind VARCHAR, pool VARCHAR, operation VARCHAR, field VARCHAR, resource VARCHAR, " +
			"from_time TIMESTAMP, to_time TIMESTAMP, error DOUBLE, recorded DOUBLE, recomputed DOUBLE)",
	} {
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	for _, statement := range []string{
		"INSERT INTO trees VALUES ('main', 'cpu')",
		"INSERT INTO pool_versions BY NAME SELECT 'main' AS tree, 'prod' AS pool, '2023-11-14'::TIMESTAMP AS from_time, '2023-11-15'::TIMESTAMP AS to_time, 8 AS resource_limits_cpu",
		"INSERT INTO jobs VALUES ('main', 'prod', 'x', '2023-11-14 22:10'), ('main', 'prod', 'x', '2023-11-14 22:11'), ('main', 'prod', 'x', '2023-11-14 21:00'), ('main', 'other', 'y', '2023-11-14 22:10')",
		"INSERT INTO preemptions VALUES ('main', 'prod', 'x', '2023-11-14 22:16'), ('main', 'other', 'y', '2023-11-14 22:16')",
		"INSERT INTO starvation_episodes VALUES ('main', 'pool', 'prod', NULL, '2023-11-14 22:16', '2023-11-14 22:27', 'starving'), ('main', 'pool', 'prod', NULL, '2023-11-14 22:22', '2023-11-14 22:23', 'aggressively_starving'), ('main', 'operation', 'prod', 'x', '2023-11-14 22:00', '2023-11-14 22:30', 'starving')",
	} {
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	put := func(pool string, from, to string, usage, guarantee float64) {
		b, _ := time.Parse(time.RFC3339, from)
		e, _ := time.Parse(time.RFC3339, to)
		sum := int64(usage * e.Sub(b).Seconds() * 1e9)
		if _, err := db.Exec("INSERT INTO pool_intervals VALUES ('main', ?, ?, ?, ?, ?, ?, ?, ?, 1, 0.75, 0, 1, 0, ?, ?, ?, ?, 8)", pool, b, e, sum, 2*sum, sum/2, guarantee, usage+0.125, usage, usage/2, guarantee, 2*usage); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"prod", hostile, rootName} {
		if _, err := db.Exec("INSERT INTO pools VALUES ('main', ?, ?)", name, name); err != nil {
			t.Fatal(err)
		}
	}
	put("prod", "2023-11-14T00:00:00Z", "2023-11-14T12:00:00Z", 0.25, 0.5)
	put("prod", "2023-11-14T12:00:00Z", "2023-11-15T00:00:00Z", 0.75, 0.5)
	put(hostile, "2023-11-14T12:00:00Z", "2023-11-14T18:00:00Z", 0.25, 0)
	put(rootName, "2023-11-14T00:00:00Z", "2023-11-15T00:00:00Z", 0.5, 0.5)
	return db
}

func pageOf(t testing.TB, v *audit.Verdict, db *sql.DB) string {
	t.Helper()
	var b bytes.Buffer
	if err := HTML(context.Background(), &b, v, db); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Rows are cut at the borders of buckets and their sums are shared out.
func TestSeriesAreMeansOverBuckets(t *testing.T) {
	db := testDatabase(t)
	begin := time.Date(2023, 11, 14, 10, 0, 0, 0, time.UTC)
	series, err := readSeries(context.Background(), db, "pool_intervals", []frame{
		newFrame("main", "prod", begin, begin.Add(4*time.Hour), 4),
		newFrame("main", "prod", begin.Add(time.Hour), begin.Add(4*time.Hour), 1),
		newFrame("main", hostile, begin, begin.Add(10*time.Hour), 5),
		newFrame("main", "nobody", begin, begin.Add(10*time.Hour), 2),
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{
		"3600s 0.2500 of 0.5000/0.5000 | 3600s 0.2500 of 0.5000/0.5000 | 3600s 0.7500 of 0.5000/1.5000 | 3600s 0.7500 of 0.5000/1.5000",
		"10800s 0.5833 of 0.5000/1.1667",
		"none | 7200s 0.2500 of 0.0000/0.5000 | 7200s 0.2500 of 0.0000/0.5000 | 7200s 0.2500 of 0.0000/0.5000 | none",
		"none | none",
	} {
		var got []string
		for _, p := range series[i] {
			if p == nil {
				got = append(got, "none")
				continue
			}
			got = append(got, fmt.Sprintf("%.0fs %.4f of %.4f/%.4f", p.Seconds, p.Usage, p.Guarantee, p.Demand))
			wantLimit := 0.75
			if i == 2 { // nothing is set: what its nodes leave is no limit
				wantLimit = 1
			}
			if p.Limit != wantLimit {
				t.Errorf("frame %d: limit %v, want %v", i, p.Limit, wantLimit)
			}
		}
		if text := strings.Join(got, " | "); text != want {
			t.Errorf("frame %d:\n%s\nwant\n%s", i, text, want)
		}
	}
}

// Whatever a pool is called, the page holds no element of its making, and nothing
// of the page is anywhere else.
func TestThePageStandsAloneAndEscapes(t *testing.T) {
	text := pageOf(t, fullNight(), testDatabase(t))
	if n := strings.Count(text, "<script"); n != 3 {
		t.Errorf("%d scripts, want the data and two", n)
	}
	if strings.Contains(text, "<script>alert") {
		t.Error("a pool's name became a script")
	}
	if !strings.Contains(text, "&lt;script&gt;alert(1)&lt;/script&gt;") {
		t.Error("the pool's name is not on the page")
	}
	for _, outside := range []string{`(?i)<(link|img|iframe|object|embed|base|form)\b`, `(?i)\s(src|href|action|poster)\s*=\s*["']?(?:[a-z]+:|//)`, `(?i)url\(`, `(?i)@import`} {
		if m := regexp.MustCompile(outside).FindString(text); m != "" {
			t.Errorf("the page refers to something outside: %s", m)
		}
	}
	urls := regexp.MustCompile(`https?://[^\s"')]*`).FindAllString(text, -1)
	if len(urls) != 1 || !strings.HasSuffix(urls[0], "/uPlot") { // the library's own comment
		t.Errorf("addresses on the page: %v", urls)
	}
	if again := pageOf(t, fullNight(), testDatabase(t)); again != text {
		t.Error("the same run gives another page")
	}
	for _, id := range regexp.MustCompile(`href="#([^"]+)"`).FindAllStringSubmatch(text, -1) {
		if !strings.Contains(text, `id="`+id[1]+`"`) {
			t.Errorf("a link to #%s, which is nowhere", id[1])
		}
	}
	ids := map[string]bool{}
	for _, id := range regexp.MustCompile(`\sid="([^"]+)"`).FindAllStringSubmatch(text, -1) {
		if ids[id[1]] {
			t.Errorf("the id %s stands twice", id[1])
		}
		ids[id[1]] = true
	}
}

// A browser runs what the page's policy names by digest and nothing else.
func TestThePolicyAllowsTheScriptsOfThePage(t *testing.T) {
	text := pageOf(t, fullNight(), testDatabase(t))
	policy := html.UnescapeString(regexp.MustCompile(`Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(text)[1])
	if !strings.HasPrefix(policy, "default-src 'none';") || strings.Contains(policy, "unsafe") {
		t.Errorf("policy %s", policy)
	}
	bodies := regexp.MustCompile(`(?s)<(?:script|style)>(.*?)</(?:script|style)>`).FindAllStringSubmatch(text, -1)
	if len(bodies) != 3 {
		t.Fatalf("%d scripts and styles", len(bodies))
	}
	for _, body := range bodies {
		if !strings.Contains(policy, "'"+digestOf(body[1])+"'") {
			t.Errorf("not allowed: %.60s", body[1])
		}
	}
}

// The data of the charts are what the database holds.
func TestThePageCarriesItsTimelines(t *testing.T) {
	text := pageOf(t, fullNight(), testDatabase(t))
	m := regexp.MustCompile(`(?s)<script type="application/json" id="data">(.*?)</script>`).FindStringSubmatch(text)
	var data []struct {
		Usage, Guarantee, Limit []*int
		Marks                   []mark
	}
	if err := json.Unmarshal([]byte(m[1]), &data); err != nil {
		t.Fatal(err)
	}
	drawn := regexp.MustCompile(`data-chart="(\d+)"`).FindAllStringSubmatch(text, -1)
	if len(data) != len(drawn) || len(data) < 3 {
		t.Fatalf("%d timelines, %d places", len(data), len(drawn))
	}
	prod := data[0]
	if len(prod.Usage) != chartBuckets || *prod.Guarantee[0] != 5000 || *prod.Limit[0] != 7500 || len(prod.Marks) != 2 {
		t.Errorf("%+v", prod.Marks)
	}
	for i, n := range prod.Usage { // a quarter of the tree, and from noon on two more
		if want := map[int]int{0: 2500, chartBuckets / 2: 5000}[i]; *n != want {
			t.Errorf("in bucket %d usage goes up by %d, want %d", i, *n, want)
		}
	}
	if strange := data[1]; strange.Usage[0] != nil || strange.Guarantee != nil || len(strange.Marks) != 1 || strange.Marks[0].Verdict != "suspect" {
		t.Errorf("%+v", strange.Marks)
	}
}

// A page stays a page: what a flood of findings does not show is counted.
func TestAPageIsBounded(t *testing.T) {
	v := fullNight()
	for i := range 20_000 {
		f := v.Findings[0]
		f.ID, f.Incident, f.From, f.To = fmt.Sprintf("f%011d", i), "", at(i), at(i+60)
		f.Subject = fmt.Sprintf("pool%d", i)
		v.Findings = append(v.Findings, f)
		p := v.Promises[0]
		p.Subject, p.Path = f.Subject, f.Subject
		v.Promises = append(v.Promises, p)
		v.Fixed = append(v.Fixed, f)
	}
	text := pageOf(t, v, testDatabase(t))
	if len(text) > 1<<20 {
		t.Errorf("%d bytes", len(text))
	}
	for _, want := range []string{"more, none of them worse", "And 19,951 more;", "And 19,885 more;"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
}
