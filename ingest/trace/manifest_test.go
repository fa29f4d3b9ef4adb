package trace

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"poolproof/ingest/parquetlog"
)

const manifestText = `{
  "format_version": 1,
  "cluster": "c",
  "created_by": "poolproof import swf",
  "profile": "documented",
  "window": {
    "from": "2020-09-13T12:26:40Z",
    "to": "2020-09-13T12:26:41.5Z"
  },
  "warmup_us": 5,
  "lookahead_us": 0,
  "trees": [
    "t"
  ],
  "resources": [
    {
      "name": "cpu",
      "unit": "milli",
      "capacity": "header",
      "usage": "requested",
      "total": 64000
    }
  ],
  "sources": [
    {
      "path": "log.swf",
      "kind": "swf",
      "sha256": "00",
      "rows": 3,
      "first_timestamp": "2020-09-13T12:26:40Z",
      "last_timestamp": "2020-09-13T12:26:40.000001Z"
    },
    {
      "path": "machines",
      "kind": "machines",
      "sha256": "01",
      "rows": 1
    }
  ],
  "tables": {
    "dim/nodes": {
      "rows": 2
    },
    "tree=t/jobs": {
      "rows": 3,
      "min_time": "2020-09-13T12:26:40Z",
      "max_time": "2020-09-13T12:26:41Z"
    }
  },
  "coverage": {
    "heartbeats": "reconstructed",
    "demand": "recorded",
    "preemption_details": "none",
    "tree_config": "assumed",
    "pool_config": "assumed",
    "placements": "recorded",
    "operation_states": "assumed",
    "operations": "partial",
    "node_states": "sampled"
  },
  "time_precision_us": 1000000,
  "clock_uncertainty_us": 0,
  "quarantined": {
    "finish_before_start": 2
  },
  "zero_operations_omitted": false,
  "dialect": [
    "shares as vectors"
  ],
  "notes": [
    "Clocks differ."
  ],
  "log": {
    "rows": 9,
    "duplicate_rows": 2,
    "foreign_lines": 1,
    "rows_beyond": 4,
    "events": {
      "job_started": 5
    },
    "unknown_event_types": {
      "job_dreamt": 1
    }
  }
}
`

func TestAManifestHasOneForm(t *testing.T) {
	const start = 1_600_000_000_000_000
	m := Manifest{
		FormatVersion: 1, Cluster: "c", CreatedBy: "poolproof import swf", Profile: "documented",
		Window: Window{From: start, To: start + 1_500_000}, WarmupUS: 5, Trees: []string{"t"},
		Resources: []Resource{{Name: "cpu", Unit: "milli", Capacity: "header", Usage: "requested", Total: 64000}},
		Sources: []Source{{Path: "log.swf", Kind: "swf", SHA256: "00", Rows: 3, First: start, Last: start + 1},
			{Path: "machines", Kind: "machines", SHA256: "01", Rows: 1}},
		Tables:   map[string]Extent{"tree=t/jobs": {3, start, start + 1_000_000}, "dim/nodes": {Rows: 2}},
		Coverage: Coverage{"reconstructed", "recorded", "none", "assumed", "assumed", "recorded", "assumed", "partial", "", "", "sampled"}, TimePrecisionUS: 1_000_000,
		Quarantined: map[string]int64{"finish_before_start": 2},
		Dialect:     []string{"shares as vectors"}, Notes: []string{"Clocks differ."},
		Log: &Log{Rows: 9, Duplicates: 2, Foreign: 1, Beyond: 4, Events: map[string]int64{"job_started": 5}, Unknown: map[string]int64{"job_dreamt": 1}},
	}
	b, err := m.encode()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(manifestText, string(b)); diff != "" {
		t.Error(diff)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, ManifestName), b, 0o666); err != nil {
		t.Fatal(err)
	}
	got, err := ReadManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&m, got); diff != "" {
		t.Error(diff)
	}
}

func TestALongNameIsRefused(t *testing.T) {
	dir, long := t.TempDir(), strings.Repeat("n", longestName+1)
	for _, text := range []string{`"cluster": "` + long + `"`, `"trees": ["a", "` + long + `"]`, `"notes": ["` + long + `"]`} {
		if err := os.WriteFile(filepath.Join(dir, ManifestName), []byte(`{"format_version": 1, `+text+`}`), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := ReadManifest(dir)
		var bad *parquetlog.FormatError
		if !errors.As(err, &bad) || !strings.Contains(err.Error(), "a text of 65537 bytes") || len(err.Error()) > 1000 {
			t.Errorf("%.30s…: it says %v", text, err)
		}
	}
}

func FuzzManifest(f *testing.F) {
	f.Add([]byte(manifestText))
	f.Add([]byte(`{"format_version": 1, "window": {"from": "yesterday"}}`))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, b []byte) {
		if err := os.WriteFile(filepath.Join(dir, ManifestName), b, 0o666); err != nil {
			t.Fatal(err)
		}
		m, err := ReadManifest(dir)
		if err != nil {
			return
		}
		if _, err := m.encode(); err != nil {
			t.Errorf("a manifest that was read cannot be written: %v", err)
		}
	})
}
