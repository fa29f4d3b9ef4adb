package docs

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"
)

// A layer is one row of the import tables in the READMEs: which of our packages,
// and which third-party modules, the packages under a path may import.
type layer struct {
	path   string
	ours   []string
	others []string // nil: only the standard library
	reason string
}

var layers = []layer{
	{"poolproof/core/coretest", []string{"poolproof/core"}, []string{"github.com/cockroachdb/datadriven"}, "the scenario language drives the core"},
	{"poolproof/core/resource", nil, nil, "amounts stand alone"},
	{"poolproof/core/chain", nil, nil, "lists stand alone"},
	{"poolproof/core/prefetch", nil, nil, "memory stands alone"},
	{"poolproof/core/rows", nil, nil, "a declaration knows neither files nor what columns mean"},
	{"poolproof/core/spec", nil, nil, "rules are stated before anything judges by them"},
	{"poolproof/core/spelling", nil, nil, "it knows words alone"},
	{"poolproof/core/quantity", nil, nil, "it knows numbers alone"},
	{"poolproof/core/pooltree", []string{"poolproof/core/resource", "poolproof/core/spec", "poolproof/core/spelling"}, nil, "where an operation belongs needs no shares"},
	{"poolproof/core/fairshare", []string{"poolproof/core/resource", "poolproof/core/prefetch"}, nil, "shares follow from amounts"},
	{"poolproof/core/scheduling", []string{"poolproof/core/resource", "poolproof/core/chain", "poolproof/core/prefetch", "poolproof/core/pooltree", "poolproof/core/fairshare"}, nil, "heartbeats go by shares, and know no log"},
	{"poolproof/core/judge", []string{"poolproof/core/spec", "poolproof/core/quantity", "poolproof/core/resource", "poolproof/core/scheduling", "poolproof/core/fairshare"}, nil, "a ruling goes by what it is given, and asks no tree of the log"},
	{"poolproof/core", []string{"poolproof/core"}, nil, "the core is pure: no input, no output, no library"},
	{"poolproof/ingest/input", []string{"poolproof/core/spelling"}, nil, "opening a file needs the words of its errors alone"},
	{"poolproof/ingest/parquetlog", []string{"poolproof/core", "poolproof/ingest/input", "poolproof/ingest/parquetlog"}, []string{"github.com/parquet-go", "github.com/klauspost/compress", "github.com/andybalholm/brotli", "github.com/pierrec/lz4/v4"}, "Parquet files are read and written without knowing what they mean"},
	{"poolproof/ingest/yson", nil, nil, "a format stands alone"},
	{"poolproof/ingest/shrink", []string{"poolproof/core", "poolproof/ingest/parquetlog", "poolproof/ingest/trace"}, []string{"golang.org/x/sync"}, "a trace is cut by what it holds; whether the rest shows a finding is asked of whoever calls"},
	{"poolproof/ingest", []string{"poolproof/core", "poolproof/ingest"}, []string{"github.com/parquet-go/parquet-go", "github.com/goccy/go-yaml", "go.yaml.in/yaml/v3", "github.com/klauspost/compress", "golang.org/x/sys/unix"}, "ingest turns logs into events and knows of nothing later"},
	{"poolproof/replay/tables", []string{"poolproof/core", "poolproof/ingest/input", "poolproof/replay/tables"}, []string{"github.com/apache/arrow/go/v17"}, "the result tables are the only place that writes Arrow"},
	{"poolproof/replay", []string{"poolproof/core", "poolproof/ingest/input", "poolproof/replay"}, []string{"golang.org/x/sync"}, "replay drives cores and never learns of Parquet"},
	{"poolproof/audit/report/perfetto", []string{"poolproof/audit/report/perfetto"}, []string{"google.golang.org/protobuf/encoding/protowire"}, "a format stands alone"},
	{"poolproof/audit/report", []string{"poolproof/audit", "poolproof/audit/report", "poolproof/core/quantity", "poolproof/core/pooltree", "poolproof/core/scheduling", "poolproof/core/spec", "poolproof/core/spelling", "poolproof/ingest/atomicdir", "poolproof/replay/tables"}, nil, "reports turn findings into text"},
	{"poolproof/audit", []string{"poolproof/core", "poolproof/ingest/input", "poolproof/ingest/atomicdir", "poolproof/replay/tables", "poolproof/audit"}, []string{"github.com/apache/arrow/go/v17", "github.com/marcboeker/go-duckdb", "github.com/goccy/go-yaml", "golang.org/x/sync"}, "audits see result tables, never a trace"},
	{"poolproof/queries", nil, nil, "SQL stands alone"},
	{"poolproof/cmd/poolproof/exit", nil, nil, "numbers stand alone"},
	{"poolproof/cmd/poolproof/caught", nil, nil, "what it imports is initialized before signals are caught"},
	{"poolproof/cmd/poolproof/commandtest", []string{"poolproof/cmd/poolproof/exit", "poolproof/core", "poolproof/ingest", "poolproof/replay", "poolproof/audit", "poolproof/queries"}, []string{"github.com"}, "the tests of the commands import it, and cannot do so if it imports them"},
	{"poolproof/cmd/poolproof/command", []string{"poolproof/cmd/poolproof/exit", "poolproof/cmd/poolproof/caught", "poolproof/core", "poolproof/ingest", "poolproof/replay", "poolproof/audit", "poolproof/queries"}, []string{"github.com", "golang.org"}, "stages meet there, and what tests share is not shipped"},
	{"poolproof/cmd", []string{"poolproof/cmd"}, nil, "main calls the commands, and its tests have packages of their own"},
}

