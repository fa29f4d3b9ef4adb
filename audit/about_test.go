package audit

import (
	"io/fs"
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
	if len(audits) == 0 {
		return queries.Files
	}
	set := fstest.MapFS{}
	files, err := fs.Glob(queries.Files, "audits/*/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if slices.Contains(audits, strings.TrimSuffix(path.Base(file), ".sql")) {
			set[file] = readQuery(t, file)
		}
	}
	if len(set) != len(audits) {
		t.Fatalf("of the audits %q there are %d", audits, len(set))
	}
	views, err := fs.Glob(queries.Files, "views/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range views {
		set[file] = readQuery(t, file)
	}
	return set
}

func readQuery(t testing.TB, file string) *fstest.MapFile {
	t.Helper()
	text, err := fs.ReadFile(queries.Files, file)
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
