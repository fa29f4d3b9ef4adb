package synthetic

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/parser"

	"poolproof/core"
	"poolproof/core/pooltree"
	"poolproof/core/spelling"
	"poolproof/ingest/input"
	"poolproof/ingest/poolconf"
)

// A Spec describes a cluster and what happens to it.
type Spec struct {
	Cluster               string      `yaml:"cluster"`
	Start                 Instant     `yaml:"start"`
	Length                Duration    `yaml:"length"`
	Profile               string      `yaml:"profile"`
	FairShareUpdatePeriod Duration    `yaml:"fair_share_update_period"`
	SnapshotPeriod        Duration    `yaml:"snapshot_period"`
	HeartbeatPeriod       Duration    `yaml:"heartbeat_period"`
	Preparation           Duration    `yaml:"preparation"`
	DefaultTree           string      `yaml:"default_tree"`
	MaxOperationCount     int64       `yaml:"max_operation_count"`
	MaxStartedJobs        int64       `yaml:"max_started_jobs_per_heartbeat"`
	Nodes                 []NodeGroup `yaml:"nodes"`
	Workloads             []Workload  `yaml:"workloads"`
	Operations            []Operation `yaml:"operations"`
	Changes               []Change    `yaml:"changes"`

	trees []treeSpec
}

// A treeSpec is a tree with the file that describes its options and pools.
type treeSpec struct {
	name string
	file *poolconf.File
}

// filter is the tree's nodes_filter.
func (t *treeSpec) filter() (pooltree.Formula, error) {
	config, _ := t.file.TreeRow(t.name)
	return pooltree.ParseTagFilter(config.NodesFilter.Value)
}

// A NodeGroup is a number of equal nodes, named after the group: name-0, name-1…
type NodeGroup struct {
	Name       string    `yaml:"name"`
	Count      int       `yaml:"count"`
	Tags       []string  `yaml:"tags"`
	Resources  Resources `yaml:"resources"`
	DataCenter string    `yaml:"data_center"`
	Network    string    `yaml:"infiniband_cluster"`
	Segment    string    `yaml:"scheduling_segment"`
	Failures   Failures  `yaml:"failures"`
}

// tagSet returns the tags of the group's nodes.
func (g *NodeGroup) tagSet() pooltree.Tags { return pooltree.NewTags(g.Tags...) }

// Failures are the mean time between failures of a node and the mean time to repair it.
type Failures struct {
	Every  Duration `yaml:"every"`
	Repair Duration `yaml:"repair"`
}

// A Workload is a class of operations that arrive at random.
type Workload struct {
	Name     string   `yaml:"name"`
	Users    []string `yaml:"users"`
	Arrivals Arrivals `yaml:"arrivals"`
	Kind     `yaml:",inline"`
}

// Arrivals are the operations that begin in an hour, at the busiest time of day.
type Arrivals struct {
	PerHour float64 `yaml:"per_hour"`
	Day     string  `yaml:"day"` // flat, office or night
}

// An Operation begins at a known moment.
type Operation struct {
	Name string   `yaml:"name"`
	At   Duration `yaml:"at"`
	User string   `yaml:"user"`
	Kind `yaml:",inline"`
}

// A Kind describes operations.
type Kind struct {
	Trees       []string           `yaml:"trees"` // default: the default tree, and the spec names none
	Tentative   []string           `yaml:"tentative_pool_trees"`
	Eligibility map[string]any     `yaml:"tentative_tree_eligibility"`
	Slow        map[string]float64 `yaml:"slower_in"` // how many times as long its jobs run, by tree
	Pool        string             `yaml:"pool"`      // default: the user's own
	Type        string             `yaml:"type"`      // default: map
	Tasks       []Task             `yaml:"tasks"`
	Settings    `yaml:",inline"`

	SingleTree bool `yaml:"schedule_in_single_tree"`
	Erases     bool `yaml:"erase_trees_with_pool_limit_violations"`

	unnamed bool // it gets the default tree

	JobFailures   float64 `yaml:"job_failures"` // probability that a job fails
	Aborts        float64 `yaml:"aborts"`       // probability that its user aborts an operation
	Interruptible bool    `yaml:"interruptible"`
}

// Settings are an operation's own.
type Settings struct {
	Weight         *float64   `yaml:"weight"`
	MaxShareRatio  *float64   `yaml:"max_share_ratio"`
	Limits         *Resources `yaml:"resource_limits"`
	Strong         *Resources `yaml:"strong_guarantee_resources"`
	TagFilter      string     `yaml:"scheduling_tag_filter"`
	PreemptionMode string     `yaml:"preemption_mode"`
	Gang           bool       `yaml:"is_gang"`
	Segment        string     `yaml:"scheduling_segment"` // of a change: that of a node, too
	Modules        []string   `yaml:"scheduling_segment_modules"`

	Tolerance  *float64  `yaml:"fair_share_starvation_tolerance"`
	Timeout    *Duration `yaml:"fair_share_starvation_timeout"`
	MinTimeout *Duration `yaml:"min_share_preemption_timeout"`
	Aggressive *bool     `yaml:"enable_aggressive_starvation"`
}

