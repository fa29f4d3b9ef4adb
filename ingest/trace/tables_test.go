package trace

import (
	"path/filepath"
	"strings"
	"testing"

	"poolproof/ingest/parquetlog"
)

func TestEveryColumnIsExplained(t *testing.T) {
	for _, table := range Tables {
		if table.Doc == "" {
			t.Errorf("table %s is not explained", table.Name)
		}
		seen := map[string]bool{}
		for _, c := range table.Columns {
			if c.Doc == "" || strings.Contains(c.Doc, ": : ") {
				t.Errorf("column %s.%s is not explained: %q", table.Name, c.Name, c.Doc)
			}
			if seen[c.Name] || c.Name == "" || c.Name != strings.ToLower(c.Name) {
				t.Errorf("table %s has the column %q twice, or it has no name", table.Name, c.Name)
			}
			seen[c.Name] = true
		}
	}
}

// The encodings are those of ingest/trace/FORMAT.md §3.6.
func TestColumnsHaveTheirEncoding(t *testing.T) {
	for _, table := range Tables {
		for _, c := range table.Columns {
			want := c.Encoding
			switch {
			case c.Type == parquetlog.Time || c.Name == "seq" || c.Name == "job_ix":
				want = parquetlog.Delta
			case c.Type == parquetlog.Double || c.Type == parquetlog.Bool || c.Bloom:
				want = parquetlog.Plain
			case strings.HasSuffix(c.Name, "_cpu_milli") || strings.HasSuffix(c.Name, "_user_slots") || strings.HasSuffix(c.Name, "_network"):
				want = parquetlog.Dict
			}
			if c.Encoding != want {
				t.Errorf("column %s.%s has encoding %d, want %d", table.Name, c.Name, c.Encoding, want)
			}
		}
	}
	for column, want := range map[string]parquetlog.Encoding{
		"limit_memory": parquetlog.Dict, "usage_memory": parquetlog.Delta, "after_memory": parquetlog.Delta, "usage_gpu": parquetlog.Dict,
	} {
		if got := Heartbeats.Columns[Heartbeats.Column(column)].Encoding; got != want {
			t.Errorf("column heartbeats.%s has encoding %d, want %d", column, got, want)
		}
	}
	for _, c := range []struct {
		table  *parquetlog.Table
		column string
	}{{&Jobs.Table, "job_id"}, {&Operations.Table, "operation_id"}} {
		if !c.table.Columns[c.table.Column(c.column)].Bloom {
			t.Errorf("column %s has no bloom filter", c.column)
		}
	}
}

func TestTreeNamesSurviveTheirFolder(t *testing.T) {
	for _, tree := range []string{"physical", "a/b", "..", "%2F", "gpu h100", "дерево", "a=b"} {
		dir := TreeDir(tree)
		if got, ok := TreeOfDir(dir); !ok || got != tree || filepath.Base(dir) != dir {
			t.Errorf("tree %q has the folder %q, which is of tree %q", tree, dir, got)
		}
	}
	for _, dir := range []string{"dim", "tree=", "tree=%zz", "Tree=a"} {
		if tree, ok := TreeOfDir(dir); ok {
			t.Errorf("folder %q is of tree %q", dir, tree)
		}
	}
}
