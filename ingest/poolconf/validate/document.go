package validate

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"slices"

	"poolproof/core/pooltree"
	"poolproof/core/resource"
	"poolproof/core/spec"
	"poolproof/ingest/input"
	"poolproof/ingest/joblog"
	"poolproof/ingest/poolconf"
)

// The most bytes of a configuration once it is unpacked: of an export in JSON, and of
// what people write.
const (
	largestExport = 512 << 20
	largestConfig = 16 << 20
)

// ReadText reads a whole configuration, plain, gzip or zstd.
func ReadText(path string) ([]byte, error) {
	f, err := joblog.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in := bufio.NewReader(f)
	most := int64(largestConfig)
	if head, _ := in.Peek(512); bytes.HasPrefix(bytes.TrimSpace(bytes.TrimPrefix(head, []byte("\ufeff"))), []byte("{")) {
		most = largestExport
	}
	text, err := io.ReadAll(io.LimitReader(in, most+1))
	if err != nil {
		return nil, fmt.Errorf("read configuration: %w", err)
	}
	if int64(len(text)) > most {
		return nil, input.Errorf("%s: it unpacks to more than %d MiB, the most that is read of such a configuration", path, most>>20)
	}
	return text, nil
}

// Document finds the spots of a file that holds the text, in the order of its lines.
func Document(d *poolconf.Document, text []byte, profile pooltree.Profile) *Spots {
	j := documentJudge{document: d, profile: profile, found: Spots{List: []Spot{}}}
	j.judgeTreeSet()
	for i := range d.Trees {
		j.judgeTree(&d.Trees[i])
	}
	j.judgeRefusals()
	if !d.Export && j.found.Illegal() == 0 {
		j.tryImport(text)
	}
	slices.SortStableFunc(j.found.List, func(a, b Spot) int { return a.Line - b.Line })
	return &j.found
}

type documentJudge struct {
	document *poolconf.Document
	profile  pooltree.Profile
	filters  []pooltree.TreeFilter
	found    Spots
}

func (j *documentJudge) addSpot(e *pooltree.RuleError, line int) {
	s := newSpot(e)
	s.Line = line
	j.found.List = append(j.found.List, s)
}

// judgeTreeSet judges the trees as a set, on the nodes that the file lists.
func (j *documentJudge) judgeTreeSet() {
	d := j.document
	set := &pooltree.TreeSet{Default: d.DefaultTree}
	lines, seen := map[string]int{}, map[string]bool{}
	for i := range d.Trees {
		t := &d.Trees[i]
		if rule := pooltree.CheckTreeName(j.profile, t.Name); rule != "" && t.Name != "" {
			j.addSpot(&pooltree.RuleError{Rule: rule, Tree: t.Name}, t.Line)
		}
		if seen[t.Name] {
			j.addSpot(&pooltree.RuleError{Rule: pooltree.DuplicateTree, Tree: t.Name}, t.Line)
			continue
		}
		seen[t.Name], lines[t.Name] = true, t.LineOf("nodes_filter")
		filter, written := pooltree.NodesFilter(t.Attributes)
		formula, err := pooltree.ParseFormula(filter)
		// Trees of an import need not say which nodes serve them: the log does.
		if err == nil && (written || d.Export) {
			j.filters = append(j.filters, pooltree.TreeFilter{Name: t.Name, Nodes: formula})
			set.Trees = append(set.Trees, j.filters[len(j.filters)-1])
		} else {
			nobody, _ := pooltree.ParseFormula("%false")
			set.Trees = append(set.Trees, pooltree.TreeFilter{Name: t.Name, Nodes: nobody})
		}
	}
	var nodes []pooltree.TaggedNode
	for i := range d.Nodes {
		if d.Nodes[i].Online {
			nodes = append(nodes, pooltree.TaggedNode{Name: d.Nodes[i].Name, Tags: d.Nodes[i].Tags})
		}
	}
	for _, e := range pooltree.LintTrees(set, nodes) {
		line := 1
		if e.Tree != "" {
			line = lines[e.Tree]
		}
		j.addSpot(e, line)
	}
}

