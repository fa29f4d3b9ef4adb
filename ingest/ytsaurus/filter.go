package ytsaurus

// A filter decides, while a row is read, what of it is kept. Rows are full of
// what the importer has no use for, such as the statistics of jobs.
type filter struct {
	event eventType // of the row, as far as it is known
	role  role      // of the column under way

	document bool // all is kept, and what is known below columns is known everywhere
}

// column finds and begins a column of the row.
func (f *filter) column(name []byte) (known *knownName, keep bool) {
	if known = columnTable.find(name); f.document && known.key == keyOther {
		known = entryTable.find(name)
	}
	return known, f.begin(known)
}

// begin begins a column whose name was found. It reports whether it is kept.
func (f *filter) begin(known *knownName) bool {
	if f.role = known.role; f.document {
		f.role = whole
		return true
	}
	if known.key == keyPools && f.event != fairShareInfo && f.event != accumulatedUsageInfo {
		f.role = whole // of pools_info, where names stand below names
	}
	return f.role != skipped
}

// entryOf names an entry that stands that deep: 2 is an entry of a column.
func (f *filter) entryOf(name []byte, depth int) (known *knownName, keep bool) {
	known = entryTable.find(name)
	return known, f.role == whole || depth == 2 || known.key != keyOther
}

// told looks at a text that is the value of a column.
func (f *filter) told(k key, text []byte) {
	if k == keyEventType {
		f.event = eventTypes[string(text)]
	}
}
