package command

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"poolproof/audit/report"
	"poolproof/cmd/poolproof/exit"
	"poolproof/core"
	"poolproof/core/pooltree"
	"poolproof/core/spelling"
	"poolproof/ingest"
	"poolproof/ingest/joblog"
	"poolproof/ingest/poolconf"
	"poolproof/ingest/poolconf/validate"
	"poolproof/ingest/trace"
	"poolproof/replay"
	"poolproof/replay/env"
	"poolproof/replay/survey"
)

const validateHelp = `
Check a trace or a configuration: what is wrong, by stable codes, and what to do
about it. Nothing is written.

For a TRACE, which is a directory, it reads every row of every table that the replay
would read, and says what can be judged from it. It judges every version of the pool
configuration, with the templates that patch the options of its tree: changes of one
instant are one set, and a set that the scheduler refuses leaves the old one in force.
It judges the set of all trees, too, whichever are chosen: a tree that would claim a
node twice is refused, and a node whose tags match two trees for long is reported.

A CONFIG is a file, plain, gzip or zstd, or - for standard input:
  - what import takes as --config, YAML or JSON, or
  - the pool trees of a cluster, with attributes, in JSON:
    yt get //sys/pool_trees --format json
It is judged by the same rules, and each spot is reported with its line. A file may
list nodes, under nodes: by name with tags and resource_limits, or beside it in
a file for --nodes, of that form or as exported:
    yt get //sys/cluster_nodes --attributes '[tags;resource_limits;state]' --format json
On them it shows which filters overlap, and whether guarantees exceed what there is.

The exit code is 0 if every row can be used and the configuration is legal, 65 if
not; spots of severity info never count. Rows that the import left out are
listed, too, but are no fault of the trace.

Examples:
  poolproof validate trace
  poolproof validate pools.yaml
  poolproof validate pool_trees.json.gz --nodes nodes.json --profile baseline --output json
  poolproof validate --explain out_of_order
  poolproof validate --explain CFG-04
  poolproof validate --explain strong_guarantee_unmet
  poolproof validate --explain max_share_ratio

usage: poolproof validate TRACE|CONFIG
`

func validateCommand(ctx context.Context, env *environment, args []string) error {
	f := newFlags(env, "validate", validateHelp)
	var s selection
	s.addTo(f)
	explain := f.String("explain", "", "say what a `CODE` means: of a problem, a rule or an option of configurations, an audit, or an invariant such as CFG-04")
	nodes := f.String("nodes", "", "`FILE` with the nodes of the cluster, for a CONFIG")
	output := f.String("output", "table", "`FORMAT` of the answer: "+strings.Join(validateFormats, ", "))
	takes(f, "output", validateFormats)
	memory := f.String("memory", "", memoryHelp)
	quiet := quietFlag(f)
	if err := parseFlags(f, args); err != nil {
		return err
	}
	if *explain != "" {
		return explainCode(env.stdout, *explain)
	}
	positional, err := arguments(f, "TRACE or CONFIG")
	if err != nil {
		return err
	}
	if err := oneOf("--output", *output, validateFormats); err != nil {
		return err
	}
	limits, err := boundMemory(*memory)
	if err != nil {
		return err
	}
	path := positional[0]
	if info, err := os.Stat(path); path == joblog.Stdin || err == nil && !info.IsDir() {
		for _, name := range []string{"from", "to", "tree", "workers"} {
			if f.Changed(name) {
				return usagef("--%s is for a trace, and %s is a file", name, path)
			}
		}
		return validateFile(ctx, env, path, *nodes, s.profile, *output, *quiet)
	}
	if *nodes != "" {
		return usagef("--nodes is for a CONFIG: a trace has its nodes in it")
	}
	p := newProgress(env, *quiet)
	defer p.done()
	return validateTrace(ctx, env, path, &s, limits.trace, *output, p)
}

var validateFormats = []string{"table", "json"}

