package command

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"poolproof/cmd/poolproof/commandtest"
	"poolproof/cmd/poolproof/exit"
)

// collections runs poolproof and returns for each collection of garbage what was alive after
// it and how large the heap was to be at the next, in MB.
func collections(t *testing.T, args ...string) (live, goal []int) {
	t.Helper()
	c := exec.Command("poolproof", args...)
	c.Env = append(os.Environ(), "GODEBUG=gctrace=1")
	code, stderr, _ := commandtest.Process(t, c)
	if code != exit.Kept {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	for line := range strings.Lines(stderr) {
		_, sizes, ok := strings.Cut(line, " ms cpu, ") // ... ms cpu, 34->36->7 MB, 36 MB goal, ...
		if !ok {
			continue
		}
		var before, during, after, next int
		if _, err := fmt.Sscanf(sizes, "%d->%d->%d MB, %d MB goal", &before, &during, &after, &next); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		live, goal = append(live, after), append(goal, next)
	}
	return live, goal
}

// TestShortCommandsDoNotCollect: what a command of few megabytes makes is not collected over
// and over.
func TestShortCommandsDoNotCollect(t *testing.T) {
	if live, _ := collections(t, "generate", "--list-plants"); len(live) > 4 {
		t.Errorf("it collects %d times", len(live))
	}
}

// TestCollectionsFollowWhatIsAlive: after each collection the next one is set anew.
func TestCollectionsFollowWhatIsAlive(t *testing.T) {
	live, goal := collections(t, "generate", "--preset", "small", "--length", "40m", "--out", filepath.Join(t.TempDir(), "trace"), "--quiet")
	as := 0
	for i, next := range goal[1:] {
		want := live[i] + max(live[i]*gcPercent/100, gcSlack>>20)
		if next >= want-5 && next <= want+5 {
			as++
		}
	}
	if all := len(goal) - 1; all < 3 || as*2 <= all { // one may begin before the last is taken note of
		t.Errorf("%d of %d collections begin where they should: %v MB were alive, collected at %v", as, all, live, goal)
	}
}

func TestPercentOfWhatIsAlive(t *testing.T) {
	for live, want := range map[uint64]int{0: 1600, 16 << 20: 400, 320 << 20: 20, 8 << 30: 20} {
		if got := percentOf(live); got != want {
			t.Errorf("beside %d MiB it is %d, want %d", live>>20, got, want)
		}
	}
}
