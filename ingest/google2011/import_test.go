package google2011

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"poolproof/core"
	"poolproof/ingest/joblog"
	"poolproof/ingest/joblog/joblogtest"
	"poolproof/ingest/poolconf"
)

// Scripts under testdata: "config", "machines" and "removals" keep a file for the
// next "import", whose input is the table of job events and whose output the trace.
func TestScripts(t *testing.T) {
	datadriven.Walk(t, "testdata/scripts", func(t *testing.T, path string) {
		kept := map[string]string{}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			if d.Cmd != "import" {
				kept[d.Cmd] = d.Input
				return ""
			}
			out := importScript(t, d, kept)
			clear(kept)
			return out
		})
	})
}

func importScript(t *testing.T, d *datadriven.TestData, kept map[string]string) string {
	dir := t.TempDir()
	o := Options{Directory: dir, Out: filepath.Join(dir, "trace")}
	write(t, dir, eventsName, d.Input)
	for name, file := range map[string]string{"machines": machinesName, "removals": removalsName} {
		if kept[name] != "" {
			write(t, dir, file, kept[name])
		}
	}
	if kept["config"] != "" {
		var err error
		if o.Config, err = poolconf.Parse("pools.yaml", []byte(kept["config"])); err != nil {
			d.Fatalf(t, "config: %v", err)
		}
	}
	for _, a := range d.CmdArgs {
		switch a.Key {
		case "pool-by":
			o.PoolBy = a.Vals[0]
		case "epoch":
			o.Epoch = seconds(t, a.Vals[0])
		case "to":
			o.To = seconds(t, a.Vals[0])
		default:
			d.Fatalf(t, "unknown argument %s", a.Key)
		}
	}
	s, err := Import(context.Background(), o)
	if err != nil {
		var bad interface{ BadInput() bool }
		return fmt.Sprintf("error (bad input: %v): %s\n", errors.As(err, &bad), strings.ReplaceAll(err.Error(), dir+"/", ""))
	}
	joblogtest.Replay(t, o.Out)
	return joblogtest.Dump(joblogtest.Read(t, o.Out), &s)
}

func seconds(t *testing.T, text string) core.Time {
	t.Helper()
	whole, millionths, ok := joblog.Decimal([]byte(text))
	if !ok {
		t.Fatalf("%s is no number of seconds", text)
	}
	return core.Time(whole)*core.Second + core.Time(millionths)
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}
