package audit

import (
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"poolproof/queries"
)

// about is the project's views with the named audits only, or with all if none is
// named. A test names those that it is about: to run them all takes most of its
// time. TestFindingsAreTheSameBytesWhateverTheWorkers runs everything.
func about(t testing.TB, audits ...string) fs.FS {
	t.Helper()
	if len(audits) == 0 && os.Getenv(mutantVariable) == "" {
		return queries.Files
	}
	set := fstest.MapFS{}
	files, err := fs.Glob(queries.Files, "audits/*/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if len(audits) == 0 || slices.Contains(audits, strings.TrimSuffix(path.Base(file), ".sql")) {
			set[file] = readQuery(t, file)
		}
	}
	if len(audits) > 0 && len(set) != len(audits) {
		t.Fatalf("of the audits %q there are %d", audits, len(set))
	}
	views, err := fs.Glob(queries.Files, "views/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(views, orderFile) {
		set[file] = readQuery(t, file)
	}
	return set
}

// readQuery reads one of the project's files, or the mutant of it that is to be met.
func readQuery(t testing.TB, file string) *fstest.MapFile {
	t.Helper()
	text, err := fs.ReadFile(queries.Files, file)
	if disk, ok := strings.CutPrefix(os.Getenv(mutantVariable), file+"="); ok {
		text, err = os.ReadFile(disk)
	}
	if err != nil {
		t.Fatal(err)
	}
	return &fstest.MapFile{Data: text}
}

// judging are the audits that grade promises.
func judging(t testing.TB) (ids []string) {
	t.Helper()
	audits, err := ReadAudits(queries.Files)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range audits {
		if len(a.Judges)+len(a.Breaks) > 0 {
			ids = append(ids, a.ID)
		}
	}
	return ids
}

// TestEveryAuditSaysWhyItSawNothing: of a tree without anything each audit gives a row,
// and the reason is its own. Of a mutant only that audit is asked.
func TestEveryAuditSaysWhyItSawNothing(t *testing.T) {
	t.Parallel()
	var ids []string
	if file, _, ok := strings.Cut(os.Getenv(mutantVariable), "="); ok && strings.HasPrefix(file, "audits/") {
		ids = append(ids, strings.TrimSuffix(path.Base(file), ".sql"))
	}
	r := newTestRun(t)
	r.addTree("bare", whole("heartbeats", "recorded", "tree_config", "history", "pool_config", "history"))
	for _, o := range r.judge(ids...).Outcomes {
		if (o.Seen == 0) != (o.Verdict == Undecidable || o.Verdict == Idle) {
			t.Errorf("%s saw %d %s and is %s", o.Audit.ID, o.Seen, o.SeenUnit, o.Verdict)
		}
		if o.Seen == 0 && (o.Reason == "" || o.Reason == sawNothing) {
			t.Errorf("%s does not say why it saw nothing", o.Audit.ID)
		}
	}
}
