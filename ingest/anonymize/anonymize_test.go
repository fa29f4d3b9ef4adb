package anonymize

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"poolproof/core"
	"poolproof/core/pooltree"
	"poolproof/ingest/codes"
	"poolproof/ingest/trace"
)

// secret is in every text of the traces of these tests that may be a name.
const secret = "Zq7x"

// filler gives texts with the secret in it.
type filler struct{ n int }

// fill sets every text of a row to another secret. Columns of JSON hold secrets as keys, as
// values, and under every option there is.
func (f *filler) fill(v reflect.Value, name string) {
	switch {
	case v.Kind() == reflect.String:
		f.n++
		v.SetString(fmt.Sprintf("%s-%s-%d", secret, name, f.n))
		if strings.HasSuffix(name, "JSON") {
			v.SetString(f.json())
		}
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			field := v.Type().Field(i).Name
			if field == "Value" {
				field = name
			}
			f.fill(v.Field(i), field)
		}
		if set := v.FieldByName("Set"); set.IsValid() && v.FieldByName("Value").Kind() == reflect.String {
			set.SetBool(true)
		}
	}
}

func (f *filler) json() string {
	var b strings.Builder
	fmt.Fprintf(&b, `{"%s-key": "%s", "weight": "%s text"`, secret, secret, secret)
	for i, option := range slices.Sorted(maps.Keys(words)) {
		values := []string{`"` + secret + `-a"`, `["` + secret + `-b", 1]`, `{"` + secret + `-c": {"pool": "` + secret + `", "` + secret + `": "` + secret + `"}}`}
		fmt.Fprintf(&b, `, %q: %s`, option, values[(i+f.n)%len(values)])
	}
	for option := range shapes {
		if !words[option] {
			fmt.Fprintf(&b, `, %q: "%s"`, option, secret)
		}
	}
	return b.String() + "}"
}

// filled is a row with secrets in it.
func filled[T any](f *filler, stamp func(*T)) *T {
	var row T
	f.fill(reflect.ValueOf(&row).Elem(), "")
	if stamp != nil {
		stamp(&row)
	}
	return &row
}

