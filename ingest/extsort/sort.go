package extsort

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// PrefixBytes is the number of leading bytes of a record that name its group.
const PrefixBytes = 4

// A Prefix names a group of records.
type Prefix [PrefixBytes]byte

// Options of a Sorter.
type Options struct {
	Memory  int64  // bytes that records may take before they are written out; 0 for 256 MiB
	Scratch string // folder for runs, made when the first is written and removed by Close
}

const (
	defaultMemory = 256 << 20
	leastMemory   = 64 << 10
)

// Runs of one generation are merged when there are leastRuns to mostRuns of them, depending on the
// memory: a merge reads from all at once, and each reader takes readerBytes of memory.
const (
	mostRuns    = 64
	leastRuns   = 4
	readerBytes = 1 << 19
)

// maxRecord is the most bytes that a record may have.
const maxRecord = 1 << 30

// A Sorter collects records and hands them out in order. It is for one
// goroutine until Finish; after it several may scan.
type Sorter struct {
	options  Options
	arena    []byte
	refs     []ref
	runs     []*run // the highest generation first
	made     int    // runs so far, merged ones included
	fanIn    int    // number of runs that are merged into one
	finished bool
}

// A ref is a record in the arena. Head holds its first bytes, so that most
// comparisons need not look at the record.
type ref struct {
	head     uint64
	off, len uint32
}

const refBytes = 16

// New returns a Sorter without records.
func New(o Options) *Sorter {
	if o.Memory == 0 {
		o.Memory = defaultMemory
	}
	// Offsets are uint32.
	o.Memory = min(max(o.Memory, leastMemory), 2<<30)
	return &Sorter{options: o, fanIn: int(min(max(o.Memory/readerBytes, leastRuns), mostRuns))}
}

// Add copies a record. It has at least PrefixBytes and at most maxRecord bytes.
func (s *Sorter) Add(record []byte) error {
	if len(record) < PrefixBytes || len(record) > maxRecord {
		return fmt.Errorf("sort records: a record of %d bytes, and one has %d to %d", len(record), PrefixBytes, maxRecord)
	}
	if s.finished {
		return errors.New("sort records: a record was added after Finish")
	}
	if taken := int64(len(s.arena)) + int64(len(s.refs))*refBytes; taken > 0 && taken+int64(len(record))+refBytes > s.options.Memory {
		if err := s.spill(); err != nil {
			return err
		}
	}
	var head [8]byte
	copy(head[:], record)
	s.refs = append(s.refs, ref{binary.BigEndian.Uint64(head[:]), uint32(len(s.arena)), uint32(len(record))})
	s.arena = append(s.grown(len(record)), record...)
	return nil
}

// grown returns the arena with room for a record. It doubles its size, but stays within the memory of
// the sorter unless a single record exceeds that.
func (s *Sorter) grown(room int) []byte {
	wanted := len(s.arena) + room
	if wanted <= cap(s.arena) {
		return s.arena
	}
	size := max(wanted, min(2*cap(s.arena), int(s.options.Memory)), leastMemory)
	return append(make([]byte, 0, size), s.arena...)
}

// Finish ends the adding of records.
func (s *Sorter) Finish() error {
	if s.finished {
		return nil
	}
	s.finished = true
	if len(s.runs) == 0 {
		s.sort()
		return nil
	}
	err := s.spill()
	s.arena, s.refs = nil, nil
	return err
}

// Close removes the runs. Scans that are open end with an error.
func (s *Sorter) Close() error {
	s.finished = true
	s.arena, s.refs = nil, nil
	var first error
	for _, r := range s.runs {
		if err := r.remove(); err != nil && first == nil {
			first = err
		}
	}
	if s.runs != nil {
		os.Remove(s.options.Scratch) // it stays if it holds files of others
	}
	s.runs = nil
	return first
}

func (s *Sorter) record(r ref) []byte { return s.arena[r.off : r.off+r.len] }

func (s *Sorter) sort() {
	slices.SortFunc(s.refs, func(a, b ref) int {
		switch {
		case a.head < b.head:
			return -1
		case a.head > b.head:
			return 1
		}
		return bytes.Compare(s.record(a), s.record(b))
	})
	s.refs = slices.CompactFunc(s.refs, func(a, b ref) bool {
		return a.head == b.head && bytes.Equal(s.record(a), s.record(b))
	})
}

// spill writes the records of the buffer as a run.
func (s *Sorter) spill() error {
	if len(s.refs) == 0 {
		return nil
	}
	s.sort()
	if err := os.MkdirAll(s.options.Scratch, 0o777); err != nil {
		return fmt.Errorf("write run: %w", err)
	}
	r, err := s.newRun(0)
	if err != nil {
		return err
	}
	for _, ref := range s.refs {
		if err := r.add(s.record(ref)); err != nil {
			return err
		}
	}
	s.arena, s.refs = s.arena[:0], s.refs[:0]
	if err := r.finish(); err != nil {
		return err
	}
	return s.merge()
}

func (s *Sorter) newRun(generation int) (*run, error) {
	r, err := createRun(filepath.Join(s.options.Scratch, fmt.Sprintf("run-%06d", s.made)))
	if err != nil {
		return nil, err
	}
	r.generation = generation
	s.made++
	s.runs = append(s.runs, r)
	return r, nil
}

// merge merges the runs of the latest generation into one, once there are fanIn of them, then those of
// the next generation. So files and readers stay few however long the log is.
func (s *Sorter) merge() error {
	for {
		generation := s.runs[len(s.runs)-1].generation
		first := slices.IndexFunc(s.runs, func(r *run) bool { return r.generation == generation })
		old := slices.Clone(s.runs[first:])
		if len(old) < s.fanIn {
			return nil
		}
		merged, err := s.newRun(generation + 1)
		if err != nil {
			return err
		}
		for _, p := range prefixesOf(old) {
			scan := scanOf(old, p)
			for scan.Next() {
				if err := merged.add(scan.Record()); err != nil {
					return err
				}
			}
			if scan.Err() != nil {
				return scan.Err()
			}
		}
		if err := merged.finish(); err != nil {
			return err
		}
		s.runs = append(s.runs[:first], merged)
		for _, r := range old {
			if err := r.remove(); err != nil {
				return err
			}
		}
	}
}
