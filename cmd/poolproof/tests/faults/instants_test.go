package faults

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/parquet-go/parquet-go"

	"poolproof/cmd/poolproof/commandtest"
	"poolproof/cmd/poolproof/exit"
	"poolproof/ingest/trace"
)

// TestOrderWithinAnInstant replays a trace whose rows of one instant stand in another
// order in every table: the results are the same, byte for byte.
func TestOrderWithinAnInstant(t *testing.T) {
	sound := filepath.Join(t.TempDir(), "trace")
	if code, stderr, _ := commandtest.Process(t, exec.Command("poolproof", "generate", "--preset", "none", "--plant", "start_over_pool_limit,older_victim_first", "--out", sound, "--quiet")); code != exit.Kept {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	shuffled := filepath.Join(t.TempDir(), "trace")
	if err := os.CopyFS(shuffled, os.DirFS(sound)); err != nil {
		t.Fatal(err)
	}
	names, err := trace.InputFiles(shuffled)
	if err != nil {
		t.Fatal(err)
	}
	r, moved := rand.New(rand.NewPCG(23, 1)), 0
	for _, name := range names[1:] {
		rows, schema, err := readRows(filepath.Join(shuffled, name))
		if err != nil {
			t.Fatal(err)
		}
		if at, ok := schema.Lookup("time"); ok {
			moved += shuffleInstants(r, rows, at.ColumnIndex)
		}
		if err := writeRows(filepath.Join(shuffled, name), schema, rows); err != nil {
			t.Fatal(err)
		}
	}
	if moved < 500 {
		t.Fatalf("only %d rows share their instant with others", moved)
	}
	want, got := commandtest.Replayed(t, sound), commandtest.Replayed(t, shuffled)
	for name, sum := range want {
		if got[name] != sum {
			t.Errorf("%s differs", name)
		}
	}
}

// shuffleInstants shuffles the rows of each instant, and returns how many rows there are
// in instants of several.
func shuffleInstants(r *rand.Rand, rows []parquet.Row, column int) (moved int) {
	for from, to := 0, 0; from < len(rows); from = to {
		for to = from; to < len(rows) && rows[to][column].Int64() == rows[from][column].Int64(); {
			to++
		}
		part := rows[from:to]
		if len(part) > 1 {
			moved += len(part)
		}
		r.Shuffle(len(part), func(i, j int) { part[i], part[j] = part[j], part[i] })
	}
	return moved
}
