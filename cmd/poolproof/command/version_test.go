package command

import (
	"encoding/json"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
)

// TestVersionTellsTheBuild reads what the toolchain recorded, and what -ldflags set where
// it recorded nothing.
func TestVersionTellsTheBuild(t *testing.T) {
	buildCommit, buildDate, buildModified = "set", "2025-01-01T00:00:00Z", "true"
	defer func() { buildCommit, buildDate, buildModified = "", "", "" }()
	recorded := buildOf(&debug.BuildInfo{GoVersion: "go1", Settings: []debug.BuildSetting{
		{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.time", Value: "2025-03-03T08:00:00Z"}, {Key: "vcs.modified", Value: "true"},
		{Key: "GOOS", Value: "linux"}, {Key: "GOARCH", Value: "amd64"},
	}})
	if want := (build{version, "abc", "2025-03-03T08:00:00Z", true, "go1", "linux/amd64"}); recorded != want {
		t.Errorf("with a repository: %+v, want %+v", recorded, want)
	}
	if b := buildOf(&debug.BuildInfo{}); b.Commit != "set" || b.Date != "2025-01-01T00:00:00Z" || !b.Modified {
		t.Errorf("without one: %+v", b)
	}
	var text strings.Builder
	recorded.print(&text)
	if want := "poolproof " + version + "\ncommit abc of 2025-03-03T08:00:00Z, modified\nbuilt with go1 for linux/amd64\n"; text.String() != want {
		t.Errorf("got %q, want %q", text.String(), want)
	}
}

// TestVersionJSON asks a process.
func TestVersionJSON(t *testing.T) {
	out, err := exec.Command("poolproof", "version", "--json").Output()
	if err != nil {
		t.Fatal(err)
	}
	var b build
	if err := json.Unmarshal(out, &b); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if b.Version != version || b.Go != runtime.Version() || b.Platform != runtime.GOOS+"/"+runtime.GOARCH {
		t.Errorf("%+v", b)
	}
}
