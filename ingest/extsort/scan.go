package extsort

import (
	"bytes"
	"container/heap"
	"encoding/binary"
	"slices"
)

// A Scan hands out the records of one group, in order, each once.
type Scan struct {
	sorter *Sorter // of records in memory; nil where runs are merged
	prefix Prefix
	at     int // in sorter.refs
	merge  merge
	record []byte
	last   []byte
	begun  bool
	err    error
}

// Prefixes returns the groups that have records, in order.
func (s *Sorter) Prefixes() []Prefix {
	if len(s.runs) > 0 {
		return prefixesOf(s.runs)
	}
	var all []Prefix
	for i := 0; i < len(s.refs); {
		p := Prefix(s.record(s.refs[i]))
		all = append(all, p)
		i = s.after(p)
	}
	return all
}

func prefixesOf(runs []*run) (all []Prefix) {
	for _, r := range runs {
		for _, seg := range r.segments {
			all = append(all, seg.prefix)
		}
	}
	slices.SortFunc(all, func(a, b Prefix) int { return bytes.Compare(a[:], b[:]) })
	return slices.Compact(all)
}

// after returns the place of the first record beyond a group.
func (s *Sorter) after(p Prefix) int {
	limit := uint64(binary.BigEndian.Uint32(p[:])) + 1
	i, _ := slices.BinarySearchFunc(s.refs, limit, func(r ref, limit uint64) int {
		if r.head>>32 < limit {
			return -1
		}
		return 1
	})
	return i
}

// Scan returns a scan of a group. It may be called only after Finish.
func (s *Sorter) Scan(p Prefix) *Scan {
	if len(s.runs) == 0 {
		scan := &Scan{sorter: s, prefix: p}
		scan.at, _ = slices.BinarySearchFunc(s.refs, uint64(binary.BigEndian.Uint32(p[:])), func(r ref, least uint64) int {
			if r.head>>32 < least {
				return -1
			}
			return 1
		})
		return scan
	}
	return scanOf(s.runs, p)
}

// scanOf merges a group's records of several runs.
func scanOf(runs []*run, p Prefix) *Scan {
	scan := &Scan{prefix: p}
	for _, r := range runs {
		i := slices.IndexFunc(r.segments, func(seg segment) bool { return seg.prefix == p })
		if i < 0 {
			continue
		}
		in := r.open(r.segments[i])
		if in.next() {
			scan.merge = append(scan.merge, in)
		} else if in.err != nil {
			scan.err = in.err
		}
	}
	heap.Init(&scan.merge)
	return scan
}

// Next goes to the next record, and reports false after the last and after an
// error.
func (s *Scan) Next() bool {
	if s.err != nil {
		return false
	}
	if s.sorter != nil {
		if s.at >= len(s.sorter.refs) {
			return false
		}
		s.record = s.sorter.record(s.sorter.refs[s.at])
		s.at++
		return Prefix(s.record) == s.prefix
	}
	for len(s.merge) > 0 {
		in := s.merge[0]
		fresh := !s.begun || !bytes.Equal(in.record, s.last)
		if fresh {
			// The reader's own buffer is exchanged for the one that is handed out.
			s.last, in.record = in.record, s.last
			s.begun = true
		}
		switch {
		case in.next():
			heap.Fix(&s.merge, 0)
		case in.err != nil:
			s.err = in.err
			return false
		default:
			heap.Pop(&s.merge)
		}
		if fresh {
			s.record = s.last
			return true
		}
	}
	return false
}

// Record returns the record, valid until Next.
func (s *Scan) Record() []byte { return s.record }

// Err returns what ended the scan early, nil if nothing did.
func (s *Scan) Err() error { return s.err }

// A merge is a heap of readers by their record.
type merge []*reader

func (m merge) Len() int           { return len(m) }
func (m merge) Less(i, j int) bool { return bytes.Compare(m[i].record, m[j].record) < 0 }
func (m merge) Swap(i, j int)      { m[i], m[j] = m[j], m[i] }
func (m *merge) Push(x any)        { *m = append(*m, x.(*reader)) }
func (m *merge) Pop() any {
	old := *m
	x := old[len(old)-1]
	*m = old[:len(old)-1]
	return x
}
