package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"poolproof/core"
	"poolproof/ingest"
	"poolproof/ingest/openb"
	"poolproof/ingest/swf"
	"poolproof/ingest/trace"
)

const validateHelp = `
Look TRACE over: read every row of every table the replay would read, list what
is wrong with it by stable codes, and say what can be judged from it. Nothing is
written.

The exit code is 0 if every row can be used, 65 if not. Rows that the import
left out are listed, too, but are no fault of the trace.

Examples:
  poolproof validate trace
  poolproof validate --explain out_of_order

usage: poolproof validate TRACE
`

func validateCommand(ctx context.Context, env *environment, args []string) error {
	f := newFlags(env, "validate", validateHelp)
	var s selection
	s.addTo(f)
	explain := f.String("explain", "", "say what a problem's `CODE` means")
	quiet := f.Bool("quiet", false, "no progress")
	if err := parseFlags(f, args); err != nil {
		return err
	}
	if *explain != "" {
		return explainCode(env, *explain)
	}
	positional, err := arguments(f, "TRACE")
	if err != nil {
		return err
	}
	t, err := ingest.Open(positional[0])
	if err != nil {
		return err
	}
	imported := t.ProblemCounts()
	p := newProgress(env, *quiet)
	defer p.done()
	counts, err := readThrough(ctx, t, &s, p)
	if err != nil {
		return err
	}
	p.done()
	printTrace(env, t, counts)
	return printProblems(env, t, imported)
}

// eventKinds name the counts of readThrough.
var eventKinds = []string{
	core.ProcessChanged: "process event",
	core.TreeRecorded:   "tree record", core.PoolRecorded: "pool record", core.OperationRecorded: "operation record",
	core.TreeConfigured: "tree configuration", core.PoolConfigured: "pool configuration", core.NodeChanged: "node change",
	core.OperationChanged: "operation step", core.DemandChanged: "demand record", core.JobFinished: "job end",
	core.HeartbeatReceived: "heartbeat", core.JobUsed: "usage change", core.JobPreempted: "preemption", core.JobStarted: "job start",
}

// readThrough reads all events of the chosen trees and counts them by kind.
func readThrough(ctx context.Context, t *ingest.Trace, s *selection, p *progress) (map[string][]int64, error) {
	names, err := chooseTrees(t.Trees(), s.trees)
	if err != nil {
		return nil, err
	}
	window, err := s.window(t.Window())
	if err != nil {
		return nil, err
	}
	profile, err := s.profileOf(t)
	if err != nil {
		return nil, err
	}
	counts := map[string][]int64{}
	for _, name := range names {
		count, n := make([]int64, len(eventKinds)), 0
		for e, err := range t.Events(name, ingest.Options{Profile: profile, To: window.To}) {
			if err != nil {
				return nil, err
			}
			count[e.Kind]++
			if n++; n%(1<<16) == 0 {
				if ctx.Err() != nil {
					return nil, ctx.Err()
				}
				p.say("%.1f M events of tree %s read", float64(n)/1e6, name)
			}
		}
		counts[name] = count
	}
	return counts, nil
}

func printTrace(env *environment, t *ingest.Trace, counts map[string][]int64) {
	w, m := env.stdout, t.Manifest()
	fmt.Fprintf(w, "Trace of %s, made by %s\nWindow %s to %s\n", sourceOf(m), cmp.Or(m.CreatedBy, "an unknown program"), formatTime(t.Window().From), formatTime(t.Window().To))
	for _, name := range t.Trees() {
		count, ok := counts[name]
		if !ok {
			continue
		}
		var parts []string
		for kind, word := range eventKinds {
			if word != "" && count[kind] > 0 {
				parts = append(parts, counted(count[kind], word))
			}
		}
		fmt.Fprintf(w, "Tree %s: %s\n", name, orNothing(strings.Join(parts, ", ")))
	}
	fmt.Fprintln(w, "Coverage:")
	for _, fact := range coverageFacts(m) {
		fmt.Fprintf(w, "  %-22s %s\n", fact.Aspect, fact.State)
	}
}

// sourceOf names the cluster that a trace is of, or the files it was made from.
func sourceOf(m *trace.Manifest) string {
	const most = 3
	var paths []string
	for _, s := range m.Sources {
		if s.Path != "" && !slices.Contains(paths, s.Path) {
			paths = append(paths, s.Path)
		}
	}
	switch n := len(paths) - most; {
	case m.Cluster != "":
		return m.Cluster
	case len(paths) == 0:
		return "an unknown source"
	case n > 0:
		return strings.Join(paths[:most], ", ") + " and " + counted(n, "more file")
	}
	return strings.Join(paths, ", ")
}

func orNothing(s string) string {
	if s == "" {
		return "nothing"
	}
	return s
}

// printProblems lists the problems by source and code. What the trace has
// beyond those of its import makes it bad input.
func printProblems(env *environment, t *ingest.Trace, imported []ingest.ProblemCount) error {
	all := t.ProblemCounts()
	if len(all) == 0 {
		fmt.Fprintln(env.stdout, "No problems.")
		return nil
	}
	fmt.Fprintln(env.stdout, "Problems:")
	bad := false
	for _, c := range all {
		origin := ""
		if slices.Contains(imported, c) {
			origin = " (found by the import)"
		} else {
			bad = true
		}
		fmt.Fprintf(env.stdout, "  %-20s %s of %s%s\n", c.Code, counted(c.Rows, "row"), c.Source, origin)
	}
	fmt.Fprintln(env.stdout, "poolproof validate --explain CODE says what a code means.")
	if bad {
		return &verdictError{exitBadInput}
	}
	return nil
}

func explainCode(env *environment, code string) error {
	imports := map[string]map[string]string{"import swf": swf.Explanations(), "import openb": openb.Explanations()}
	found := false
	if text, ok := ingest.Explain(code); ok {
		fmt.Fprintf(env.stdout, "%s: %s\n", code, text)
		found = true
	}
	codes := ingest.Codes()
	for _, name := range slices.Sorted(maps.Keys(imports)) {
		if text, ok := imports[name][code]; ok {
			fmt.Fprintf(env.stdout, "%s, found by %s: %s\n", code, name, text)
			found = true
		}
		codes = slices.AppendSeq(codes, maps.Keys(imports[name]))
	}
	if !found {
		slices.Sort(codes)
		return usagef("unknown code %q; there are %s", code, strings.Join(slices.Compact(codes), ", "))
	}
	return nil
}