// validateFile judges a configuration that stands in a file by itself.
func validateFile(ctx context.Context, env *environment, path, nodesPath, profileName, output string, quiet bool) error {
	profile, err := pooltree.ParseProfile(profileName)
	if err != nil {
		return usagef("%v", err)
	}
	text, err := validate.ReadText(path)
	if err != nil {
		return err
	}
	d, err := poolconf.ParseDocument(path, text)
	if err != nil {
		return err
	}
	if nodesPath != "" {
		more, err := validate.ReadText(nodesPath)
		if err != nil {
			return err
		}
		nodes, err := poolconf.ParseNodes(nodesPath, more)
		if err != nil {
			return err
		}
		d.Nodes = append(d.Nodes, nodes...)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	found := validate.Document(d, text, profile)
	if output == "json" {
		err = printJSON(env.stdout, struct {
			File    string          `json:"file"`
			Kind    string          `json:"kind"`
			Profile string          `json:"profile"`
			Trees   int             `json:"trees"`
			Pools   int             `json:"pools"`
			Legal   bool            `json:"legal"`
			Spots   []validate.Spot `json:"spots"`
		}{path, kindOf(d), profile.String(), found.Trees, found.Pools, found.Illegal() == 0, found.List})
	} else if found.Illegal() > 0 || !quiet {
		fmt.Fprintf(env.stdout, "%s: %s of %s in %s, judged by profile %s\n", path, kindOf(d),
			counted(found.Pools, "pool"), counted(found.Trees, "tree"), profile)
		writeSpots(env.stdout, found, false)
	}
	if err != nil {
		return err
	}
	return verdictOf(found)
}

func kindOf(d *poolconf.Document) string {
	if d.Export {
		return "export of pool trees"
	}
	return "configuration for imports"
}

// validateTrace reads all of a trace and judges its configuration.
func validateTrace(ctx context.Context, env *environment, path string, s *selection, memory ingest.Memory, output string, p *progress) error {
	t, err := ingest.OpenWithin(path, memory)
	if err != nil {
		return err
	}
	profile, err := pooltree.ParseProfile(cmp.Or(s.profile, t.Manifest().Profile))
	if err != nil {
		return usagef("%v", err)
	}
	imported := t.ProblemCounts()
	counts, err := readThrough(ctx, t, s, p)
	if err != nil {
		return err
	}
	window, err := s.window(t.Window())
	if err != nil {
		return err
	}
	found, err := judgeTrace(ctx, t, path, slices.Sorted(maps.Keys(counts)), window.To, profile)
	if err != nil {
		return err
	}
	p.done()
	problems := listProblems(t, imported)
	faulty := slices.ContainsFunc(problems, func(p problem) bool { return !p.Imported })
	if output == "json" {
		err = printJSON(env.stdout, traceReport(t, counts, problems, profile, found))
	} else {
		printTrace(p.summary(env.stdout), t, counts)
		if faulty || !p.quiet {
			printProblems(env, problems)
		}
		if found.Illegal() > 0 || !p.quiet {
			fmt.Fprintf(env.stdout, "Configuration, judged by profile %s:\n", profile)
			writeSpots(env.stdout, found, true)
		}
	}
	if err == nil && faulty {
		err = &verdictError{exit.BadInput}
	}
	if err != nil {
		return err
	}
	return verdictOf(found)
}

// judgeTrace judges every version of the configuration of the chosen trees, and all
// trees as a set, whichever are chosen: sets that the scheduler refuses, and nodes that
// several trees claim (TREE-01).
func judgeTrace(ctx context.Context, t *ingest.Trace, dir string, chosen []string, to core.Time, profile pooltree.Profile) (*validate.Spots, error) {
	found, err := validate.Versions(ctx, t, dir, chosen, to, profile)
	if err != nil {
		return nil, err
	}
	opts := replay.Options{Log: env.Log{Profile: profile, Window: core.Span{To: to}}}
	trees, strays := clusterOf(t, opts)
	all, err := survey.New(ctx, t.Dimensions(), trees, strays, &opts.Log)
	if err != nil {
		return nil, fmt.Errorf("judge the set of trees: %w", err)
	}
	for _, r := range all.Refusals {
		e := &pooltree.RuleError{Rule: pooltree.NoDefaultTree, Option: "default_tree", Detail: r.Why.Default}
		if r.Why.Node != "" {
			e = overlap(r.Why.Node, r.Why.Trees, 0)
		}
		found.Add(e, r.From, r.To, r.Mended)
	}
	for _, c := range all.Claims(t.Dimensions(), trees) {
		found.Add(overlap(c.Node, c.Trees, c.More), c.From, c.To, !c.Open).Refused = false
	}
	return found, nil
}

// overlap says that trees claim a node, and how many nodes likewise.
func overlap(node string, trees []string, more int) *pooltree.RuleError {
	found := fmt.Sprintf("%s matches %s", node, strings.Join(trees, " and "))
	if more > 0 {
		found = fmt.Sprintf("%s, and %d more", found, more)
	}
	return &pooltree.RuleError{Rule: pooltree.OverlappingFilters, Tree: trees[0], Option: "nodes_filter", Detail: found}
}

// eventKinds name the counts of readThrough.
var eventKinds = []string{
	core.ProcessChanged: "process event",
	core.TreeRecorded:   "tree record", core.PoolRecorded: "pool record", core.OperationRecorded: "operation record",
	core.VolumesRecorded:   "volume record",
	core.ClusterConfigured: "cluster configuration",
	core.TreeConfigured:    "tree configuration", core.PoolConfigured: "pool configuration", core.NodeChanged: "node change",
	core.OperationChanged: "operation step", core.DemandChanged: "demand record", core.JobFinished: "job end",
	core.HeartbeatReceived: "heartbeat", core.JobReported: "job report", core.JobPreempted: "preemption", core.JobStarted: "job start",
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
				p.showState("%.1f M events of tree %s read", float64(n)/1e6, name)
			}
		}
		counts[name] = count
	}
	return counts, nil
}

