package synthetic

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"poolproof/core"
	"poolproof/core/scheduling"
	"poolproof/core/simulate"
	"poolproof/core/spelling"
	"poolproof/ingest/atomicdir"
	"poolproof/ingest/input"
)

// A Plant is a kind of planted violation, or a legal look-alike of one. It
// has trees of its own, named after it, in which the scheduler errs at a known
// moment. plants/*.yaml declares the kinds.
type Plant struct {
	Kind        string `yaml:"kind"`
	Sentence    string `yaml:"sentence"` // what the scheduler does
	Expectation `yaml:"expect"`
	Faults      []Fault  `yaml:"faults"`
	Ground      []string `yaml:"ground"` // descriptions of plants/grounds.yaml that its own extends

	name        string        // of its tree, if that must not reveal the kind
	description yaml.MapSlice // of its cluster; TREE is its tree's name
}

// An Expectation lists the findings that audits must report in the plant's trees.
type Expectation struct {
	Severity string `yaml:"-"` // of the rules that are broken: critical, major, minor, info; none for a look-alike

	// Invariants are broken (core/spec/invariants.md), for the subject and
	// in the span. Consequences are, or may be, broken because of that.
	Invariants   []string `yaml:"invariants"`
	Consequences []string `yaml:"consequences"`
	// The tree shows these with the fault or without it, and they must not be reported as violations:
	// Excused rules hold only because of a listed exception, and are reported as such;
	// Suspected ones are broken under one hypothesis that the log leaves open;
	// Noted ones are reported with severity info.
	Excused   []string `yaml:"excused"`
	Suspected []string `yaml:"suspected"`
	Noted     []string `yaml:"noted"`

	Subject string   `yaml:"subject"` // a pool, or an operation or node of the description
	About   string   `yaml:"about"`   // what the subject is: pool, operation, node or tree
	From    Duration `yaml:"from"`    // span of the fault, counted from the window's start
	To      Duration `yaml:"to"`
}

// A field is the part of a simulation that a plant's fault may alter.
type field struct {
	*draft
	plan     *simulate.Plan
	recorder *recorder
	tree     int // the plant's first tree
	plant    *Plant
	from, to core.Time
	injector simulate.FaultInjector // applies in the plant's trees only

	watched  bool // a fault acts during the simulation, and not on the plan
	happened bool // it had an effect
	reported bool // a node of the plant's trees sent a heartbeat within the span
}

// Planted describes a plant of a trace, as the file beside the trace holds it.
type Planted struct {
	Kind         string   `json:"kind"`
	Severity     string   `json:"severity"`
	Tree         string   `json:"tree"`
	About        string   `json:"about"`   // pool, operation, node or tree
	Subject      string   `json:"subject"` // its name or id in the trace
	From         string   `json:"from"`
	To           string   `json:"to"`
	Invariants   []string `json:"invariants"`
	Consequences []string `json:"consequences"`
	Excused      []string `json:"excused"`
	Suspected    []string `json:"suspected"`
	Noted        []string `json:"noted"`
	Sentence     string   `json:"sentence"`
}

// find returns the plants of the kinds.
func find(kinds []string) ([]*Plant, error) {
	if len(kinds) == 0 {
		return nil, nil
	}
	all := Plants()
	var found []*Plant
	for _, kind := range kinds {
		i := slices.IndexFunc(all, func(p Plant) bool { return p.Kind == kind })
		if i < 0 {
			return nil, &UnknownPlantError{kind}
		}
		if !slices.Contains(found, &all[i]) {
			found = append(found, &all[i])
		}
	}
	return found, nil
}

// Known refuses kinds of plants that there are not: an *UnknownPlantError.
func Known(kinds []string) error {
	_, err := find(kinds)
	return err
}

// Kinds are the names of all plants.
func Kinds() (kinds []string) {
	for _, p := range Plants() {
		kinds = append(kinds, p.Kind)
	}
	return kinds
}

// An UnknownPlantError is a kind of plant that there is not.
type UnknownPlantError struct{ Kind string }

func (e *UnknownPlantError) Error() string {
	return fmt.Sprintf("unknown plant %q; %s", e.Kind, spelling.MeantOr(e.Kind, Kinds(), "--list-plants lists them"))
}

// Breaking are the kinds of the plants that break one of the rules.
func Breaking(rules ...string) (kinds []string) {
	for _, p := range Plants() {
		if slices.ContainsFunc(p.Invariants, func(rule string) bool { return slices.Contains(rules, rule) }) {
			kinds = append(kinds, p.Kind)
		}
	}
	return kinds
}

