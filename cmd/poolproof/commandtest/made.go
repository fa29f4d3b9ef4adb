package commandtest

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"poolproof/audit"
	"poolproof/cmd/poolproof/exit"
)

// Runs take most of the time of these tests. What several tests begin with is therefore made
// once, by command lines of the program that run one after the other in a folder of their own.
var (
	// demoLog makes a trace of the log of the demo, and runs it.
	demoLog = []string{"import swf $DEMO/cluster.swf --config $DEMO/pools.yaml --out trace --quiet", "run trace --out run --quiet"}
	// StartOverLimit makes a small trace in which a job starts over a limit, and runs it.
	StartOverLimit = []string{"generate --preset none --plant start_over_pool_limit --out trace --quiet", "run trace --out run --quiet"}
	// SmallCluster makes ten minutes of the preset small, in which nothing is wrong, and runs them.
	SmallCluster = []string{"generate --preset small --length 10m --out trace --quiet", "run trace --out run --quiet"}
)

// madeForAll holds the folders, by their command lines.
var madeForAll struct {
	sync.Mutex
	dir     string
	folders map[string]*madeFolder
}

// A madeFolder is made by the first test that asks for it.
type madeFolder struct {
	once sync.Once
	dir  string
	err  error
	was  string // the listing of its files
}

// Made returns the folder in which command lines were run. Every test that names the same ones
// gets the same folder and only reads it; CopyOfMade is for a test that changes something.
func Made(t testing.TB, lines []string) (dir string) {
	t.Helper()
	dir, err := makeOnce(lines)
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// CopyOfMade is a copy of such a folder.
func CopyOfMade(t testing.TB, lines []string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(Made(t, lines))); err != nil {
		t.Fatal(err)
	}
	return dir
}

// MadeRun opens the run of such a folder.
func MadeRun(t testing.TB, lines []string) *audit.Database {
	t.Helper()
	db, err := audit.OpenDatabase(filepath.Join(Made(t, lines), "run"), 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func makeOnce(lines []string) (dir string, err error) {
	key := strings.Join(lines, "\n")
	madeForAll.Lock()
	f := madeForAll.folders[key]
	if f == nil {
		f = &madeFolder{dir: filepath.Join(madeForAll.dir, fmt.Sprint(len(madeForAll.folders)))}
		madeForAll.folders[key] = f
	}
	madeForAll.Unlock()
	f.once.Do(func() {
		if f.err = RunLines(f.dir, lines); f.err == nil {
			f.was, f.err = listing(f.dir)
		}
	})
	return f.dir, f.err
}

// RunLines runs command lines in a new folder; $DEMO is the folder of the log of the demo.
func RunLines(dir string, lines []string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, line := range lines {
		c := exec.Command("poolproof", strings.Fields(strings.ReplaceAll(line, "$DEMO", DemoFile(".")))...)
		c.Dir = dir
		out, err := c.CombinedOutput()
		if code := c.ProcessState.ExitCode(); code != exit.Kept && code != exit.Violated {
			return fmt.Errorf("poolproof %s: %w\n%s", line, err, out)
		}
	}
	return nil
}

// listing tells whether a file of a folder was changed.
func listing(dir string) (text string, err error) {
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil {
			text += fmt.Sprintln(path, info.Size(), info.ModTime().UnixNano())
		}
		return err
	})
	return text, err
}

// testsWithFolders runs the tests, and then wants the folders as they were made.
type testsWithFolders struct{ *testing.M }

func (m testsWithFolders) Run() int {
	dir, err := os.MkdirTemp("", "poolproof-made")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	madeForAll.dir, madeForAll.folders = dir, map[string]*madeFolder{}
	code := m.M.Run()
	for lines, f := range madeForAll.folders {
		if is, err := listing(f.dir); f.err == nil && (err != nil || is != f.was) {
			fmt.Fprintf(os.Stderr, "FAIL: a test changed a folder that others read (%v): give it a CopyOfMade\n%s\nwas\n%snow is\n%s", err, lines, f.was, is)
			code = 1
		}
	}
	return code
}