// A Task is a number of equal jobs.
type Task struct {
	Jobs      [2]int     `yaml:"jobs"` // least and most
	Resources Resources  `yaml:"resources"`
	Seconds   [2]float64 `yaml:"seconds"` // median and spread of a log-normal distribution
	Medium    string     `yaml:"medium"`  // that its jobs ask for a disk quota on
}

// A Change is something that people or machines do at a known moment. A change
// of an operation or a node names it; otherwise it configures a pool, or a tree.
type Change struct {
	At   Duration       `yaml:"at"`
	Tree string         `yaml:"tree"`
	Pool string         `yaml:"pool"`
	Set  map[string]any `yaml:"set"`

	Parent *string `yaml:"parent"` // the pool's from now on, "" for the root
	Remove bool    `yaml:"remove"` // the pool; without one, the tree

	NoDefault     bool         `yaml:"no_default_tree"`     // operations that name no tree are refused from now on
	MaxOperations *OrDescribed `yaml:"max_operation_count"` // of the whole cluster; described: as the description has it

	Operation string `yaml:"operation"` // its name; with Pool: that pool from now on
	Event     string `yaml:"event"`     // suspended, resumed, aborted, pool_changed, params_changed, erased_from_tree, revived
	Settings  `yaml:",inline"`

	Node   string     `yaml:"node"`
	Tags   *[]string  `yaml:"tags"`
	Online *bool      `yaml:"online"`
	Size   *Resources `yaml:"resources"`

	Process string `yaml:"process"` // an event of process_events
	Alert   string `yaml:"alert"`
}

// maxSpec is the most bytes of a description of a cluster.
const maxSpec = 1 << 20

// Read reads the description in a file.
func Read(path string) (*Spec, error) {
	b, err := input.ReadAll(path, maxSpec)
	if err != nil {
		return nil, fmt.Errorf("read cluster description: %w", err)
	}
	return Parse(path, b)
}

// Parse reads a description. The name of the file is for errors.
func Parse(file string, b []byte) (*Spec, error) {
	if line := input.TooDeep(b); line > 0 {
		return nil, input.At(file, line, "values nest deeper than %d levels", input.MaxDepth)
	}
	if input.TooLong(b) {
		return nil, input.Errorf("%s: it has more than %d lines", spelling.OneName(file), input.MaxLines)
	}
	own, trees := splitTrees(string(b))
	if line := secondDocument(own); line > 0 {
		return nil, input.At(file, line, "a second document begins here, and a description has one")
	}
	s := &Spec{}
	if err := yaml.UnmarshalWithOptions([]byte(own), s, yaml.DisallowUnknownField()); err != nil {
		return nil, input.Errorf("%s: %s", spelling.OneName(file), faultOf(err, s))
	}
	if trees != "" {
		described, err := poolconf.Parse(file, []byte(trees))
		if err != nil {
			return nil, err
		}
		for _, name := range described.Trees() {
			s.trees = append(s.trees, treeSpec{name, described})
		}
	}
	if err := s.complete(); err != nil {
		return nil, input.Errorf("%s: %w", spelling.OneName(spot(file, own, err)), err)
	}
	return s, nil
}

// secondDocument is the line of the first text after a document of YAML; 0 if there is none.
func secondDocument(text string) int {
	f, err := parser.ParseBytes([]byte(text), 0)
	if err != nil {
		return 0 // to read it gives the error, with more of its place
	}
	first := true
	for _, d := range f.Docs {
		if d.Body == nil {
			continue
		}
		if !first {
			return d.Body.GetToken().Position.Line
		}
		first = false
	}
	return 0
}

// splitTrees parts the section of the trees, whose form is that of
// configuration files, from the rest. Lines keep their numbers.
func splitTrees(text string) (own, trees string) {
	var a, b strings.Builder
	inTrees, found := false, false
	for line := range strings.Lines(text) {
		if line[0] != ' ' && line[0] != '\t' && line[0] != '#' && strings.TrimSpace(line) != "" {
			inTrees = strings.HasPrefix(line, "trees:")
			found = found || inTrees
		}
		kept, left := &a, &b
		if inTrees {
			kept, left = &b, &a
		}
		kept.WriteString(line)
		left.WriteByte('\n')
	}
	if !found {
		return a.String(), ""
	}
	return a.String(), b.String()
}

