package tables

import "slices"

// LostRows are rows of a table of the trace that a replay had to leave out, and the time in which
// what it made of the others may be wrong for that.
type LostRows struct {
	Tree  string   `json:"tree"`
	Table string   `json:"table"` // of the trace
	Codes []string `json:"codes"` // of the problems
	Rows  int64    `json:"rows"`
	From  string   `json:"from,omitempty"` // ISO 8601, UTC; empty if a row's time is not known
	To    string   `json:"to,omitempty"`   // empty if there is no end
}

// configurationTables are those of the trace that the tables of configurations are made of.
var configurationTables = []string{"cluster_config", "tree_config", "pool_config", "node_state"}

// ofConfigurations are result tables that follow from configurations alone.
var ofConfigurations = []string{"configuration_faults", "pool_versions", "tree_versions", "tree_sets"}

// about are result tables that say what was read, and not what happened.
var about = []string{"trees", "coverage", "pools", "operations", "nodes", "problems"}

// Concerns reports whether something that was read of result tables may be wrong because of the
// rows: all that happened follows from the state of the tree, to which each table adds.
func (l *LostRows) Concerns(reads []string) bool {
	for _, table := range reads {
		switch {
		case slices.Contains(about, table):
		case !slices.Contains(ofConfigurations, table), slices.Contains(configurationTables, l.Table):
			return true
		}
	}
	return false
}
