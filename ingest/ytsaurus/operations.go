package ytsaurus

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"poolproof/core"
	"poolproof/ingest/trace"
)

// An operation is what the rows say of one, but for its spec. Rows may come in
// any order and more than once.
type operation struct {
	id                guid
	user, kind        string
	title, alias      string
	annotations       string // as a column, or else in the spec
	specAnnotations   string
	pool, lastPool    string // in the default tree, at its start and at its end
	start             core.Time
	startRow          core.Time // of operation_started; 0 if the log has none
	prepared          []core.Time
	materialized      []core.Time
	end               operationEnd
	jobCount          core.Optional[int64]
	gang              core.Optional[bool]
	trees             []operationTree
	changes           []change
	banned            []treeStep
	erased            []treeID
	specTrees         []treeID // that its spec asks for
	singleTree        bool     // it keeps one of them once it is materialized
	seen, lastSeen    core.Time
	firstJob, lastJob core.Time // of starts; 0 without any
	held              []holding // by tree
	lastCompleted     core.Time // end of a job; 0 without any
	materializing     core.Time // when it was prepared and had a place in some tree; 0 if nothing says
	writer            string    // of the structured log that tells its jobs; "" of a table
	number            core.OperationID
}

// An operationEnd is how an operation ended; the zero value says that it did
// not, as far as the log goes.
type operationEnd struct {
	row, time core.Time
	event     eventType
	code      int32
	lost      bool // nothing but its absence shows it
	message   string
}

// An operationTree is what rows say of an operation in one tree, but for
// snapshots.
type operationTree struct {
	tree     treeID
	pool     string // where operation_started puts it
	lastPool string // where the row of its end, or the archive, does
	options  core.Optional[treeOptions]
	lastJob  core.Time // that started there; 0 without any
}

// treeOptions are an operation's parameters in one tree.
type treeOptions struct {
	pool   string
	weight core.Optional[float64]
	limit  trace.PartialResources
	// tagFilter is scheduling_tag_filter, of a change alone: an end does not say since when it holds.
	tagFilter core.Optional[string]
	treeRole
}

// A treeRole is what a tree is to an operation, from its start until it leaves it.
type treeRole struct {
	tentative, probing, offloading core.Optional[bool]
}

// A change is a row with an operation's new parameters.
type change struct {
	time    core.Time
	who     string
	tree    treeID // noTree: all that it has
	options treeOptions
}

// A treeStep is a moment in one tree.
type treeStep struct {
	time core.Time
	tree treeID
}

// A starvationStep is a row of the newest logs.
type starvationStep struct {
	time      core.Time
	operation guid
	tree      treeID
	finished  bool
	status    string
	fair      core.Optional[trace.Shares]
	usage     core.Optional[trace.Shares]
}

// sight notes that the log speaks of an operation, and when.
func (l *loader) sight(id guid, at core.Time) *operation {
	o := l.operations[id]
	if o == nil {
		o = &operation{id: id, seen: at, lastSeen: at}
		l.operations[id] = o
	}
	o.seen, o.lastSeen = min(o.seen, at), max(o.lastSeen, at)
	return o
}

// in returns what is known of the operation in a tree.
func (o *operation) in(tree treeID) *operationTree {
	i := slices.IndexFunc(o.trees, func(t operationTree) bool { return t.tree == tree })
	if i < 0 {
		o.trees = append(o.trees, operationTree{tree: tree})
		i = len(o.trees) - 1
	}
	return &o.trees[i]
}

// operationRow takes a row about an operation in.
func (l *loader) operationRow(event eventType, c *columnSet) {
	if event == runtimeParametersInfo && c[keyOperationID].isNull() {
		l.dialect.saw(anonymousChanges, l.at)
		l.anonymous = append(l.anonymous, l.at)
		return
	}
	id, ok := l.id(c[keyOperationID], "operation_id")
	if !ok {
		return
	}
	o := l.sight(id, l.at)
	switch event {
	case operationStarted:
		if o.startRow == 0 || l.at < o.startRow {
			o.startRow = l.at
		}
		l.describe(o, c)
		o.pool = max(o.pool, l.poolName(c[keyPool]))
		l.treeInfo(o, c[keyTreeInfo], func(in *operationTree) *string { return &in.pool })
	case operationPrepared:
		o.prepared = append(o.prepared, l.at)
	case operationMaterialized:
		o.materialized = append(o.materialized, l.at)
	case operationCompleted, operationFailed, operationAborted:
		l.ended(o, event, c)
	case operationBanned:
		if tree := c[keyTree].bytes(); usable(tree) {
			o.banned = append(o.banned, treeStep{l.at, l.tree(tree)})
		} else {
			l.quarantine("tree_id", missingField, "")
		}
	case runtimeParametersInfo:
		l.dialect.saw(namedChanges, l.at)
		l.changed(o, l.names.of(c[keyUser].bytes()), c[keyRuntimeParameters])
	case starvationStarted, starvationFinished:
		tree := c[keyTree].bytes()
		if !usable(tree) {
			l.quarantine("tree_id", missingField, "")
			return
		}
		l.dialect.saw(starvationRows, l.at)
		step := starvationStep{time: l.at, operation: id, tree: l.tree(tree), finished: event == starvationFinished, status: c[keyStarvation].string()}
		if s, ok := c[keyCurrentFairShare].shares(); ok {
			step.fair = core.Some(s)
		}
		if s, ok := c[keyCurrentUsage].shares(); ok {
			step.usage = core.Some(s)
		}
		l.starvation = append(l.starvation, step)
	}
}