// treeName is the name of a plant's tree.
func (p *Plant) treeName() string {
	return cmp.Or(p.name, "plant-"+strings.ReplaceAll(p.Kind, "_", "-"))
}

// neutral names the trees of plants so that they do not tell what is wrong in them: by a
// hash of the kind and the seed.
func neutral(plants []*Plant, seed uint64) {
	for _, p := range plants {
		sum := sha256.Sum256(fmt.Appendf(nil, "%d %s", seed, p.Kind))
		p.name = fmt.Sprintf("tree-%x", sum[:4])
	}
}

// withPlants puts the plants' trees beside those of a description; named may name them.
func withPlants(s *Spec, kinds []string, named func([]*Plant)) (*Spec, []*Plant, error) {
	plants, err := find(kinds)
	if err != nil {
		return nil, nil, err
	}
	if named != nil {
		named(plants)
	}
	var all Spec
	if s != nil {
		all = *s
	}
	specs := make([]*Spec, len(plants))
	for i, p := range plants {
		if specs[i], err = p.Description(); err != nil {
			return nil, nil, err
		}
	}
	if err := agree(s, plants, specs); err != nil {
		return nil, nil, err
	}
	takeTurns(plants, specs)
	for i, p := range plants {
		own := specs[i]
		if len(all.trees) == 0 {
			all = *own
			continue
		}
		if i == 0 { // the scheduler is the plant's where the description leaves it open
			all.Profile = cmp.Or(all.Profile, own.Profile)
			all.MaxStartedJobs = cmp.Or(all.MaxStartedJobs, own.MaxStartedJobs)
		}
		if err := p.fits(own, &all); err != nil {
			return nil, nil, err
		}
		all.Length = max(all.Length, own.Length)
		all.trees = slices.Concat(all.trees, own.trees)
		all.Nodes = slices.Concat(all.Nodes, own.Nodes)
		all.Operations = slices.Concat(all.Operations, own.Operations)
		all.Changes = slices.Concat(all.Changes, own.Changes)
	}
	slices.SortStableFunc(all.Changes, func(a, b Change) int { return int(a.At - b.At) })
	return &all, plants, nil
}

// plant lets the plants alter the plan, and returns where they grow.
func (d *draft) plant(p *simulate.Plan, r *recorder, plants []*Plant, innocent bool) ([]*field, error) {
	fields := slices.Repeat([]*field{{injector: harmless}}, len(p.Trees))
	var garden []*field
	for _, plant := range plants {
		f := d.field(plant)
		f.plan, f.recorder = p, r
		if !innocent {
			if d.spec.SnapshotPeriod == 0 && slices.ContainsFunc(plant.Faults, func(d Fault) bool { return d.ofSnapshots() }) {
				return nil, plantErrorf(plant.Kind, "it is recorded in snapshots, and the description has none: give it a snapshot_period, as 1s")
			}
			plant.each(injections, f)
		}
		for i := range d.trees {
			if name := d.trees[i].name; name == plant.treeName() || name == plant.treeName()+secondTree {
				fields[i] = f
			}
		}
		garden = append(garden, f)
	}
	p.FaultInjector = injectorOf(fields)
	r.status = p.FaultInjector.Status
	return garden, nil
}

// secondTree ends the name of a plant's second tree.
const secondTree = ".b"

func (d *draft) field(p *Plant) *field {
	return &field{
		draft: d, tree: d.tree(p.treeName()), plant: p, injector: harmless,
		from: d.window.From + core.Time(p.From), to: d.window.From + core.Time(p.To),
	}
}

func (f *field) planted() Planted {
	p := f.plant
	subject := p.Subject
	switch p.About {
	case "operation":
		subject = f.operations[f.operation(p.Subject)].id
	case "node", "tree":
		subject = p.treeName() + p.Subject
	}
	list := func(ids []string) []string { return append([]string{}, ids...) }
	return Planted{
		Kind: p.Kind, Severity: p.Severity, Tree: p.treeName(), About: p.About, Subject: subject,
		From: clock(f.from), To: clock(f.to),
		Invariants: list(p.Invariants), Consequences: list(p.Consequences), Excused: list(p.Excused),
		Suspected: list(p.Suspected), Noted: list(p.Noted), Sentence: p.Sentence,
	}
}

func clock(t core.Time) string {
	return time.UnixMicro(int64(t)).UTC().Format("2006-01-02T15:04:05.999999Z")
}

