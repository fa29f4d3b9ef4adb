package trace

import (
	"reflect"

	"poolproof/core/rows"
	"poolproof/ingest/parquetlog"
)

// The tables of a bundle (ingest/trace/FORMAT.md §3), in the order in which a Copy goes over
// them. A new table is a row struct and an entry here.
var (
	Operations = declare[Operation]("operations", "One row per operation.", Table{Order: ByNumber, Folders: inDim})
	Pools      = declare[Pool]("pools", "One row per pool of any tree.", Table{Order: ByNumber, Folders: inDim})
	Nodes      = declare[Node]("nodes", "One row per node.", Table{Order: ByNumber, Folders: inDim})

	TreeConfigs = declare[TreeConfig]("tree_config", "One row per version of the tree's settings.", Table{Lasts: true, Folders: inTree})
	PoolConfigs = declare[PoolConfig]("pool_config", "One row per version of a pool.", Table{Lasts: true, Folders: inTree})
	NodeStates  = declare[NodeState]("node_state", "One row per change of a node.", Table{Lasts: true, Folders: inTree | inGlobal})
	Heartbeats  = declare[Heartbeat]("heartbeats", "One row per heartbeat.", Table{Large: true, Passing: true, Part: "heartbeats", Folders: inTree})
	// The jobs precede what refers to them.
	Jobs        = declare[Job]("jobs", "One row per job, in the order of their start.", Table{Large: true, Folders: inTree})
	Allocations = declare[Allocation]("allocations", "One row per change of a job that a heartbeat carried.", Table{Large: true, Part: "allocations", Folders: inTree})
	OpEvents    = declare[OpEvent]("op_events", "One row per step in the life of an operation.", Table{Large: true, Folders: inTree})
	Demands     = declare[Demand]("demand", "One row per change of an operation's unmet need.", Table{Large: true, Lasts: true, Folders: inTree})
	SnapTrees   = declare[SnapTree]("snap_tree", "One row per recorded snapshot.", Table{Large: true, Passing: true, Part: "snapshots", Folders: inTree})
	SnapPools   = declare[SnapPool]("snap_pools", "One row per pool and recorded snapshot.", Table{Large: true, Passing: true, Part: "snapshots", Folders: inTree})
	SnapOps     = declare[SnapOp]("snap_ops", "One row per operation and recorded snapshot.", Table{Large: true, Passing: true, Part: "snapshots", Folders: inTree})
	Reports     = declare[Accumulated]("accumulated", "One row per operation and usage report.", Table{Large: true, Passing: true, Part: "accumulated", Folders: inTree})

	ClusterConfigs = declare[ClusterConfig]("cluster_config", "One row per version of the settings above all trees.", Table{Lasts: true, Folders: inGlobal})
	ProcessEvents  = declare[ProcessEvent]("process_events", "One row per event in the life of the scheduler's processes.", Table{Folders: inGlobal})
	Problems       = declare[Problem]("problems", "One row per record of the source that could not be used.", Table{Order: ByNothing, Part: "problems", Folders: inGlobal})
)

// Tables are the tables of a bundle, in the order of their declaration.
var Tables []*Table

// A Table describes a table to code that treats all tables alike.
type Table struct {
	*parquetlog.Table
	Order   Order
	Large   bool    // it grows with the log: its files are numbered; other tables are settings
	Lasts   bool    // a row holds from its time on, until the next with the same first reference
	Passing bool    // a row says what was at its moment, and nothing of later
	Part    string  // the part of a log that it belongs to and that can be left out as a whole; empty if it cannot
	Folders folders // which have such a table

	Fields     []rows.Column // the columns, as they lie in a row
	References []Reference   // the columns that hold numbers of a dimension

	row  reflect.Type // *T
	open func(t *Table, path string, o parquetlog.Options) output
	each func(folder string, memory parquetlog.Memory, use func(row any) error) error
}

// A Reference is a column whose numbers are those of the rows of another table, or of its own:
// the Go types of both columns are the same.
type Reference struct {
	*rows.Column
	To *Table
}

// An Order is that of the rows of a table.
type Order uint8

// The orders of tables.
const (
	ByStamp   Order = iota // by (time, seq)
	ByNumber               // by the first column, which counts from 0
	ByNothing              // any
)

// folders says in which folders a table is.
type folders uint8

const (
	inDim folders = 1 << iota
	inTree
	inGlobal
)

// The folders beside those of trees.
const (
	dimDir    = "dim"
	globalDir = "global"
)

// rootDirs are the folders beside those of trees.
var rootDirs = map[string]folders{dimDir: inDim, globalDir: inGlobal}

// declare adds a table to Tables.
func declare[T any](name, doc string, t Table) *parquetlog.TableOf[T] {
	of := parquetlog.Declare[T](name, doc)
	t.Table, t.Fields, t.row = &of.Table, of.Fields(), reflect.TypeFor[*T]()
	t.open = func(t *Table, path string, o parquetlog.Options) output {
		return &sink[T]{of: of, table: t, path: path, options: o}
	}
	t.each = func(folder string, memory parquetlog.Memory, use func(row any) error) error {
		return EachRow(folder, of, memory, func(r *T) error { return use(r) })
	}
	Tables = append(Tables, &t)
	for i := range t.Fields {
		for _, to := range Tables {
			if to.Order == ByNumber && to.Fields[0].Type == t.Fields[i].Type {
				t.References = append(t.References, Reference{&t.Fields[i], to})
			}
		}
	}
	return of
}

// Each shows all rows of the table in a folder of a trace, as EachRow does.
func (t *Table) Each(folder string, memory parquetlog.Memory, use func(row any) error) error {
	return t.each(folder, memory, use)
}

// StampOf returns the stamp of a row of a table ByStamp.
func StampOf(row any) Stamp { return *row.(stamped).stamp() }

// Named returns the table of that name; nil if there is none.
func Named(name string) *Table {
	for _, t := range Tables {
		if t.Name == name {
			return t
		}
	}
	return nil
}

// TablesIn returns the tables of a folder: dim, global, or TreeDir of a tree.
func TablesIn(dir string) (tables []*Table) {
	kind := rootDirs[dir]
	if _, isTree := TreeOfDir(dir); isTree {
		kind = inTree
	}
	for _, t := range Tables {
		if t.Folders&kind != 0 {
			tables = append(tables, t)
		}
	}
	return tables
}
