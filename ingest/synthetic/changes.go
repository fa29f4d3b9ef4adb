package synthetic

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"poolproof/core"
	"poolproof/ingest/poolconf"
	"poolproof/ingest/trace"
)

// change adds what people do to trees, pools and operations.
func (d *draft) change() error {
	for i := range d.spec.Changes {
		c := &d.spec.Changes[i]
		at := d.window.From + core.Time(c.At)
		var err error
		switch {
		case at >= d.window.To: // the window was shortened
		case c.Process != "":
			d.processes = append(d.processes, trace.ProcessEvent{
				Stamp: trace.Stamp{Time: at, Seq: int64(len(d.processes)) + 1}, Event: c.Process, Alert: text(c.Alert),
			})
		case c.Operation != "":
			d.changeOperation(c, at)
		case c.Node != "": // with the nodes
		case c.ofCluster():
			d.changeCluster(c, at)
		case c.Pool != "":
			err = d.changePool(c, at)
		default:
			err = d.changeTree(c, at)
		}
		if err != nil {
			return fmt.Errorf("a change at %v: %w", c.At, err)
		}
	}
	return nil
}

// ofCluster reports whether a change is one of the settings above all trees.
func (c *Change) ofCluster() bool {
	return c.NoDefault || c.MaxOperations != nil || c.Remove && c.Pool == "" && c.Tree != ""
}

// configureCluster begins with the settings above all trees at the window's start.
func (d *draft) configureCluster() {
	s := d.spec
	c := trace.ClusterConfig{
		Stamp: trace.Stamp{Time: d.window.From, Seq: 1}, DefaultTree: text(s.DefaultTree), Trees: d.treeNames(),
		FairShareUpdatePeriodMS: core.Some(int64(s.FairShareUpdatePeriod) / 1000),
		WatchersUpdatePeriodMS:  core.Some[int64](3000),
		ConfigJSON:              schedulerSettings,
	}
	if s.MaxStartedJobs > 0 {
		c.ConfigJSON = fmt.Sprintf(`{"max_started_jobs_per_heartbeat":%d,%s`, s.MaxStartedJobs, schedulerSettings[1:])
	}
	c.MaxOperationCount = s.maxOperationCount()
	d.cluster = []trace.ClusterConfig{c}
}

// schedulerSettings records the settings of the simulated scheduler: an audit cannot judge by
// a default that the log does not state (core/spec/scheduling.md §3.4).
const schedulerSettings = `{"min_spare_job_resources_on_node":{"user_slots":1,"cpu":1,"memory":268435456},` +
	`"allowed_node_resources_overcommit_duration":15000,"schedule_job_fail_backoff_time":100,` +
	`"pending_by_pool_operation_scan_period":60000,"nodes_attributes_update_period":15000}`

// maxOperationCount returns the maximum number of operations in the cluster, if the
// description has one.
func (s *Spec) maxOperationCount() core.Optional[int64] {
	return core.Optional[int64]{Value: s.MaxOperationCount, Set: s.MaxOperationCount > 0}
}

// changeCluster adds a version without a default tree, without a tree, or with
// another number of operations.
func (d *draft) changeCluster(c *Change, at core.Time) {
	next := d.cluster[len(d.cluster)-1]
	next.Stamp = trace.Stamp{Time: at, Seq: next.Seq + 1}
	if c.NoDefault || next.DefaultTree.Value == c.Tree {
		next.DefaultTree = core.Optional[string]{}
	}
	if c.MaxOperations != nil {
		next.MaxOperationCount = d.spec.maxOperationCount()
		if most := int64(*c.MaxOperations); most > 0 {
			next.MaxOperationCount = core.Some(most)
		}
	}
	if c.Remove {
		trees := slices.DeleteFunc(strings.Split(next.Trees, ","), func(name string) bool { return name == c.Tree })
		next.Trees = strings.Join(trees, ",")
	}
	d.cluster = append(d.cluster, next)
}

