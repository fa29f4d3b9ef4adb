package commandtest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"poolproof/core/coretest/sweep"
)

// Main runs the tests of a package. Its binary stands in for poolproof, in scripts and for tests
// that start poolproof as a process of its own.
func Main(m *testing.M, poolproof func()) {
	testscript.Main(testsWithFolders{m}, map[string]func(){"poolproof": poolproof})
}

// Scripts runs the program from outside by the scripts in testdata/script, as users do. $DEMO is
// the folder of the log of the demo, $SIMULATOR that of the logs of the scheduler itself, $SAMPLES that of
// the logs of each age.
func Scripts(t *testing.T) {
	t.Parallel()
	runScripts(t, scriptFiles(t))
}

// SweepScripts runs a part of the scripts: the sample is one of so many.
func SweepScripts(t *testing.T, sample int) {
	part := sweep.Take(t, sample)
	var chosen []string
	for i, file := range scriptFiles(t) {
		if part.Has(i) {
			chosen = append(chosen, file)
		}
	}
	if len(chosen) > 0 {
		runScripts(t, chosen)
	}
}

// scriptFiles are the scripts of a package, by name.
func scriptFiles(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("testdata/script: %d scripts, %v", len(files), err)
	}
	return files
}

func runScripts(t *testing.T, files []string) {
	testscript.Run(t, testscript.Params{
		Files: files,
		Setup: func(e *testscript.Env) error {
			e.Setenv("DEMO", DemoFile("."))
			simulator, err := filepath.Abs("../../../../ingest/ytsaurus/testdata/simulator")
			e.Setenv("SIMULATOR", simulator)
			e.Setenv("SAMPLES", filepath.Join(filepath.Dir(simulator), "samples"))
			return err
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"changed":   printChangedVerdicts,
			"lose":      loseInformation,
			"made":      copyMadeFolder,
			"exitcode":  exitCodeOf,
			"truncate":  truncateFile,
			"overwrite": overwriteFile,
			"rewrite":   rewriteTable,
		},
	})
}

// exitCodeOf runs a command and wants a certain exit code:
//
//	exitcode 65 poolproof validate nowhere
//
// Its output is stdout and stderr of the script.
func exitCodeOf(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exitcode CODE COMMAND [ARG...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	code := 0
	var ended *exec.ExitError
	if errors.As(err, &ended) {
		code = ended.ExitCode()
	} else {
		ts.Check(err)
	}
	if code != want {
		ts.Fatalf("exit code %d, want %d", code, want)
	}
}

// rewriteTable lets DuckDB write a Parquet file anew, from a query of its rows:
//
//	rewrite trace/tree=main/jobs-000.parquet 'SELECT * FROM old ORDER BY time DESC'
func rewriteTable(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: rewrite FILE QUERY")
	}
	file := ts.MkAbs(args[0])
	ts.Check(runDuck("SET threads = 1", fmt.Sprintf("CREATE TABLE old AS FROM read_parquet('%s')", file),
		fmt.Sprintf("COPY (%s) TO '%s' (FORMAT parquet)", args[1], file)))
}

// copyMadeFolder copies what the log of the demo becomes, a trace and a run, into the folder of
// the script: made demo.
func copyMadeFolder(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 || args[0] != "demo" {
		ts.Fatalf("usage: made demo")
	}
	dir, err := makeOnce(demoLog)
	ts.Check(err)
	ts.Check(os.CopyFS(ts.MkAbs("."), os.DirFS(dir)))
}

// truncateFile cuts a file to a length: truncate FILE BYTES.
func truncateFile(ts *testscript.TestScript, neg bool, args []string) {
	n, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	ts.Check(os.Truncate(ts.MkAbs(args[0]), n))
}

// overwriteFile replaces the beginning of a file: overwrite FILE TEXT.
func overwriteFile(ts *testscript.TestScript, neg bool, args []string) {
	f, err := os.OpenFile(ts.MkAbs(args[0]), os.O_WRONLY, 0)
	ts.Check(err)
	_, err = f.WriteAt([]byte(args[1]), 0)
	ts.Check(err)
	ts.Check(f.Close())
}
