package fairshare

import (
	"math"
	"testing"

	"poolproof/core/resource"
)

// ofCPU returns the settings of an element whose guarantee is a number of cores of 100.
func ofCPU(cores int64) (s Settings) {
	s.StrongGuarantee.Set[resource.CPU], s.StrongGuarantee.Amounts[resource.CPU] = true, cores*100
	return s
}

// newHundred returns a tree of 100 cores.
func newHundred(o Options) *Tree {
	o.Profile, o.MainResource = Baseline, resource.CPU
	t := New(o)
	t.SetTotal(resource.Vector{resource.CPU: 10_000})
	return t
}

func checkUpdate(t *testing.T, tree *Tree) {
	t.Helper()
	if err := tree.Update(0, NoUpdate); err != nil {
		t.Fatal(err)
	}
}

// checkCores compares a share with a number of cores of 100.
func checkCores(t *testing.T, what string, got resource.Share, want float64) {
	t.Helper()
	if math.Abs(100*got[resource.CPU]-want) > 1e-6 {
		t.Errorf("%s: %v cores, want %v", what, 100*got[resource.CPU], want)
	}
}

// TestTiers scales guarantees of 120 cores to 100 (§5.3): that of the priority pool keeps its 60
// below the donor, and 40 are left for the other one.
func TestTiers(t *testing.T) {
	for _, c := range []struct {
		name            string
		priority, donor bool
		x, prior, y     float64
		codes           []int
	}{
		{name: "one tier", x: 50, prior: 50, y: 50},
		{name: "priority", priority: true, donor: true, x: 60, prior: 60, y: 40},
		{name: "no donor", priority: true, x: 50, prior: 50, y: 50, codes: []int{CodeWithoutDonor}},
		{name: "no priority", donor: true, x: 50, prior: 50, y: 50},
	} {
		t.Run(c.name, func(t *testing.T) {
			tree := newHundred(Options{})
			top := tree.AddPool(Root, Pool{Settings: ofCPU(100), GuaranteeDonor: c.donor})
			x := tree.AddPool(top, Pool{Settings: ofCPU(60)})
			prior := tree.AddPool(x, Pool{Settings: ofCPU(60), PriorityGuarantee: c.priority})
			y := tree.AddPool(top, Pool{Settings: ofCPU(60)})
			checkUpdate(t, tree)
			checkCores(t, "x", tree.Result(x).StrongShare, c.x)
			checkCores(t, "its child", tree.Result(prior).StrongShare, c.prior)
			checkCores(t, "y", tree.Result(y).StrongShare, c.y)
			if len(tree.Errors()) != len(c.codes) {
				t.Fatalf("errors %v, want codes %v", tree.Errors(), c.codes)
			}
			for i, e := range tree.Errors() {
				if e.Code != c.codes[i] || len(e.Pools) != 1 || e.Pools[0] != prior {
					t.Errorf("error %+v", e)
				}
			}
		})
	}
}

// TestDonorEndsPriority keeps what a donor has at the level above it: 60 and 60 become 50 and 50, and
// the priority pool below the donor has its 40 of that before its sibling has any.
func TestDonorEndsPriority(t *testing.T) {
	tree := newHundred(Options{})
	other := tree.AddPool(Root, Pool{Settings: ofCPU(60)})
	donor := tree.AddPool(Root, Pool{Settings: ofCPU(60), GuaranteeDonor: true})
	prior := tree.AddPool(donor, Pool{Settings: ofCPU(40), PriorityGuarantee: true})
	rest := tree.AddPool(donor, Pool{Settings: ofCPU(20)})
	checkUpdate(t, tree)
	checkCores(t, "the other pool", tree.Result(other).StrongShare, 50)
	checkCores(t, "the donor", tree.Result(donor).StrongShare, 50)
	checkCores(t, "the priority pool", tree.Result(prior).StrongShare, 40)
	checkCores(t, "its sibling", tree.Result(rest).StrongShare, 10)
}

// TestStepOfGangs gives gangs all or nothing (§7.2). The pool has 60 cores before a competitor that
// wants the tree: a gang of 70 at its head waits for all of them, and blocks those of 30 behind it.
func TestStepOfGangs(t *testing.T) {
	for _, c := range []struct {
		name   string
		tree   bool
		pool   Switch
		gang   bool
		first  float64 // cores that the first of three wants; the others want 30
		shares [3]float64
	}{
		{"no step", false, Inherit, true, 70, [3]float64{60, 0, 0}},
		{"the first does not fit", true, Inherit, true, 70, [3]float64{0, 0, 0}},
		{"two fit", true, Inherit, true, 30, [3]float64{30, 30, 0}},
		{"the pool switches it off", true, Off, true, 70, [3]float64{60, 0, 0}},
		{"the pool cannot switch it on", false, On, true, 70, [3]float64{60, 0, 0}},
		{"no gangs", true, Inherit, false, 70, [3]float64{60, 0, 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			tree := newHundred(Options{StepFunctionForGangs: c.tree})
			pool := tree.AddPool(Root, Pool{Settings: ofCPU(60), Mode: FIFO, StepFunctionForGangs: c.pool})
			competitor := tree.AddPool(Root, Pool{Settings: ofCPU(40)})
			all := tree.AddOperation(competitor, Operation{})
			tree.SetDemand(all, resource.Vector{resource.CPU: 10_000})
			var gangs [3]Element
			for i, cores := range []float64{c.first, 30, 30} {
				gangs[i] = tree.AddOperation(pool, Operation{Gang: c.gang, StartTime: int64(i), ID: int64(i)})
				tree.SetDemand(gangs[i], resource.Vector{resource.CPU: int64(100 * cores)})
			}
			checkUpdate(t, tree)
			for i, want := range c.shares {
				checkCores(t, "a gang", tree.Result(gangs[i]).FairShare.Total, want)
			}
		})
	}
}

// TestSwitchOfTheStep follows a pool that gets and loses the step of its gangs.
func TestSwitchOfTheStep(t *testing.T) {
	tree := newHundred(Options{StepFunctionForGangs: true})
	limits := Settings{}
	limits.ResourceLimits.Set[resource.CPU], limits.ResourceLimits.Amounts[resource.CPU] = true, 5_000
	pool := tree.AddPool(Root, Pool{Settings: limits})
	gang := tree.AddOperation(pool, Operation{Gang: true})
	tree.SetDemand(gang, resource.Vector{resource.CPU: 8_000})
	for i, want := range []float64{0, 50, 0} {
		tree.SetPool(pool, Pool{Settings: limits, StepFunctionForGangs: [...]Switch{Inherit, Off, On}[i]})
		checkUpdate(t, tree)
		checkCores(t, "the gang", tree.Result(gang).FairShare.Total, want)
	}
}
