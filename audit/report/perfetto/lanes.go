package perfetto

// Lanes are tracks of one name for slices that may overlap: each goes to the first track
// that is free. The UI shows them as one track.
type Lanes struct {
	trace  *Trace
	parent Track
	rank   int
	name   string
	lanes  []Track
	ends   []int64 // of the last slice of each lane
}

// Lanes are those below a track; none is added before its first slice.
func (t *Trace) Lanes(parent Track, rank int, name string) *Lanes {
	return &Lanes{trace: t, parent: parent, rank: rank, name: name}
}

// Slice adds a span. Those of one Lanes are added in the order of their beginnings.
func (l *Lanes) Slice(from, to int64, name string, notes ...Note) {
	for i, end := range l.ends {
		if end <= from {
			l.ends[i] = max(to, from+1)
			l.trace.Slice(l.lanes[i], from, to, name, notes...)
			return
		}
	}
	l.lanes = append(l.lanes, l.trace.Track(l.parent, l.rank, l.name, ""))
	l.ends = append(l.ends, max(to, from+1))
	l.trace.Slice(l.lanes[len(l.lanes)-1], from, to, name, notes...)
}
