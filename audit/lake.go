package audit

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// A lake is a folder of tables of many runs, for engines that read Parquet:
//
//	<table>/cluster=<name>/day=<date>/<start>.parquet
//
// The columns of a table, or of a view, are those of run.duckdb with cluster and day, which
// stand in the path. Words of a list are texts. The metadata of a file holds the sentences of
// table and columns where Spark looks for comments.

// LakeTables lists the default tables of a lake: the verdict, its inputs, and the views for trends.
var LakeTables = []string{
	"audits", "findings", "incidents", "promises", "scorecard", "tree_coverage", "metrics",
	"trees", "pools", "operations", "excuse_windows",
	"guarantee_episodes", "starvation_episodes", "starvation_spans", "limit_episodes", "unschedulable_episodes", "pending_episodes",
	"share_debts", "pool_intervals", "operation_intervals",
}

// sparkMetadata is the key under which Spark keeps the schema of a Parquet file.
const sparkMetadata = "org.apache.spark.sql.parquet.row.metadata"

func keys[V any](of map[string]V) []string {
	var all []string
	for key := range of {
		all = append(all, key)
	}
	slices.Sort(all)
	return all
}

// A lakeThing is a table or view as it stands in run.duckdb.
type lakeThing struct {
	name, comment string
	view          bool
	columns       []Column
}

// lakeThings are the tables and views of the schema main.
func lakeThings(ctx context.Context, db *sql.DB) (map[string]*lakeThing, error) {
	rows, err := db.QueryContext(ctx, `
SELECT t.name, t.is_view, coalesce(t.comment, ''), c.column_name, c.data_type, coalesce(c.comment, '')
FROM (
  SELECT table_name AS name, FALSE AS is_view, comment FROM duckdb_tables() WHERE database_name = $1 AND schema_name = 'main'
  UNION ALL
  SELECT view_name, TRUE, comment FROM duckdb_views() WHERE database_name = $1 AND schema_name = 'main' AND NOT internal
) AS t
JOIN duckdb_columns() AS c ON c.database_name = $1 AND c.schema_name = 'main' AND c.table_name = t.name
ORDER BY t.name, c.column_index`, catalog)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	things := map[string]*lakeThing{}
	for rows.Next() {
		var t lakeThing
		var c Column
		if err := rows.Scan(&t.name, &t.view, &t.comment, &c.Name, &c.Type, &c.Comment); err != nil {
			return nil, err
		}
		if things[t.name] == nil {
			things[t.name] = &t
		}
		things[t.name].columns = append(things[t.name].columns, c)
	}
	return things, rows.Err()
}

// sparkTypes are Spark's names of the types that DuckDB writes to Parquet.
var sparkTypes = map[string]any{
	"VARCHAR": "string", "BOOLEAN": "boolean", "INTEGER": "integer", "BIGINT": "long", "DOUBLE": "double", "HUGEINT": "double",
	"TIMESTAMP": "timestamp_ntz", "DATE": "date",
	"VARCHAR[]": map[string]any{"type": "array", "elementType": "string", "containsNull": true},
}

// A sparkSchema is the schema of a file as Spark keeps it.
type sparkSchema struct {
	Type   string       `json:"type"`
	Fields []sparkField `json:"fields"`
}

type sparkField struct {
	Name     string            `json:"name"`
	Type     any               `json:"type"`
	Nullable bool              `json:"nullable"`
	Metadata map[string]string `json:"metadata"` // comment
}

// schema is that of the thing, with the comments of its columns.
func (t *lakeThing) schema() (string, error) {
	schema := sparkSchema{Type: "struct"}
	for _, c := range t.columns {
		kind, ok := sparkTypes[c.Type]
		if strings.HasPrefix(c.Type, "ENUM(") {
			kind, ok = "string", true
		}
		if !ok {
			return "", fmt.Errorf("column %s is of type %s, which a lake does not hold", c.Name, c.Type)
		}
		schema.Fields = append(schema.Fields, sparkField{c.Name, kind, true, map[string]string{"comment": c.Comment}})
	}
	b, err := json.Marshal(schema)
	return string(b), err
}
