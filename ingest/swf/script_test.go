package swf

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/klauspost/compress/zstd"

	"poolproof/core"
	"poolproof/ingest/joblog/joblogtest"
	"poolproof/ingest/poolconf"
)

// Scripts under testdata: "machines" and "config" keep a file for the next
// "import", whose input is the log and whose output the trace.
func TestScripts(t *testing.T) {
	datadriven.Walk(t, "testdata/scripts", func(t *testing.T, path string) {
		var machines, config string
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "machines":
				machines = d.Input
				return ""
			case "config":
				config = d.Input
				return ""
			case "import":
				out := importScript(t, d, machines, config)
				machines, config = "", ""
				return out
			}
			d.Fatalf(t, "unknown command %s", d.Cmd)
			return ""
		})
	})
}

func importScript(t *testing.T, d *datadriven.TestData, machines, config string) string {
	dir := t.TempDir()
	o := Options{Source: filepath.Join(dir, "log.swf"), Out: filepath.Join(dir, "trace")}
	text := strings.NewReplacer(`\r`, "\r", `\t`, "\t", `\xff`, "\xff").Replace(d.Input)
	for _, a := range d.CmdArgs {
		switch a.Key {
		case "tree-by":
			o.TreeBy = a.Vals[0]
		case "pool-by":
			o.PoolBy = a.Vals[0]
		case "dialect":
			o.Dialect = a.Vals[0]
		case "epoch":
			seconds, err := strconv.ParseInt(a.Vals[0], 10, 64)
			if err != nil {
				d.Fatalf(t, "epoch: %v", err)
			}
			o.Epoch = core.Time(seconds) * core.Second
		case "compress":
			text = compress(t, a.Vals[0], text)
		default:
			d.Fatalf(t, "unknown argument %s", a.Key)
		}
	}
	write(t, o.Source, text)
	if machines != "" {
		write(t, o.Source+".machines", machines)
	}
	if config != "" {
		var err error
		if o.Config, err = poolconf.Parse("pools.yaml", []byte(config)); err != nil {
			d.Fatalf(t, "config: %v", err)
		}
	}
	s, err := Import(context.Background(), o)
	if err != nil {
		if _, left := os.Stat(o.Out); left == nil {
			t.Error("a failed import leaves a trace")
		}
		var bad interface{ BadInput() bool }
		return fmt.Sprintf("error (bad input: %v): %s\n", errors.As(err, &bad), strings.ReplaceAll(err.Error(), dir+"/", ""))
	}
	joblogtest.Replay(t, o.Out)
	return joblogtest.Dump(joblogtest.Read(t, o.Out), &s)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func compress(t *testing.T, how, text string) string {
	var b bytes.Buffer
	switch how {
	case "gzip", "cut-gzip":
		w := gzip.NewWriter(&b)
		w.Write([]byte(text))
		w.Close()
	case "zstd":
		w, err := zstd.NewWriter(&b)
		if err != nil {
			t.Fatal(err)
		}
		w.Write([]byte(text))
		w.Close()
	}
	if strings.HasPrefix(how, "cut-") {
		b.Truncate(b.Len() / 2)
	}
	return b.String()
}