// changed takes in an operation's new parameters. Those of the operation hold in all of its trees.
func (l *loader) changed(o *operation, who string, parameters cursor) {
	l.lookAtParameters(parameters)
	filter := l.tagFilter(parameters)
	trees := 0
	for t := range parameters.get(keyOptionsPerTree).children {
		if usable(t.name()) {
			options := l.treeOptions(t)
			if options.tagFilter = l.tagFilter(t); !options.tagFilter.Set {
				options.tagFilter = filter
			}
			o.changes = append(o.changes, change{l.at, who, l.tree(t.name()), options})
			trees++
		}
	}
	if trees == 0 && filter.Set {
		o.changes = append(o.changes, change{l.at, who, noTree, treeOptions{tagFilter: filter}})
	}
}

// lookAtParameters counts the keys of run-time parameters that are not read.
func (l *loader) lookAtParameters(parameters cursor) {
	l.unread.look(inParameters, parameters)
	for t := range parameters.get(keyOptionsPerTree).children {
		l.unread.look(inTreeParameters, t)
	}
}

// tagFilter reads the filter of tags in parameters, an empty one of none.
func (l *loader) tagFilter(parameters cursor) core.Optional[string] {
	switch c := parameters.get(keyTagFilter); c.kind() {
	case text:
		return core.Some(c.string())
	case null:
	default:
		l.note("scheduling_tag_filter", badField, string(c.appendJSON(nil)))
	}
	return core.Optional[string]{}
}

// describe takes in what the rows of start and end say alike. Where they
// differ, the greater text counts, whatever comes first.
func (l *loader) describe(o *operation, c *columnSet) {
	o.kind = max(o.kind, l.names.of(c[keyOperationType].bytes()))
	o.user = max(o.user, l.names.of(c[keyUser].bytes()))
	o.annotations = max(o.annotations, l.annotations(c[keyAnnotations]))
	spec := c[keySpec]
	if spec.kind() != mapping {
		return
	}
	o.title, o.alias = max(o.title, spec.get(keyTitle).string()), max(o.alias, spec.get(keyAlias).string())
	o.jobCount = greater(o.jobCount, jobsAsked(spec), compareCounts)
	o.gang = greater(o.gang, spec.get(keyIsGang).flag(), compareBools)
	o.singleTree = o.singleTree || spec.get(keySingleTree).flag().Value
	o.specAnnotations = max(o.specAnnotations, l.annotations(spec.get(keyAnnotations)))
	for t := range spec.get(keyPoolTrees).children {
		if tree := t.bytes(); usable(tree) {
			if id := l.tree(tree); !slices.Contains(o.specTrees, id) {
				o.specTrees = append(o.specTrees, id)
			}
		}
	}
	l.unread.look(inSpec, spec)
	l.keepSpec(o.id, spec, ofLog)
}

// The sources of a spec, in the order in which they count.
const (
	ofLog byte = iota
	ofArchive
)

func (l *loader) keepSpec(id guid, spec cursor, teller byte) {
	l.json = spec.appendSortedJSON(l.json[:0])
	if len(l.json) > longestSpec {
		l.note("spec", textTooLong, "")
		return
	}
	e := &l.rec
	e.begin(specRecords, noTree)
	e.guid(id)
	e.byte(teller)
	e.text(l.json)
	l.keep()
}

// annotations returns an operation's annotations, as JSON.
func (l *loader) annotations(c cursor) string {
	if c.kind() != mapping {
		return ""
	}
	l.json = c.appendSortedJSON(l.json[:0])
	if len(l.json) > longestName {
		l.note("annotations", textTooLong, "")
		return ""
	}
	return string(l.json)
}