// changeOperation adds a change in one tree of an operation, or in all.
func (d *draft) changeOperation(c *Change, at core.Time) {
	id := d.byName[c.Operation]
	for _, tree := range slices.Concat(d.operations[id].kind.Trees, d.operations[id].kind.Tentative) {
		if c.Tree != "" && c.Tree != tree {
			continue
		}
		r := c.Settings.row()
		r.Op, r.Event = id, c.Event
		if c.Pool != "" {
			r.Pool = core.Some(d.poolIDs[d.tree(tree)][c.Pool])
		}
		d.add(d.tree(tree), at, core.OperationChanged, &r)
		if c.Event == "aborted" || c.Event == "failed" {
			return // it ends in all its trees
		}
	}
}

// changePool adds a new version of a pool.
func (d *draft) changePool(c *Change, at core.Time) error {
	tree := d.tree(c.Tree)
	before, known := d.trees[tree].pool[c.Pool]
	if !known {
		before = trace.PoolConfig{Mode: "fair_share", IntegralType: "none"}
	}
	before.Pool = d.poolIDs[tree][c.Pool]
	if c.Set != nil {
		file, err := parsePatch(map[string]any{"pools": map[string]any{c.Pool: c.Set}})
		if err != nil {
			return err
		}
		patch := file.PoolRows(c.Tree, map[string]core.PoolID{c.Pool: before.Pool})[0]
		if _, sets := c.Set["mode"]; !sets {
			patch.Mode = before.Mode
		}
		if _, sets := c.Set["integral_guarantees"]; !sets {
			patch.IntegralType = before.IntegralType
		}
		if _, sets := c.Set["forbid_immediate_operations"]; !sets {
			patch.ForbidImmediateOperations = before.ForbidImmediateOperations
		}
		more := mergeJSON(before.ConfigJSON, patch.ConfigJSON)
		patch.Parent = before.Parent
		overlay(&before, &patch)
		before.Mode, before.IntegralType, before.ConfigJSON = patch.Mode, patch.IntegralType, more
		before.ForbidImmediateOperations = patch.ForbidImmediateOperations
	}
	if c.Parent != nil {
		before.Parent = core.Optional[core.PoolID]{}
		if *c.Parent != "" {
			before.Parent = core.Some(d.poolIDs[tree][*c.Parent])
		}
	}
	before.Deleted = c.Remove
	d.trees[tree].pool[c.Pool] = before
	d.add(tree, at, core.PoolConfigured, &before)
	return nil
}

// changeTree adds a new version of a tree's settings.
func (d *draft) changeTree(c *Change, at core.Time) error {
	tree := d.tree(c.Tree)
	file, err := parsePatch(c.Set)
	if err != nil {
		return err
	}
	patch, _ := file.TreeRow(c.Tree)
	config := &d.trees[tree].config
	more := mergeJSON(config.ConfigJSON, patch.ConfigJSON)
	overlay(config, &patch)
	config.Source, config.ConfigJSON = "event", more
	row := *config
	d.add(tree, at, core.TreeConfigured, &row)
	return nil
}

// parsePatch reads some options of a tree and its pools.
func parsePatch(options map[string]any) (*poolconf.File, error) {
	b, err := json.Marshal(options)
	if err != nil {
		return nil, err
	}
	return poolconf.Parse("set", b)
}

// overlay replaces the options of a row that the patch sets.
func overlay[T any](row, patch *T) {
	overlayValue(reflect.ValueOf(row).Elem(), reflect.ValueOf(patch).Elem())
}

func overlayValue(row, patch reflect.Value) {
	for i := range row.NumField() {
		a, b := row.Field(i), patch.Field(i)
		switch {
		case a.Kind() != reflect.Struct:
		case a.NumField() == 2 && a.Type().Field(1).Name == "Set":
			if b.Field(1).Bool() {
				a.Set(b)
			}
		default:
			overlayValue(a, b)
		}
	}
}
