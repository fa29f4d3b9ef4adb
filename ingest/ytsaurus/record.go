package ytsaurus

import (
	"bytes"
	"encoding/binary"

	"poolproof/core"
	"poolproof/ingest/extsort"
)

// A class is a group of records that are sorted: the first byte of each.
type class byte

const (
	configRecords      class = 'c' // versions of a pool: pool, time, configuration
	specRecords        class = 's' // specs: operation, time, spec
	parentRecords      class = 'r' // parents that rows beside snapshots name: pool, time, parent
	jobRecords         class = 'j' // rows of jobs: job, kind, time, what it says
	placedRecords      class = 'p' // whole jobs of a tree: start, job, what is known
	nodeRecords        class = 'n' // samples of nodes of a tree: time, address, what it has
	snapshotRecords    class = 'f' // snapshots of a tree: time, id, kind, element, what is said of it
	brokenRecords      class = 'b' // jobs of whose end a row was left out
	victimRecords      class = 'v' // preempted jobs: the job that they made room for, their end
	digestRecords      class = 'd' // digests of rows, but for rows of jobs
	accumulatedRecords class = 'a' // usage of operations of a tree: time, operation, volume
)

// prefixOf is the group of a class and a tree, 0 where it is not parted by trees.
func prefixOf(c class, tree treeID) extsort.Prefix {
	return extsort.Prefix{byte(c), byte(tree >> 16), byte(tree >> 8), byte(tree)}
}

// An encoder makes a record, and is reused. Keys come first, in a form that has
// the order of what it stands for; then the rest.
type encoder struct{ b []byte }

func (e *encoder) begin(c class, tree treeID) {
	p := prefixOf(c, tree)
	e.b = append(e.b[:0], p[:]...)
}

func (e *encoder) guid(g guid)      { e.b = append(e.b, g[:]...) }
func (e *encoder) byte(b byte)      { e.b = append(e.b, b) }
func (e *encoder) time(t core.Time) { e.b = binary.BigEndian.AppendUint64(e.b, uint64(t)) }

// name is a text of a key, ended so that a shorter one comes first.
func (e *encoder) name(s []byte) { e.b = append(append(e.b, s...), 0) }

// text is a text of any bytes.
func (e *encoder) text(s []byte) {
	e.b = binary.AppendUvarint(e.b, uint64(len(s)))
	e.b = append(e.b, s...)
}

func (e *encoder) bool(is bool) {
	if is {
		e.byte(1)
	} else {
		e.byte(0)
	}
}

// A decoder takes a record apart. Records are the importer's own: what does not
// fit is a fault of the program.
type decoder struct{ b []byte }

// decode begins with what follows the group.
func decode(record []byte) decoder { return decoder{record[extsort.PrefixBytes:]} }

func (d *decoder) guid() (g guid) {
	copy(g[:], d.b)
	d.b = d.b[len(g):]
	return g
}

func (d *decoder) byte() byte {
	b := d.b[0]
	d.b = d.b[1:]
	return b
}

func (d *decoder) time() core.Time {
	t := core.Time(binary.BigEndian.Uint64(d.b))
	d.b = d.b[8:]
	return t
}

func (d *decoder) name() []byte {
	i := bytes.IndexByte(d.b, 0)
	s := d.b[:i]
	d.b = d.b[i+1:]
	return s
}

func (d *decoder) text() []byte {
	n, size := binary.Uvarint(d.b)
	s := d.b[size : size+int(n)]
	d.b = d.b[size+int(n):]
	return s
}

func (d *decoder) bool() bool { return d.byte() != 0 }