func printTrace(w io.Writer, t *ingest.Trace, counts map[string][]int64) {
	m := t.Manifest()
	fmt.Fprintf(w, "Trace of %s, made by %s\nWindow %s to %s\n", spelling.OneName(sourceOf(m)),
		spelling.OneName(cmp.Or(m.CreatedBy, "an unknown program")), formatTime(t.Window().From), formatTime(t.Window().To))
	trees := slices.DeleteFunc(slices.Clone(t.Trees()), func(name string) bool { return counts[name] == nil })
	for _, line := range report.FoldedTrees(trees, func(name string) string {
		count := counts[name]
		var parts []string
		for kind, word := range eventKinds {
			if word != "" && count[kind] > 0 {
				parts = append(parts, counted(count[kind], word))
			}
		}
		if n := t.StateChanges(name); n > 0 {
			parts = append(parts, counted(n, "other allocation change"))
		}
		return orNothing(strings.Join(parts, ", "))
	}) {
		fmt.Fprintln(w, line)
	}
	fmt.Fprintln(w, "Coverage:")
	for _, fact := range coverageFacts(m) {
		fmt.Fprintf(w, "  %-22s %s\n", fact.Aspect, spelling.OneName(string(fact.State)))
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

// A problem is a fault of some rows of a file of the trace, or of the source of an import.
type problem struct {
	Code     string `json:"code"`
	Source   string `json:"source"`
	Rows     int64  `json:"rows"`
	Imported bool   `json:"imported"` // found by the import, and no fault of the trace
}

func listProblems(t *ingest.Trace, imported []ingest.ProblemCount) []problem {
	list := []problem{}
	for _, c := range t.ProblemCounts() {
		list = append(list, problem{c.Code, c.Source, c.Rows, slices.Contains(imported, c)})
	}
	return list
}

// printProblems lists the problems by source and code.
func printProblems(env *environment, problems []problem) {
	if len(problems) == 0 {
		fmt.Fprintln(env.stdout, "No problems.")
		return
	}
	fmt.Fprintln(env.stdout, "Problems:")
	for _, p := range problems {
		origin := ""
		if p.Imported {
			origin = " (found by the import)"
		}
		fmt.Fprintf(env.stdout, "  %-20s %s of %s%s\n", p.Code, counted(p.Rows, "row"), p.Source, origin)
	}
	fmt.Fprintln(env.stdout, "poolproof validate --explain CODE says what a code means.")
}

// traceReport returns the report of validate on a trace, for programs.
func traceReport(t *ingest.Trace, counts map[string][]int64, problems []problem, profile pooltree.Profile, found *validate.Spots) any {
	events := map[string]map[string]int64{}
	for tree, count := range counts {
		events[tree] = map[string]int64{}
		for kind, word := range eventKinds {
			if word != "" && count[kind] > 0 {
				events[tree][strings.ReplaceAll(word, " ", "_")] = count[kind]
			}
		}
	}
	coverage := map[string]string{}
	for _, fact := range coverageFacts(t.Manifest()) {
		coverage[fact.Aspect] = fact.State
	}
	return struct {
		Source   string                      `json:"source"`
		From     string                      `json:"from"`
		To       string                      `json:"to"`
		Profile  string                      `json:"profile"`
		Events   map[string]map[string]int64 `json:"events"`
		Coverage map[string]string           `json:"coverage"`
		Problems []problem                   `json:"problems"`
		Legal    bool                        `json:"legal"`
		Spots    []validate.Spot             `json:"spots"`
	}{
		sourceOf(t.Manifest()), formatTime(t.Window().From), formatTime(t.Window().To), profile.String(),
		events, coverage, problems, found.Illegal() == 0, found.List,
	}
}
