package command

import (
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain makes the test binary stand in for poolproof, in scripts and for
// tests that start it as a process of its own.
func TestMain(m *testing.M) {
	testscript.Main(testsWithFolders{m}, map[string]func(){"poolproof": Main})
}

// TestScripts runs the command from outside, as users do. The demo's log is
// $DEMO; shared data, where it is there, is $SHARED.
func TestScripts(t *testing.T) {
	t.Parallel()
	demo, err := filepath.Abs("testdata/demo")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			e.Setenv("DEMO", demo)
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"made":      copyMadeFolder,
			"exitcode":  exitCodeOf,
			"truncate":  truncateFile,
			"overwrite": overwriteFile,
		},
	})
}