func within(path string, roots []string) bool {
	for _, r := range roots {
		if path == r || strings.HasPrefix(path, r+"/") {
			return true
		}
	}
	return false
}

// breach returns why a package may not import another, or "".
func breach(pkg, imported string) string {
	for _, l := range layers {
		if !within(pkg, []string{l.path}) {
			continue
		}
		if within(imported, []string{"poolproof"}) {
			if within(imported, l.ours) {
				return ""
			}
		} else if !strings.Contains(strings.Split(imported, "/")[0], ".") || within(imported, l.others) {
			return ""
		}
		return pkg + " imports " + imported + ", but " + l.reason
	}
	return pkg + " is in no layer of the import table"
}

// TestImports checks the import tables of the READMEs over all packages.
func TestImports(t *testing.T) {
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports", "poolproof/...")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for d := json.NewDecoder(strings.NewReader(string(out))); d.More(); {
		var pkg struct {
			ImportPath string
			Imports    []string
		}
		if err := d.Decode(&pkg); err != nil {
			t.Fatal(err)
		}
		for _, imported := range pkg.Imports {
			if imported == "C" || imported == "unsafe" {
				continue
			}
			seen++
			if why := breach(pkg.ImportPath, imported); why != "" {
				t.Error(why)
			}
		}
	}
	if seen == 0 {
		t.Fatal("no imports seen")
	}
}

// TestImportsFindsBreach plants breaches of the table.
func TestImportsFindsBreach(t *testing.T) {
	for _, planted := range [][2]string{
		{"poolproof/core", "poolproof/ingest"},
		{"poolproof/core/fairshare", "golang.org/x/sync/errgroup"},
		{"poolproof/core/scheduling", "poolproof/core/judge"},
		{"poolproof/core/judge", "poolproof/core"},
		{"poolproof/ingest/swf", "poolproof/replay"},
		{"poolproof/replay", "github.com/apache/arrow/go/v17/arrow"},
		{"poolproof/audit", "poolproof/replay"},
		{"poolproof/queries", "poolproof/core"},
		{"poolproof/cmd/poolproof", "poolproof/audit"},
		{"poolproof/cmd/poolproof/command", "poolproof/cmd/poolproof/commandtest"},
		{"poolproof/cmd/poolproof/commandtest", "poolproof/cmd/poolproof/command"},
		{"poolproof/elsewhere", "fmt"},
	} {
		if breach(planted[0], planted[1]) == "" {
			t.Errorf("%s importing %s goes unnoticed", planted[0], planted[1])
		}
	}
}

// TestOneArrow checks that one Arrow major enters the build: two export the
// same C symbols and cannot be linked, and go-duckdb later than v1.8.2 brings
// another.
func TestOneArrow(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{.Path}} {{.Version}}{{end}}", "poolproof/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	versions := map[string]string{}
	for _, line := range strings.Split(string(out), "\n") {
		if path, v, ok := strings.Cut(line, " "); ok {
			versions[path] = v
		}
	}
	for path := range versions {
		if strings.HasPrefix(path, "github.com/apache/arrow") && path != "github.com/apache/arrow/go/v17" {
			t.Errorf("%s entered the build: pin github.com/marcboeker/go-duckdb v1.8.2 and arrow/go/v17", path)
		}
	}
	for path, want := range map[string]string{
		"github.com/apache/arrow/go/v17":   "v17.0.0",
		"github.com/parquet-go/parquet-go": "v0.32.0",
		"github.com/marcboeker/go-duckdb":  "v1.8.2",
		"github.com/spf13/pflag":           "v1.0.10",
		"golang.org/x/sync":                "v0.24.0",
	} {
		if versions[path] != want {
			t.Errorf("%s is %q in the build, want %s", path, versions[path], want)
		}
	}
}