// jobsAsked is how many jobs a spec asks for: in all, or the sum of its tasks.
func jobsAsked(spec cursor) core.Optional[int64] {
	if n := spec.get(keyJobCount).count(); n.Set {
		return n
	}
	var sum core.Optional[int64]
	for task := range spec.get(keyTasks).children {
		n := task.get(keyJobCount).count()
		if !n.Set || sum.Value > math.MaxInt64-n.Value {
			return core.Optional[int64]{}
		}
		sum = core.Some(sum.Value + n.Value)
	}
	return sum
}

// treeInfo takes scheduling_info_per_tree in, and the pools in it as those of a moment.
func (l *loader) treeInfo(o *operation, info cursor, poolOf func(*operationTree) *string) {
	for t := range info.children {
		if !usable(t.name()) {
			continue
		}
		tree := l.tree(t.name())
		pool := poolOf(o.in(tree))
		*pool = max(*pool, l.poolName(t.get(keyPool)))
		parent := ""
		for p := range t.get(keyAncestors).children {
			name := p.bytes()
			if !usable(name) {
				break
			}
			if l.seePool(tree, name, l.at) != nil {
				l.above(tree, name, parent, l.at)
			}
			parent = l.names.of(name)
		}
	}
}

// treeOptions reads an entry of scheduling_options_per_pool_tree.
func (l *loader) treeOptions(t cursor) treeOptions {
	o := treeOptions{
		pool: l.poolName(t.get(keyPool)), weight: t.get(keyWeight).number(),
		treeRole: treeRole{t.get(keyTentative).flag(), t.get(keyProbing).flag(), t.get(keyOffloading).flag()},
	}
	var ok bool
	if o.limit, ok = t.get(keyLimits).partialResources(); !ok {
		l.note("resource_limits", badField, string(t.get(keyLimits).appendJSON(nil)))
	}
	return o
}

func (l *loader) ended(o *operation, event eventType, c *columnSet) {
	finish, ok := c[keyFinishTime].time()
	if !ok {
		finish = l.at
	}
	if start, ok := c[keyStartTime].time(); ok {
		if start > finish {
			l.quarantine("finish_time", finishFirst, c[keyFinishTime].string())
			return
		}
		o.startsAt(start)
	}
	end := operationEnd{row: l.at, time: finish, event: event}
	end.code, end.message = errorOf(c[keyError])
	if o.end == (operationEnd{}) || end.compare(&o.end) < 0 {
		o.end = end
	}
	l.describe(o, c)
	o.lastPool = max(o.lastPool, l.poolName(c[keyPool]))
	l.treeInfo(o, c[keyTreeInfo], func(in *operationTree) *string { return &in.lastPool })
	parameters := c[keyRuntimeParameters]
	l.lookAtParameters(parameters)
	for t := range parameters.get(keyOptionsPerTree).children {
		if usable(t.name()) {
			in, options := o.in(l.tree(t.name())), core.Some(l.treeOptions(t))
			in.options = greater(in.options, options, func(a, b treeOptions) int { return a.compare(&b) })
		}
	}
	o.erased = l.erasedTrees(o.erased, parameters)
	l.lastAccumulated(o.id, finish, c)
}

// erasedTrees adds the trees that an operation was taken from.
func (l *loader) erasedTrees(erased []treeID, parameters cursor) []treeID {
	for t := range parameters.get(keyErasedTrees).children {
		if usable(t.bytes()) {
			if id := l.tree(t.bytes()); !slices.Contains(erased, id) {
				erased = append(erased, id)
			}
		}
	}
	return erased
}

// errorOf reads the code and the message of an error; of none 0.
func errorOf(c cursor) (code int32, message string) {
	n, ok := c.get(keyCode).int()
	if !ok || n == 0 || n < math.MinInt32 || n > math.MaxInt32 {
		return 0, ""
	}
	return int32(n), c.get(keyMessage).string()
}

// compare orders the ends that several rows record: the earliest counts.
func (e *operationEnd) compare(f *operationEnd) int {
	return cmp.Or(cmp.Compare(e.row, f.row), cmp.Compare(e.time, f.time), cmp.Compare(e.event, f.event),
		cmp.Compare(e.code, f.code), strings.Compare(e.message, f.message))
}

// startsAt notes the start_time that a row records: the earliest of several.
func (o *operation) startsAt(t core.Time) {
	if o.start == 0 || t < o.start {
		o.start = t
	}
}
