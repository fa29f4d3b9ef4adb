package core

// recordedOperations tracks whether the last snapshot has a record of every operation that its
// pools count. Records of operations are the largest and the first to be lost. If they are the only
// source of demand, the demand of an operation without a record is unknown.
type recordedOperations struct {
	at      Time             // of the snapshot
	missing map[PoolID]int64 // outstanding records, by pool
	lacking int              // pools with outstanding records
}

// expectRecords adds the operation count of a pool.
func (r *recordedOperations) expectRecords(now Time, p *PoolRecord) {
	if r.at != now || r.missing == nil {
		if r.missing == nil {
			r.missing = map[PoolID]int64{}
		}
		clear(r.missing)
		r.at, r.lacking = now, 0
	}
	if _, again := r.missing[p.Pool]; again || !p.Own.Set {
		return
	}
	if r.missing[p.Pool] = p.Own.Value; p.Own.Value > 0 {
		r.lacking++
	}
}

// countRecord counts the record of an operation.
func (r *recordedOperations) countRecord(now Time, pool PoolID) {
	n, counted := r.missing[pool]
	if r.at != now || !counted {
		return
	}
	if r.missing[pool] = n - 1; n == 1 {
		r.lacking--
	}
}

// HasAllRecords reports whether the last snapshot has a record of every operation that its pools count.
func (t *Tree) HasAllRecords() bool { return t.records.lacking == 0 }

// LacksRecords reports whether the last snapshot has fewer records of a pool's own operations than
// that pool counts.
func (t *Tree) LacksRecords(pool PoolID) bool { return t.records.missing[pool] > 0 }