// harmless is an injector that alters nothing.
var harmless = simulate.FaultInjector{
	Place: func(_ core.Time, _ int, _ core.OperationID, pool string, refused error) (string, error) {
		return pool, refused
	},
	Bar: func(_ core.Time, _ core.OperationID, code int32) int32 { return code },
	Move: func(_ core.Time, _ int, _ core.OperationID, pool string, refused error) (string, error) {
		return pool, refused
	},
	Run:    func(_ core.Time, _ int, o core.OperationID) core.OperationID { return o },
	Decide: func(_ *simulate.Heartbeat, d *core.Decision) *core.Decision { return d },
	Status: func(_ core.Time, _ int, _ core.OperationID, s scheduling.Status) scheduling.Status { return s },
	Keep:   func(core.Time, int, core.NodeID) bool { return false },
	Stop:   func(_ core.Time, _ int, _ core.OperationID, e simulate.Ending) simulate.Ending { return e },
}

// injectorOf asks in every tree the plant that grows there; in others there is a field of
// none.
func injectorOf(fields []*field) simulate.FaultInjector {
	return simulate.FaultInjector{
		Place: func(at core.Time, tree int, o core.OperationID, pool string, refused error) (string, error) {
			return fields[tree].injector.Place(at, tree, o, pool, refused)
		},
		Bar: func(at core.Time, o core.OperationID, code int32) int32 {
			for _, f := range fields {
				code = f.injector.Bar(at, o, code)
			}
			return code
		},
		Move: func(at core.Time, tree int, o core.OperationID, pool string, refused error) (string, error) {
			return fields[tree].injector.Move(at, tree, o, pool, refused)
		},
		Run: func(at core.Time, tree int, o core.OperationID) core.OperationID {
			return fields[tree].injector.Run(at, tree, o)
		},
		Decide: func(h *simulate.Heartbeat, d *core.Decision) *core.Decision {
			f := fields[h.Tree]
			f.reported = f.reported || h.At >= f.from && h.At < f.to
			return f.injector.Decide(h, d)
		},
		Status: func(at core.Time, tree int, o core.OperationID, s scheduling.Status) scheduling.Status {
			return fields[tree].injector.Status(at, tree, o, s)
		},
		Keep: func(at core.Time, tree int, n core.NodeID) bool { return fields[tree].injector.Keep(at, tree, n) },
		Stop: func(at core.Time, tree int, o core.OperationID, e simulate.Ending) simulate.Ending {
			return fields[tree].injector.Stop(at, tree, o, e)
		},
	}
}

// operation is the number of an operation of the plant's description.
func (f *field) operation(name string) core.OperationID {
	id, known := f.byName[f.plant.treeName()+"-"+name]
	if !known {
		panic(fmt.Sprintf("synthetic: plant %s has no operation %q", f.plant.Kind, name))
	}
	return id
}

// WritePlanted writes what was planted to a file.
func WritePlanted(file, tracePath string, planted []Planted) error {
	b, err := json.MarshalIndent(struct {
		Version int       `json:"version"`
		Trace   string    `json:"trace"`
		Planted []Planted `json:"planted"`
	}{1, tracePath, planted}, "", "  ")
	if err != nil {
		return fmt.Errorf("write what was planted: %w", err)
	}
	if err := atomicdir.WriteFile(file, append(b, '\n'), 0o644); err != nil {
		return fmt.Errorf("write what was planted: %w", err)
	}
	return nil
}

// maxPlanted is the most bytes of a file of plants.
const maxPlanted = 64 << 20

// PlantedTrace is the trace that a file says what was planted in. A file that
// cannot be read, or is of another kind, is an error.
func PlantedTrace(file string) (string, error) {
	b, err := input.ReadAll(file, maxPlanted)
	if err != nil {
		return "", err
	}
	var head struct {
		Trace   string    `json:"trace"`
		Planted []Planted `json:"planted"`
	}
	if err := json.Unmarshal(b, &head); err != nil || head.Trace == "" || head.Planted == nil {
		return "", fmt.Errorf("%s does not say what was planted", file)
	}
	return head.Trace, nil
}

// HasTwin reports whether there is the same cluster without the fault
// (Options.Innocent). Of others the description itself is what is wrong.
func (p *Plant) HasTwin() bool {
	return p.Severity != "none" && len(p.Faults) > 0
}

// OfTheWholeScheduler reports whether the plant is more than its own trees: what
// happens to the scheduler's process or to the settings above all trees happens in
// every tree of the trace, and a trace has one profile.
func (p *Plant) OfTheWholeScheduler() bool {
	own, err := p.Description()
	return err == nil && (own.MaxStartedJobs > 0 || p.has("profile") || own.disturbs())
}