// total returns the resources of the listed nodes of a tree, nil if none are listed.
func (j *documentJudge) total(tree string) *resource.Vector {
	if len(j.document.Nodes) == 0 {
		return nil
	}
	filter := slices.IndexFunc(j.filters, func(f pooltree.TreeFilter) bool { return f.Name == tree })
	if filter < 0 && len(j.document.Trees) > 1 {
		return nil // which of the nodes are its is not known
	}
	total, known := resource.Vector{}, resource.Partial{}
	for i := range j.document.Nodes {
		n := &j.document.Nodes[i]
		for k, set := range n.Limits.Set {
			known.Set[k] = known.Set[k] || set
		}
		if n.Online && (filter < 0 || j.filters[filter].Nodes.Match(n.Tags)) {
			total = total.Add(n.Limits.Amounts)
		}
	}
	known.Amounts = total
	total = known.Or(resource.Unlimited) // what no node lists is not known
	return &total
}

func (j *documentJudge) judgeTree(t *poolconf.DocumentTree) {
	j.found.Trees++
	j.found.Pools += len(t.Pools)
	stored := &pooltree.StoredTree{Options: t.Attributes, OldLayout: t.OldLayout}
	objects := map[string]*poolconf.Object{"": &t.Object}
	for i := range t.Pools {
		p := &t.Pools[i]
		stored.Pools = append(stored.Pools, pooltree.StoredPool{Name: p.Name, Parent: p.Parent, Attributes: p.Attributes})
		if objects[p.Name] == nil {
			objects[p.Name] = &p.Object
		}
	}
	again := map[string]int{}
	for _, e := range pooltree.Lint(j.profile, stored, pooltree.Cluster{Total: j.total(t.Name)}) {
		if e.Rule == pooltree.UnknownOption && !j.document.Export {
			continue // an import refuses it: see judgeRefusals
		}
		e.Tree = t.Name
		line := objects[e.Pool].LineOf(e.Option)
		if e.Rule == pooltree.GuaranteeAboveTotal {
			line = topLevelLine(t, e.Option)
		}
		if e.Rule == pooltree.DuplicateName {
			again[e.Pool]++
			line = duplicate(t, e.Pool, again[e.Pool])
		}
		j.addSpot(e, line)
	}
}

// topLevelLine is the first line on which a top-level pool sets an option, for a rule about all
// of them, or else that of the tree.
func topLevelLine(t *poolconf.DocumentTree, option string) int {
	for i := range t.Pools {
		if p := &t.Pools[i]; p.Parent == "" && p.Has(option) {
			return p.LineOf(option)
		}
	}
	return t.Line
}

// duplicate is the line on which a name stands for the nth time after the first.
func duplicate(t *poolconf.DocumentTree, pool string, n int) int {
	for i := range t.Pools {
		if t.Pools[i].Name == pool {
			if n == 0 {
				return t.Pools[i].Line
			}
			n--
		}
	}
	return 0
}

// judgeRefusals adds what the reader could not take, where no rule says it.
func (j *documentJudge) judgeRefusals() {
	for _, r := range j.document.Refusals {
		known := slices.ContainsFunc(j.found.List, func(s Spot) bool {
			return s.Tree == r.Tree && s.Pool == r.Pool && s.Option == r.Option && s.Severity != spec.Info
		})
		if known {
			continue
		}
		rule := pooltree.NotImportable
		if j.document.Export {
			rule = pooltree.WrongType
		}
		j.addSpot(&pooltree.RuleError{Rule: rule, Tree: r.Tree, Pool: r.Pool, Option: r.Option, Detail: r.Found}, r.Line)
	}
}

// tryImport reads the file as an import does: nothing may be called legal that
// an import refuses.
func (j *documentJudge) tryImport(text []byte) {
	_, err := poolconf.Parse(j.document.File, text)
	if bad, ok := err.(*input.PlaceError); ok {
		j.addSpot(&pooltree.RuleError{Rule: pooltree.NotImportable, Detail: bad.Found}, bad.Line)
	}
}
