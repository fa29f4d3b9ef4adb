package configuration

import (
	"cmp"
	"slices"
	"strings"

	"poolproof/core"
	"poolproof/core/pooltree"
	"poolproof/core/resource"
	"poolproof/replay/tables"
)

// configFaults holds the rules currently broken by the configuration in force, and by a stored one
// that was refused (core/spec/invariants.md §2).
type configFaults struct {
	inForce, refused []configFault
	configurations   int64           // of the last check of the one in force
	total            resource.Vector // of the tree at that time
	looked           core.Time
	doubled          map[string][]*pooltree.RuleError // by pool, "" for the tree: options under two names
}

// A configFault is an open row and its key.
type configFault struct {
	key configFaultKey
	row tables.ConfigurationFault
}

type configFaultKey struct{ rule, pool, option, subject string }

// lookAgain is the period of checks of the configuration in force while the tree's total changes.
const lookAgain = 60 * core.Second

// ApplyEvent records the options that a version states twice.
func (c *Configuration) ApplyEvent(e *core.Event) {
	f, pool := &c.faults, ""
	switch {
	case e.Kind == core.PoolConfigured && e.Pool >= 0:
		pool = c.Dims.Pools[e.Pool].Name
	case e.Kind != core.TreeConfigured:
		return
	}
	if len(e.Doubled) == 0 {
		delete(f.doubled, pool)
		return
	}
	if f.doubled == nil {
		f.doubled = map[string][]*pooltree.RuleError{}
	}
	f.doubled[pool] = e.Doubled
}

// twice returns the options that the versions in force state twice.
func (f *configFaults) twice(pools []pooltree.Definition) (errs []*pooltree.RuleError) {
	errs = append(errs, f.doubled[""]...)
	for i := range pools {
		for _, e := range f.doubled[pools[i].Name] {
			of := *e
			of.Pool = pools[i].Name
			errs = append(errs, &of)
		}
	}
	return errs
}

// settleFaults updates the faults at the end of an instant.
func (c *Configuration) settleFaults(now core.Time) {
	f := &c.faults
	if errs := c.Core.Changes().Refused; len(errs) > 0 {
		f.refused = c.replaceFaults(f.refused, errs, true, now)
	} else if len(f.refused) > 0 && !c.Core.IsConfigurationRefused() {
		f.refused = c.replaceFaults(f.refused, nil, true, now)
	}
	total := c.Core.Total()
	if n := c.Core.Configurations(); n == f.configurations && (total == f.total || now < f.looked+lookAgain) {
		return
	}
	f.configurations, f.total, f.looked = c.Core.Configurations(), total, now
	f.inForce = c.replaceFaults(f.inForce, c.faultsInForce(&total), false, now)
}

// faultsInForce returns the rules that the configuration in force breaks. Assumed options of the
// tree do not count.
func (c *Configuration) faultsInForce(total *resource.Vector) []*pooltree.RuleError {
	config := c.Core.Config()
	if config.Assumed && !c.Core.PoolsConfigured() {
		return nil
	}
	if total.IsZero() {
		total = nil
	}
	pools := c.Core.Definitions()
	errs := pooltree.Validate(c.Log.Profile, config, pools, pooltree.DefaultMaxSubtreeSize)
	errs = append(errs, pooltree.Advise(c.Log.Profile, config, pools,
		pooltree.Cluster{Total: total, UpdatePeriod: c.Core.Cluster().UpdatePeriod.Or(0), Units: c.Log.Units()})...)
	errs = append(errs, c.faults.twice(pools)...)
	return slices.DeleteFunc(errs, func(e *pooltree.RuleError) bool {
		return e.Rule == pooltree.MainResource && config.Assumed || wasTaken(e.Rule)
	})
}

// wasTaken reports whether a rule is about the spelling of a name. The cluster that wrote the log
// took the name, so that its own pattern and length allow it (core/spec/scheduling.md §4.1).
func wasTaken(r pooltree.Rule) bool { return r == pooltree.NamePattern || r == pooltree.NameTooLong }

// replaceFaults closes the rows of faults that ended and opens rows for new ones.
func (c *Configuration) replaceFaults(open []configFault, errs []*pooltree.RuleError, refused bool, now core.Time) []configFault {
	found := make(map[configFaultKey]bool, len(errs))
	var fresh []configFault
	for _, e := range errs {
		k := keyOf(e)
		if found[k] {
			continue
		}
		found[k] = true
		fresh = append(fresh, configFault{k, tables.ConfigurationFault{
			Pool: e.Pool, Option: e.Option, Rule: string(e.Rule), Invariant: e.Rule.Invariant(), Severity: string(e.Rule.Severity()),
			Meaning: e.Rule.Meaning(), Detail: e.Detail, Refused: refused, FromTime: now,
		}})
	}
	lasting := make(map[configFaultKey]bool, len(open))
	open = slices.DeleteFunc(open, func(x configFault) bool {
		if !found[x.key] {
			c.closeFault(&x.row, now, false)
			return true
		}
		lasting[x.key] = true
		return false
	})
	for _, x := range fresh {
		if !lasting[x.key] {
			open = append(open, x)
		}
	}
	return open
}

// keyOf returns the key of a fault: its details without numbers, which may change while it lasts.
func keyOf(e *pooltree.RuleError) configFaultKey {
	subject, _, isAmount := strings.Cut(e.Detail, ":")
	if !isAmount {
		subject = ""
	}
	return configFaultKey{string(e.Rule), e.Pool, e.Option, subject}
}

func (c *Configuration) closeFault(row *tables.ConfigurationFault, now core.Time, clipped bool) {
	row.ToTime, row.ClippedTo = now, clipped
	if c.Begun && row.FromTime < now {
		c.configurationFaults.Add(now, row)
	}
}

// clipFaults clips the open rows at the window's start.
func (c *Configuration) clipFaults(from core.Time) {
	for _, open := range [][]configFault{c.faults.inForce, c.faults.refused} {
		for i := range open {
			row := &open[i].row
			row.ClippedFrom, row.FromTime = row.FromTime < from, max(row.FromTime, from)
		}
	}
}

// finishFaults closes the open rows at the window's end.
func (c *Configuration) finishFaults(to core.Time) {
	for _, open := range [][]configFault{c.faults.inForce, c.faults.refused} {
		for i := range open {
			c.closeFault(&open[i].row, to, true)
		}
	}
}

func compareFaults(a, b *tables.ConfigurationFault) int {
	return cmp.Or(cmp.Compare(a.Pool, b.Pool), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Option, b.Option), cmp.Compare(a.Detail, b.Detail))
}
