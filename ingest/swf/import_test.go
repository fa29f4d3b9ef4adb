package swf

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"poolproof/ingest/joblog/joblogtest"
)

const oneJob = "1 0 5 20 4 19 128 4 3600 256 1 7 3 2 1 -1 -1 -1\n"

func TestAnImportAppearsWholeOrNotAtAll(t *testing.T) {
	dir := t.TempDir()
	o := Options{Source: filepath.Join(dir, "log.swf"), Out: filepath.Join(dir, "trace")}
	write(t, o.Source, oneJob)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Import(ctx, o); !errors.Is(err, context.Canceled) {
		t.Errorf("an interrupt gives %v", err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("an interrupt leaves %v", entries)
	}
	if _, err := Import(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	if _, err := Import(context.Background(), o); !errors.Is(err, fs.ErrExist) {
		t.Errorf("an existing trace gives %v", err)
	}
	o.Replace = true
	if _, err := Import(context.Background(), o); err != nil {
		t.Errorf("replacing gives %v", err)
	}
}

func TestInputThatIsNoFile(t *testing.T) {
	dir := t.TempDir()
	_, err := Import(context.Background(), Options{Source: filepath.Join(dir, "none.swf"), Out: filepath.Join(dir, "trace")})
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file gives %v", err)
	}
	_, err = Import(context.Background(), Options{Source: dir, Out: filepath.Join(dir, "trace")})
	var bad interface{ BadInput() bool }
	if !errors.As(err, &bad) {
		t.Errorf("a directory gives %v", err)
	}
}

func TestALogMayComeFromStandardInput(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	before := os.Stdin
	os.Stdin = r
	t.Cleanup(func() { os.Stdin = before })
	go func() {
		w.WriteString(compress(t, "gzip", oneJob))
		w.Close()
	}()
	var told int64
	out := filepath.Join(t.TempDir(), "trace")
	s, err := Import(context.Background(), Options{Source: "-", Out: out, Progress: func(rows int64) { told = rows }})
	if err != nil || s.Operations != 1 || told != 1 {
		t.Errorf("got %+v, %d rows told, %v", s, told, err)
	}
	if source := joblogtest.Read(t, out).Manifest.Sources[0]; source.Path != "-" || len(source.SHA256) != 64 || source.Rows != 1 {
		t.Errorf("source %+v", source)
	}
}

func TestTheMachinesFileLiesBesideTheLog(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "log.swf.machines"), "0 a 1 2 1 4\n")
	for _, name := range []string{"log.swf", "log.swf.gz", "log.swf.zst"} {
		if got := machinesBeside(filepath.Join(dir, name)); !strings.HasSuffix(got, "log.swf.machines") {
			t.Errorf("beside %s is %q", name, got)
		}
	}
	if got := machinesBeside(filepath.Join(dir, "other.swf")); got != "" {
		t.Errorf("beside other.swf is %q", got)
	}
}