// secretTrace writes a trace of some rows in each table, all texts of which are secrets.
func secretTrace(t *testing.T, dir string) {
	t.Helper()
	w, err := trace.Create(dir, trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	f := &filler{}
	tree := w.Tree(secret + " tree")
	for i := range 3 {
		seq := tree.NextSeq()
		for _, err := range []error{
			w.Add(filled(f, func(r *trace.Operation) { r.Op = core.OperationID(i) })),
			w.Add(filled(f, func(r *trace.Pool) { r.Pool = core.PoolID(i); r.Name += "$" + r.Name })),
			w.Add(filled(f, func(r *trace.Node) { r.Node = core.NodeID(i) })),
			w.Add(filled(f, func(r *trace.ClusterConfig) { r.Seq = seq })),
			w.Add(filled(f, func(r *trace.ProcessEvent) { r.Seq = seq })),
			w.Add(filled[trace.Problem](f, nil)),
			w.Add(filled(f, func(r *trace.NodeState) { r.Seq = seq })),
			tree.Add(filled(f, func(r *trace.TreeConfig) { r.Seq = seq })),
			tree.Add(filled(f, func(r *trace.PoolConfig) { r.Seq = seq })),
			tree.Add(filled(f, func(r *trace.NodeState) { r.Seq = seq; r.Tags += "," + r.Tags + "b" })),
			tree.Add(filled(f, func(r *trace.Heartbeat) { r.Seq = seq })),
			tree.Add(filled(f, func(r *trace.Job) { r.Seq, r.Job = seq, core.JobID(i) })),
			tree.Add(filled(f, func(r *trace.Allocation) { r.Seq = seq })),
			tree.Add(filled(f, func(r *trace.OpEvent) { r.Seq = seq })),
			tree.Add(filled(f, func(r *trace.Demand) { r.Seq = seq })),
			tree.Add(filled(f, func(r *trace.SnapTree) { r.Seq = seq })),
			tree.Add(filled(f, func(r *trace.SnapPool) { r.Seq = seq })),
			tree.Add(filled(f, func(r *trace.SnapOp) { r.Seq = seq })),
			tree.Add(filled(f, func(r *trace.Accumulated) { r.Seq = seq })),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	err = w.Commit(trace.Manifest{Cluster: secret, CreatedBy: secret, Sources: []trace.Source{{Path: secret}}, Dialect: []string{secret}, Notes: []string{secret},
		Log: &trace.Log{Unknown: map[string]int64{secret: 1}}, Window: trace.Window{From: 0, To: 1}})
	if err != nil {
		t.Fatal(err)
	}
}

// copied copies a trace under other names.
func copied(t *testing.T, from string) (string, *Result) {
	t.Helper()
	to := filepath.Join(t.TempDir(), "copy")
	w, err := trace.Create(to, trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	result, m, err := Copy(t.Context(), from, nil, w)
	if err != nil {
		t.Fatal(err)
	}
	m.CreatedBy = "test"
	if err := w.Commit(m); err != nil {
		t.Fatal(err)
	}
	return to, result
}

// TestNoNameIsInAnyByteOfTheCopy looks for the secrets in names of files, in their bytes, and
// in all that is packed in them.
func TestNoNameIsInAnyByteOfTheCopy(t *testing.T) {
	from := filepath.Join(t.TempDir(), "trace")
	secretTrace(t, from)
	if found := leaks(t, from); len(found) < 100 {
		t.Fatalf("in the trace itself are only %q", found)
	}
	to, _ := copied(t, from)
	if found := leaks(t, to); len(found) > 0 {
		t.Errorf("in the copy are %q", found)
	}
	m, err := trace.ReadManifest(to)
	if err != nil {
		t.Fatal(err)
	}
	before, err := trace.ReadManifest(from)
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Tables) != len(before.Tables) || len(m.Tables) < 19 {
		t.Errorf("the copy has %d tables, the trace %d", len(m.Tables), len(before.Tables))
	}
}

// leaks are the places of secrets below a directory.
func leaks(t *testing.T, dir string) (places []string) {
	t.Helper()
	look := func(place string, b []byte) {
		if bytes.Contains(bytes.ToLower(b), []byte(strings.ToLower(secret))) {
			places = append(places, place)
		}
	}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		look("name of "+name, []byte(name))
		if e.IsDir() {
			return nil
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		look(name, b)
		if !strings.HasSuffix(path, ".parquet") {
			return nil
		}
		f, err := parquet.OpenFile(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			return err
		}
		values := 0
		for _, group := range f.RowGroups() {
			for i, chunk := range group.ColumnChunks() {
				place := fmt.Sprintf("%s column %s", name, f.Schema().Columns()[i][0])
				pages := chunk.Pages()
				for {
					page, err := pages.ReadPage()
					if errors.Is(err, io.EOF) {
						break
					}
					if err != nil {
						return err
					}
					if d := page.Dictionary(); d != nil {
						for k := range d.Len() {
							look(place+" (dictionary)", d.Index(int32(k)).Bytes())
						}
					}
					list := make([]parquet.Value, page.NumValues())
					n, err := page.Values().ReadValues(list)
					if err != nil && !errors.Is(err, io.EOF) {
						return err
					}
					for _, v := range list[:n] {
						values++
						look(place, v.Bytes())
					}
				}
				if err := pages.Close(); err != nil {
					return err
				}
			}
		}
		if values == 0 {
			t.Errorf("%s holds nothing", name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return places
}

// TestTheOrderFollowsFromTheKey: the numbers of names say nothing of their alphabetical order, and
// the same key gives the same ones.
func TestTheOrderFollowsFromTheKey(t *testing.T) {
	numbers := func(key string) (all []string) {
		n := names{kinds: map[string]kind{}, key: []byte(key)}
		for range 2 {
			all = nil
			for i := range 50 {
				all = append(all, n.pool(fmt.Sprintf("team-%02d", i)))
			}
			n.chooseReplacements()
		}
		return all
	}
	a, b := numbers("one key of many"), numbers("another key")
	if slices.IsSorted(a) || slices.IsSorted(b) || slices.Equal(a, b) || !slices.Equal(a, numbers("one key of many")) {
		t.Errorf("the orders are %v and %v", a, b)
	}
}

func TestTheSameNameHasTheSameReplacement(t *testing.T) {
	n := names{kinds: map[string]kind{}}
	run := func() []string {
		return []string{
			n.replace(userName, "anna"), n.pool("adhoc$anna"), n.pool("anna"), n.pool("zebra"), n.pool("adhoc"), n.replace(treeName, "gpu"), n.list(tagName, "gpu,ssd"),
			n.formula(tagName, "gpu & !(ssd|%true) | \xff"), n.pool(pooltree.RootName),
			n.json(`{"user_to_default_pool_map": {"anna": "zebra", "cpu": "adhoc"}, "weight": 2.5, "mode": "fifo", "resource_limits": {"cpu": 3, "anna": 4},
				"pool_trees": ["gpu"], "spec": 7, "config_preset": "big", "template_pool_tree_config_map": {"t": {"filter": "gpu", "priority": 1, "config": {"nodes_filter": "ssd"}}}}`, options),
			n.json(`no JSON: anna`, options),
		}
	}
	run()
	n.chooseReplacements()
	got := run()
	want := []string{
		"pool-2", "pool-1$pool-2", "pool-2", "pool-0", "pool-1", "tree-0", "tag-0,tree-0", // in the order of no key
		"tree-0 & ! ( tag-0 | %true ) | ?", "<Root>",
		`{"config_preset":"preset-1","mode":"fifo","pool_trees":["tree-0"],"resource_limits":{"cpu":3},"template_pool_tree_config_map":{"preset-0":{"config":{"nodes_filter":"tag-0"},"filter":"tree-0","priority":1}},"user_to_default_pool_map":{"pool-2":"pool-0","user-0":"pool-1"},"weight":2.5}`,
		"?",
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("it is\n%s\nwant\n%s", got[i], want[i])
		}
	}
}

// TestWhatIsNoNameStays compares the rows of a trace without texts with those of its copy.
func TestWhatIsNoNameStays(t *testing.T) {
	from := filepath.Join(t.TempDir(), "trace")
	w, err := trace.Create(from, trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	tree := w.Tree("t")
	some := core.Some[string]
	job := trace.Job{Stamp: trace.Stamp{Time: 5, Seq: 1}, Job: 7, ID: "j", EndKind: "aborted", AbortReason: some("preemption"), PreemptedForJob: some("k"), FinishTime: core.Some(core.Time(9)), Limits: trace.Resources{UserSlots: 1, CPUMilli: 2500, Memory: 1 << 30}}
	if err := errors.Join(w.Add(&trace.Pool{Tree: "t", Name: "p"}), w.Add(&trace.Operation{ID: "o", Type: "map_reduce"}), tree.Add(&job),
		tree.Add(&trace.Job{Stamp: trace.Stamp{Time: 5, Seq: 2}, Job: 8, ID: "k", PredecessorJob: some("gone")}),
		tree.Add(&trace.Job{Stamp: trace.Stamp{Time: 6, Seq: 3}, Job: 9, ID: "j"})); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(trace.Manifest{Window: trace.Window{From: 0, To: 10}, Profile: "current"}); err != nil {
		t.Fatal(err)
	}
	to, result := copied(t, from)
	var jobs []trace.Job
	if err := trace.EachRow(filepath.Join(to, trace.TreeDir("tree-0")), trace.Jobs, 0, func(r *trace.Job) error {
		jobs = append(jobs, *r)
		return nil
	}); err != nil || len(jobs) != 3 {
		t.Fatalf("%d jobs, %v", len(jobs), err)
	}
	want := job
	want.ID, want.PreemptedForJob = "job-7", some("job-8")
	if jobs[0] != want || jobs[1].PredecessorJob != some("other-job-0") || jobs[2].ID != "job-7" {
		t.Errorf("the jobs are %+v", jobs)
	}
	for subject, want := range map[[2]string]string{{"job", "j"}: "job-7", {"job", "k"}: "job-8", {"operation", "o"}: "operation-0", {"pool", "p"}: "pool-0", {"pool", "x/p"}: "x/pool-0", {"tree", "t"}: "tree-0"} {
		if got, err := result.Subject(subject[0], subject[1]); err != nil || got != want {
			t.Errorf("%v is called %q, %v, want %q", subject, got, err, want)
		}
	}
	m, err := trace.ReadManifest(to)
	if err != nil || m.Profile != "current" || !slices.Equal(m.Trees, []string{"tree-0"}) {
		t.Errorf("manifest %+v, %v", m, err)
	}
}

// TestUnknownWordsAreNames: a word that the format does not declare may be of a stranger, though it
// has the form of an enumeration.
func TestUnknownWordsAreNames(t *testing.T) {
	e := &editor{names: names{kinds: map[string]kind{}, key: []byte("k")}, referred: map[string]core.JobID{}, listed: map[string]int64{}, collecting: true}
	edit := func() (trace.Job, trace.SnapPool, trace.Problem, trace.Operation) {
		job := trace.Job{EndKind: "aborted", AbortReason: core.Some("preempted_by_team_rocket"), PreemptReason: core.Some("preemption"), Type: core.Some("rocket_job")}
		pool := trace.SnapPool{Mode: "fair_share", SnapShares: trace.SnapShares{Dominant: "cpu", StarvationStatus: "starving_rocket"}}
		problem := trace.Problem{Code: "bad_rocket", Column: core.Some("weight")}
		operation := trace.Operation{Type: "map,rocket_op"}
		for table, row := range map[string]any{"jobs": &job, "snap_pools": &pool, "problems": &problem, "operations": &operation} {
			e.edit(trace.Named(table), "", row)
		}
		return job, pool, problem, operation
	}
	edit()
	e.collecting = false
	e.names.chooseReplacements()
	job, pool, problem, operation := edit()
	text := fmt.Sprintf("%v %v %v %v", job, pool, problem, operation)
	if strings.Contains(text, "rocket") || strings.Count(text, "other-") != 5 {
		t.Errorf("words of a stranger: %s", text)
	}
	if job.EndKind != "aborted" || job.PreemptReason.Value != "preemption" || pool.Mode != "fair_share" || pool.Dominant != "cpu" || problem.Column.Value != "weight" || !strings.HasPrefix(operation.Type, "map,other-") {
		t.Errorf("words of the format: %s", text)
	}
}

// TestCodesOfImportsAreWords: a problem that an import finds has the same code in a copy.
func TestCodesOfImportsAreWords(t *testing.T) {
	codes := 0
	for _, file := range []string{"../problems.go", "../swf/codes.go", "../ytsaurus/codes.go", "../joblog/table.go"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range regexp.MustCompile(`(?m)^\t\w+ += "([a-z_0-9]+)"`).FindAllStringSubmatch(string(text), -1) {
			if codes++; !words[found[1]] {
				t.Errorf("%s: %s is not in ingest/trace/words.go", file, found[1])
			}
		}
	}
	if codes < 80 {
		t.Errorf("%d codes", codes)
	}
}

// TestCodesOfProblemsAreKept: the codes of no import are names. Those of openb and google2011 became other-N: they were
// missing in a list of the words of the format.
func TestCodesOfProblemsAreKept(t *testing.T) {
	e := &editor{names: names{kinds: map[string]kind{}, key: []byte("k")}, listed: map[string]int64{}, collecting: true}
	for _, collecting := range []bool{true, false} {
		if e.collecting = collecting; !collecting {
			e.names.chooseReplacements()
		}
		for finder, of := range codes.Explanations() {
			if len(of) == 0 {
				t.Errorf("%s finds no problem", finder)
			}
			for code := range of {
				problem := trace.Problem{Code: code}
				if e.edit(trace.Named("problems"), "", &problem); problem.Code != code {
					t.Errorf("%s of %s became %s", code, finder, problem.Code)
				}
			}
		}
	}
}
