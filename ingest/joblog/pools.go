package joblog

import (
	"cmp"
	"fmt"
	"math"

	"poolproof/core"
	"poolproof/core/quantity"
	"poolproof/ingest/parquetlog"
	"poolproof/ingest/poolconf"
	"poolproof/ingest/trace"
)

// A Forest collects the trees and pools that a log names, together with those
// of a configuration file.
type Forest struct {
	Trees []Tree
	Pools []Pool

	config *poolconf.File // nil for none
	// scaleGPU is the number of units of the log that make one device of the configuration.
	scaleGPU int32
	trees    map[string]int
	pools    map[poolKey]core.PoolID
	err      error
}

type poolKey struct {
	tree int
	name string
}

// NewForest returns a forest that only holds what the configuration, which may
// be nil, has for the trees that are asked for. An amount of gpu in it is
// multiplied by gpuUnits, the units of the log that make one device.
func NewForest(config *poolconf.File, gpuUnits int32) *Forest {
	return &Forest{config: config, scaleGPU: gpuUnits, trees: map[string]int{}, pools: map[poolKey]core.PoolID{}}
}

// Tree returns the index of a tree. A new one gets the pools of the
// configuration.
func (f *Forest) Tree(name string) int {
	if i, ok := f.trees[name]; ok {
		return i
	}
	i := len(f.Trees)
	f.trees[name] = i
	t := Tree{Name: name}
	if f.config != nil {
		t.Config.Row, t.Config.Set = f.config.TreeRow(name)
		f.scale(&t.Config.Row.NonPreemptible, "non_preemptible_resource_usage_threshold of tree "+name)
		f.configured(i, name)
	}
	f.Trees = append(f.Trees, t)
	return i
}

// configured adds the pools of the configuration.
func (f *Forest) configured(tree int, name string) {
	number := map[string]core.PoolID{}
	for _, pool := range f.config.Pools(name) {
		id := f.add(Pool{Tree: tree, Name: pool, Parent: core.RootPool})
		number[pool] = id
	}
	for _, row := range f.config.PoolRows(name, number) {
		p := &f.Pools[row.Pool]
		for _, amounts := range []*trace.PartialResources{&row.Strong, &row.Limit, &row.Flow, &row.Burst, &row.NonPreemptible} {
			f.scale(amounts, "pool "+p.Name)
		}
		p.Parent = row.Parent.Or(core.RootPool)
		p.Config = Settings[trace.PoolConfig]{Row: row, Set: true}
	}
}

// scale counts the devices of a configuration in the units of the log. One that a trace cannot
// hold is an error: a smaller amount would promise something else.
func (f *Forest) scale(p *trace.PartialResources, of string) {
	most := math.MaxInt32 / f.scaleGPU
	switch {
	case !p.GPU.Set:
	case p.GPU.Value > most:
		f.fail(&parquetlog.FormatError{File: "pool configuration",
			Found:  fmt.Sprintf("%s has %s", of, quantity.Amount("gpu", float64(p.GPU.Value))),
			Advice: fmt.Sprintf("Amounts of gpu are devices, at most %d here.", most)})
	default:
		p.GPU.Value *= f.scaleGPU
	}
}

// fail keeps the first fault of the configuration.
func (f *Forest) fail(err error) { f.err = cmp.Or(f.err, err) }

func (f *Forest) add(p Pool) core.PoolID {
	id := core.PoolID(len(f.Pools))
	f.Pools = append(f.Pools, p)
	f.pools[poolKey{p.Tree, p.Name}] = id
	return id
}

// Pool returns the pool of a name, under the root unless the configuration puts
// it elsewhere.
func (f *Forest) Pool(tree int, name string) core.PoolID {
	if id, ok := f.pools[poolKey{tree, name}]; ok {
		return id
	}
	return f.add(Pool{Tree: tree, Name: name, Parent: core.RootPool})
}

// UserPool returns the user's own pool in a pool of users, named pool$user.
// Where the configuration forbids such pools it is the pool itself: a FIFO pool
// has none.
func (f *Forest) UserPool(pool core.PoolID, user string) core.PoolID {
	parent := &f.Pools[pool]
	row := &parent.Config.Row
	if parent.Config.Set && (row.Mode == core.FIFO.String() || !row.CreateEphemeralSubpools.Or(true)) {
		return pool
	}
	parent.HasUsers = true
	name := parent.Name + "$" + user
	if id, ok := f.pools[poolKey{parent.Tree, name}]; ok {
		return id
	}
	return f.add(Pool{Tree: parent.Tree, Name: name, Parent: pool, Ephemeral: true, Config: f.subpool(row)})
}

// subpool returns the settings that a pool's ephemeral_subpool_config gives the
// pools of its users. Its options are those of a pool, so it is read as one.
func (f *Forest) subpool(parent *trace.PoolConfig) (s Settings[trace.PoolConfig]) {
	if parent.EphemeralSubpoolJSON.Or("") == "" {
		return s
	}
	file, err := poolconf.Parse("ephemeral_subpool_config", []byte(`{"pools":{"user":`+parent.EphemeralSubpoolJSON.Value+`}}`))
	if err != nil {
		f.fail(err)
		return s
	}
	s.Row = file.PoolRows("", map[string]core.PoolID{"user": 0})[0]
	f.scale(&s.Row.Limit, "ephemeral_subpool_config")
	s.Set = true
	return s
}

// Err returns the first fault of the configuration that showed in its use.
func (f *Forest) Err() error { return f.err }
