package tables

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/apache/arrow/go/v17/arrow"

	"poolproof/core/rows"
)

// A Table is one result table.
type Table struct {
	Name     string
	Sentence string // one row per what
	Columns  []Column
	frequent bool // has many rows: ids are dictionary encoded
	row      reflect.Type
}

// Sorted reports whether the words of the column are sorted by their meaning: all but keys,
// which join with texts.
func (c Column) Sorted() bool { return c.Type == wordsType }

// A Column is one column of a table.
type Column struct {
	Name     string
	Unit     string // empty for text, truth values and ids
	Sentence string
	Type     arrow.DataType
	Nullable bool
	Words    []string // of a column that holds one out of a list, in the order of their meaning

	list  string                      // of a text that is one of textWords: which
	cells func(d *Dictionaries) cells // makes the column's buffer
}

// all are the tables in the order of the reference.
var all = []*Table{
	declare[Tree]("trees", "one row per pool tree", false),
	declare[TreeVersion]("tree_versions", "one row per span in which the settings of a tree that it holds did not change", false),
	declare[Pool]("pools", "one row per pool, with the last version of its settings", false),
	declare[PoolVersion]("pool_versions", "one row per configured pool and span in which its settings did not change", false),
	declare[Operation]("operations", "one row per operation in a tree", false),
	declare[Node]("nodes", "one row per span in which a node served a tree with constant resources, tags and segment", false),
	declare[Job]("jobs", "one row per job that held resources in the window", true),
	declare[PoolInterval]("pool_intervals", "one row per span of a pool in which its shares hardly moved", true),
	declare[OperationInterval]("operation_intervals", "one row per span of an operation in which its shares hardly moved", true),
	declare[GuaranteeEpisode]("guarantee_episodes", "one row per span in which a pool's usage stayed below what it was guaranteed and demanded", false),
	declare[StarvationEpisode]("starvation_episodes", "one row per span in which a pool or an operation starved by the rules, for one kind of share; those of two kinds may overlap, so that time starved is that of the view starvation_spans", false),
	declare[ShareDebt]("share_debts", "one row per pool or operation, span and cause of its lacking a share that it was guaranteed, entitled to or demanded", true),
	declare[LimitEpisode]("limit_episodes", "one row per span in which a limit was exceeded", false),
	declare[ObstacleSpan]("operation_obstacles", "one row per span in which an operation waited for jobs and no node would have started one of it", false),
	declare[UnschedulableEpisode]("unschedulable_episodes", "one row per span in which even the smallest job that an operation waited for exceeds a specified limit", false),
	declare[Admission]("admissions", "one row per recorded step of an operation that rules of admission judge, and per rule that it breaks", false),
	declare[PendingEpisode]("pending_episodes", "one row per span in which an operation waited for admission", false),
	declare[ConfigurationFault]("configuration_faults", "one row per rule that a configuration in force or refused broke, and span", false),
	declare[ExcuseWindow]("excuse_windows", "one row per global excuse window: the scheduler was away, or its configuration may not have been in force", false),
	declare[EarlierGuaranteeEpisode]("earlier_guarantee_episodes", "one row per guarantee episode that was open when the window began: its part before the window, as far as the log records it", false),
	declare[EarlierStarvationEpisode]("earlier_starvation_episodes", "one row per starvation episode that was open when the window began: its part before the window, as far as the log records it; and those before it, for the other share, since which the element has starved without a break", false),
	declare[EarlierLimitEpisode]("earlier_limit_episodes", "one row per limit episode that was open when the window began: its part before the window, as far as the log records it", false),
	declare[EarlierUnschedulableEpisode]("earlier_unschedulable_episodes", "one row per unschedulable episode that was open when the window began: its part before the window, as far as the log records it", false),
	declare[EarlierPendingEpisode]("earlier_pending_episodes", "one row per pending episode that was open when the window began: its part before the window, as far as the log records it", false),
	declare[EarlierExcuseWindow]("earlier_excuse_windows", "one row per global excuse window before the window, or part of one there", false),
	declare[MisplacedJob]("misplaced_jobs", "one row per started job and rule of trees and tags that it breaks", false),
	declare[TotalEpisode]("total_episodes", "one row per resource and span in which the recorded total of the tree was not that of its nodes", false),
	declare[SharedNode]("shared_nodes", "one row per tree and span in which the tags of a node matched the filters of several trees", false),
	declare[TreeSet]("tree_sets", "one row per span of the settings above all trees", false),
	declare[TreeChoice]("tree_choices", "one row per operation that started or was refused, and tree in which the log records it", false),
	declare[TreeCheck]("tree_checks", "one row per operation and rule by which it was judged over all its trees, in each of them", false),
	declare[Decision]("decisions", "one row per rule that a recorded start or preemption did not simply pass", true),
	declare[DecisionCount]("decision_counts", "one row per minute, rule and verdict: all starts and preemptions judged", true),
	declare[Preemption]("preemptions", "one row per job that was taken away or asked to finish, with what proves it fair or unfair", true),
	declare[Consideration]("considerations", "one row per stage, operation and job that a heartbeat would have considered at an instant asked about (--ask)", false),
	declare[MissedRepair]("missed_repairs", "one row per span in which a limit was exceeded and the heartbeats of a node took nothing away for it, although they could have", false),
	declare[LostWork]("lost_work", "one row per span in which an operation lived on after preempted jobs of it were aborted, and neither started nor asked for any", false),
	declare[IdleNode]("idle_nodes", "one row per span in which the heartbeats of a node started nothing although an operation could have had a job of it", false),
	declare[SegmentMove]("segment_moves", "one row per node that was given another scheduling segment", false),
	declare[SnapshotPool]("snapshot_pools", "one row per span in which the scheduler recorded the same of a pool, with what the replay makes of it", true),
	declare[SnapshotOperation]("snapshot_operations", "one row per span in which the scheduler recorded the same of an operation, with what the replay makes of it", true),
	declare[SnapshotError]("snapshot_errors", "one row per span in which a recorded value was not the recomputed one", false),
	declare[ShareAgreement]("share_agreements", "one row per kind of element, state of the inputs and decade of the difference between recorded fair shares and those that the recorded inputs give", false),
	declare[DeficitAgreement]("deficit_agreements", "one row per state of the inputs and decade of the difference between deficits that operations accumulated and those that records and jobs give", false),
	declare[SnapshotCheck]("snapshot_checks", "one row per span in which what the scheduler recorded of an element broke a rule", false),
	declare[SnapshotTally]("snapshot_tallies", "one row per rule that the scheduler's records were judged by, pool, pools or operations, and version of the pool's settings", false),
	declare[Coverage]("coverage", "one row per thing that the trace lets a reader judge, or not", false),
	declare[Problem]("problems", "one row per row of input that could not be used", false),
}

