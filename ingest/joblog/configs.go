package joblog

import (
	"cmp"
	"slices"

	"poolproof/core"
	"poolproof/ingest/trace"
)

// configs writes the tree's settings and its pools: what the configuration
// says, or that nothing is known. Pools stand from the log's first row, a
// user's own pool from its first operation.
func (t *treeWriter) configs() error {
	row := trace.TreeConfig{Source: "assumed"}
	if c := t.log.Trees[t.tree].Config; c.Set {
		row = c.Row
	}
	row.Stamp = t.stamp(t.survey.began)
	if err := t.out.Add(&row); err != nil {
		return err
	}
	rows := t.poolRows()
	for i := range rows {
		rows[i].Stamp = t.stamp(rows[i].Time)
		if err := t.out.Add(&rows[i]); err != nil {
			return err
		}
	}
	return nil
}

// poolRows returns the tree's pools in the order of (time, number), which puts
// a parent before its children.
func (t *treeWriter) poolRows() []trace.PoolConfig {
	var rows []trace.PoolConfig
	for i, p := range t.log.Pools {
		if p.Tree != t.tree {
			continue
		}
		row := trace.PoolConfig{Mode: core.FairShare.String(), IntegralType: "none"}
		if p.Config.Set {
			row = p.Config.Row
		}
		if p.HasUsers && !row.CreateEphemeralSubpools.Set {
			row.CreateEphemeralSubpools = core.Some(true)
		}
		row.Time = t.survey.began
		if p.Ephemeral {
			row.Time = t.survey.pools[i].From
		}
		row.Pool, row.Ephemeral = core.PoolID(i), p.Ephemeral
		row.Parent = core.Optional[core.PoolID]{}
		if p.Parent >= 0 {
			row.Parent = core.Some(p.Parent)
		}
		rows = append(rows, row)
	}
	slices.SortStableFunc(rows, func(a, b trace.PoolConfig) int { return cmp.Compare(a.Time, b.Time) })
	return rows
}