// complete fills in what the description leaves open and refuses what cannot be.
func (s *Spec) complete() error {
	set(&s.Cluster, "synthetic")
	set(&s.Start, Instant(time.Date(2025, 3, 3, 8, 0, 0, 0, time.UTC).UnixMicro()))
	set(&s.Length, Duration(10*60*core.Second))
	set(&s.FairShareUpdatePeriod, Duration(core.Second))
	set(&s.HeartbeatPeriod, Duration(5*core.Second))
	set(&s.Preparation, Duration(2*core.Second))
	if _, err := core.ParseProfile(s.Profile); err != nil {
		return err
	}
	if len(s.trees) == 0 {
		return errors.New("no trees: name at least one, with its options and pools")
	}
	if s.DefaultTree == "" {
		s.DefaultTree = s.trees[0].name
	}
	if s.SnapshotPeriod%s.FairShareUpdatePeriod != 0 {
		return errors.New("snapshot_period must be a multiple of fair_share_update_period: a snapshot shows an update")
	}
	if err := s.checkNodes(); err != nil {
		return err
	}
	if err := s.completeWorkloads(); err != nil {
		return err
	}
	names, err := s.completeOperations()
	if err != nil {
		return err
	}
	if err := s.checkChanges(names); err != nil {
		return err
	}
	slices.SortStableFunc(s.Changes, func(a, b Change) int { return cmp.Compare(a.At, b.At) })
	return nil
}

func (s *Spec) completeWorkloads() error {
	for i := range s.Workloads {
		w := &s.Workloads[i]
		if err := s.completeKind(&w.Kind, "workload "+w.Name); err != nil {
			return at(err, "$.workloads[%d]", i)
		}
		if err := w.Arrivals.check(); err != nil {
			return at(fmt.Errorf("workload %s: %w", w.Name, err), "$.workloads[%d]", i)
		}
		if len(w.Users) == 0 {
			return fmt.Errorf("workload %s has no users", w.Name)
		}
		for _, u := range w.Users {
			if _, count, many := strings.Cut(u, "*"); many && !isCount(count) {
				return fmt.Errorf("workload %s: users %q: write analyst*3 for three of them", w.Name, u)
			}
		}
		set(&w.Arrivals.Day, "flat")
		if _, known := days[w.Arrivals.Day]; !known {
			return fmt.Errorf("workload %s: arrivals follow flat, office or night, not %q", w.Name, w.Arrivals.Day)
		}
	}
	return nil
}

// completeOperations returns the names of the operations.
func (s *Spec) completeOperations() (names map[string]bool, err error) {
	names = map[string]bool{}
	for i := range s.Operations {
		o := &s.Operations[i]
		if names[o.Name] || o.Name == "" {
			return nil, fmt.Errorf("operation %q: every operation needs a name of its own", o.Name)
		}
		names[o.Name] = true
		set(&o.User, "user")
		if err := s.completeKind(&o.Kind, "operation "+o.Name); err != nil {
			return nil, at(err, "$.operations[%d]", i)
		}
		if err := s.within(o.At); err != nil {
			return nil, at(fmt.Errorf("operation %s: %w", o.Name, err), "$.operations[%d]", i)
		}
	}
	return names, nil
}

func (s *Spec) completeKind(k *Kind, what string) error {
	if len(k.Trees) == 0 {
		k.Trees, k.unnamed = []string{s.DefaultTree}, true
	}
	for _, name := range slices.Concat(k.Trees, k.Tentative, slices.Sorted(maps.Keys(k.Slow))) {
		if !s.hasTree(name) {
			return fmt.Errorf("%s: unknown tree %q", what, name)
		}
	}
	for tree, times := range k.Slow {
		if !(times > 0) {
			return fmt.Errorf("%s: slower_in: jobs in %s cannot run %v times as long", what, tree, times)
		}
	}
	set(&k.Type, "map")
	if len(k.Tasks) == 0 {
		return fmt.Errorf("%s has no tasks", what)
	}
	if _, err := pooltree.ParseTagFilter(k.TagFilter); err != nil {
		return fmt.Errorf("%s: scheduling_tag_filter: %w", what, err)
	}
	for i := range k.Tasks {
		t := &k.Tasks[i]
		if t.Jobs[0] < 1 || t.Jobs[1] < t.Jobs[0] {
			return fmt.Errorf("%s: jobs %v of a task must be [least, most], from 1", what, t.Jobs)
		}
		if t.Seconds[0] <= 0 || t.Seconds[1] < 0 {
			return fmt.Errorf("%s: seconds %v of a task must be [median, spread] above zero", what, t.Seconds)
		}
		t.Resources.complete()
	}
	for _, err := range []error{k.check(), k.checkTrees(), s.checkRoom(k)} {
		if err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
	}
	return nil
}

func (s *Spec) hasTree(name string) bool {
	for _, t := range s.trees {
		if t.name == name {
			return true
		}
	}
	return false
}

// set gives an option its default.
func set[T comparable](option *T, value T) {
	var zero T
	if *option == zero {
		*option = value
	}
}
