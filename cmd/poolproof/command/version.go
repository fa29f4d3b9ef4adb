package command

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"runtime/debug"
)

// version names the program in what it writes. A run must not change with the build:
// commit and date of a binary stay out of manifests and traces.
const version = "0.1.0"

// What -ldflags -X set where the toolchain records nothing: in archives, whose bytes must
// not depend on whether the sources stand in a clone, a worktree or a folder of their own.
var buildCommit, buildDate, buildModified string

const versionHelp = `
Print the version, and the commit and date that this binary was built from.

Example:
  poolproof version --json

usage: poolproof version
`

// A build describes how a binary was built. Unknown fields are empty.
type build struct {
	Version  string `json:"version"`
	Commit   string `json:"commit"`
	Date     string `json:"date"`     // of the commit, UTC
	Modified bool   `json:"modified"` // the sources differed from the commit
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// buildOf reads what the toolchain recorded in a binary.
func buildOf(info *debug.BuildInfo) build {
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	return build{
		Version:  version,
		Commit:   cmp.Or(settings["vcs.revision"], buildCommit),
		Date:     cmp.Or(settings["vcs.time"], buildDate),
		Modified: cmp.Or(settings["vcs.modified"], buildModified) == "true",
		Go:       info.GoVersion,
		Platform: settings["GOOS"] + "/" + settings["GOARCH"],
	}
}

// print writes the version for a person.
func (b build) print(w io.Writer) {
	fmt.Fprintln(w, "poolproof", b.Version)
	if b.Commit != "" {
		modified := ""
		if b.Modified {
			modified = ", modified"
		}
		fmt.Fprintf(w, "commit %s of %s%s\n", b.Commit, cmp.Or(b.Date, "unknown date"), modified)
	}
	fmt.Fprintf(w, "built with %s for %s\n", b.Go, b.Platform)
}

func versionCommand(_ context.Context, env *environment, args []string) error {
	f := newFlags(env, "version", versionHelp)
	asJSON := f.Bool("json", false, "print one JSON object")
	if _, err := parse(f, args); err != nil {
		return err
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	b := buildOf(info)
	if !*asJSON {
		b.print(env.stdout)
		return nil
	}
	e := json.NewEncoder(env.stdout)
	e.SetIndent("", "  ")
	return e.Encode(b)
}
