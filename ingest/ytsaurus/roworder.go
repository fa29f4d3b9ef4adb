package ytsaurus

import (
	"bytes"
	"math"

	"poolproof/ingest/extsort"
)

// Rows of one source that have the same time stand in the order in which they were written. That holds of a source
// whose rows never go back in time; where they do, as in the table of the event log, whose writers hand their rows
// over newest first (ingest/trace/FORMAT.md §1.1), the order of rows says nothing. Rows of starts whose time is not
// that of the start are written when an agent learns of them, and their order says nothing either.

// A rowPlace is the place of a row among all rows that the import reads: its source and its index there.
type rowPlace int64

// noPlace is that of a row whose source tells no order.
const noPlace rowPlace = math.MaxInt64

// sourceRows is how many rows of a source have places of their own.
const sourceRows = 1 << 40

// place is the place of the row under way.
func (l *loader) place() rowPlace {
	if l.index < 0 || l.index >= sourceRows {
		return noPlace
	}
	return rowPlace(len(l.disordered)-1)*sourceRows + rowPlace(l.index)
}

// noteOrder notes whether the row under way goes back in time.
func (l *loader) noteOrder() {
	last := len(l.disordered) - 1
	l.disordered[last] = l.disordered[last] || l.at < l.previous
	l.previous = l.at
}

// orderOf is the place of a row if its source tells an order, else noPlace.
func (l *loader) orderOf(p rowPlace) rowPlace {
	if source := p / sourceRows; p == noPlace || l.disordered[source] {
		return noPlace
	}
	return p
}

// A jobScan hands out rows of jobs, those that say word for word the same once. A record ends with its place.
type jobScan struct {
	*extsort.Scan
	last []byte
}

func (s *jobScan) Next() bool {
	const placeBytes = 8
	for s.Scan.Next() {
		record := s.Record()
		if says := record[:len(record)-placeBytes]; !bytes.Equal(says, s.last) {
			s.last = append(s.last[:0], says...)
			return true
		}
	}
	return false
}
