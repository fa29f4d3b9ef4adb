package ytsaurus

// A filter decides, while a row is read, what of it is kept. Rows are full of
// what the importer has no use for, such as the statistics of jobs.
type filter struct {
	event eventType // of the row, as far as it is known
	role  role      // of the column under way
}

// column begins a column of the row.
func (f *filter) column(name []byte) (k key, keep bool) {
	c := columns[string(name)]
	f.role = c.role
	if c.key == keyPools && f.event != fairShareInfo && f.event != accumulatedUsageInfo {
		f.role = whole // of pools_info, where names stand below names
	}
	return c.key, f.role != skipped
}

// entry names an entry that stands that deep: 2 is an entry of a column.
func (f *filter) entry(name []byte, depth int) (k key, keep bool) {
	k = entries[string(name)]
	return k, f.role == whole || depth == 2 || k != keyOther
}

// told looks at a text that is the value of a column.
func (f *filter) told(k key, text []byte) {
	if k == keyEventType {
		f.event = eventTypes[string(text)]
	}
}