// All returns the declared tables.
func All() []*Table { return all }

// of returns the table whose rows are of the given type.
func of[Row any]() *Table {
	t := reflect.TypeFor[Row]()
	for _, table := range all {
		if table.row == t {
			return table
		}
	}
	panic(fmt.Sprintf("%v is no row of a declared table", t))
}

// declare derives a table from the struct of its rows.
func declare[Row any](name, sentence string, frequent bool) *Table {
	row := reflect.TypeFor[Row]()
	t := &Table{Name: name, Sentence: sentence, frequent: frequent, row: row}
	t.Columns = append(t.Columns, Column{
		Name: "tree", Sentence: "name of the pool tree", Type: dictionaryType,
		cells: func(d *Dictionaries) cells { return &indexCells{of: dictionaryType, dictionary: d.tree, get: always} },
	})
	for _, f := range rows.Of(row) {
		c := Column{Name: f.Name, Unit: f.Tag("unit"), Sentence: f.Doc, Nullable: f.Nullable, list: f.Tag("words")}
		t.Columns = append(t.Columns, columnsOf(c, &f, frequent)...)
	}
	return t
}

// chosen are the columns of an extract.
func (t *Table) chosen(e Extract) []Column {
	if e == nil {
		return t.Columns
	}
	var chosen []Column
	for i, c := range t.Columns {
		if e(t, i) {
			chosen = append(chosen, c)
		}
	}
	return chosen
}

// Holds reports whether an extract has one of some columns of the table of a kind of row. It panics
// if the table has no such column.
func Holds[Row any](e Extract, columns ...string) bool {
	t := of[Row]()
	held := false
	for _, name := range columns {
		at := slices.IndexFunc(t.Columns, func(c Column) bool { return c.Name == name })
		if at < 0 {
			panic(fmt.Sprintf("table %s has no column %s", t.Name, name))
		}
		held = held || e == nil || e(t, at)
	}
	return held
}

// schema is the Arrow schema of some of the table's columns, with sentences and units as metadata.
func (t *Table) schema(columns []Column) *arrow.Schema {
	fields := make([]arrow.Field, len(columns))
	for i, c := range columns {
		fields[i] = arrow.Field{
			Name: c.Name, Type: c.Type, Nullable: c.Nullable,
			Metadata: arrow.NewMetadata([]string{"sentence", "unit"}, []string{c.Sentence, c.Unit}),
		}
	}
	meta := arrow.NewMetadata([]string{"table", "sentence"}, []string{t.Name, t.Sentence})
	return arrow.NewSchema(fields, &meta)
}
