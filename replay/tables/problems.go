package tables

import (
	"fmt"

	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"

	"poolproof/ingest/input"
)

// ReadProblems reads the rows of a file of the table problems.
func ReadProblems(name string) (rows []Problem, err error) {
	f, err := input.Open(name)
	if err != nil {
		return nil, fmt.Errorf("read table problems: %w", err)
	}
	defer f.Close()
	r, err := ipc.NewFileReader(f)
	if err != nil {
		return nil, fmt.Errorf("read table problems: %w", err)
	}
	defer r.Close()
	if t := of[Problem](); !r.Schema().Equal(t.schema(t.Columns)) {
		return nil, fmt.Errorf("read table problems: %s has other columns than this program writes", name)
	}
	for i := range r.NumRecords() {
		record, err := r.Record(i)
		if err != nil {
			return nil, fmt.Errorf("read table problems: %w", err)
		}
		text := func(column int) *array.String { return record.Column(column).(*array.String) }
		source, number, column, code, value := text(1), record.Column(2).(*array.Int64), text(3), text(4), text(5)
		for k := range int(record.NumRows()) {
			rows = append(rows, Problem{Source: source.Value(k), Row: number.Value(k), Column: column.Value(k), Code: code.Value(k), Value: value.Value(k)})
		}
	}
	return rows, nil
}
