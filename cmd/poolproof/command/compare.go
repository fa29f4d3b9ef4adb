package command

import (
	"context"
	"os"
	"strings"

	"poolproof/audit"
	"poolproof/audit/report"
	"poolproof/core/spelling"
	"poolproof/ingest/atomicdir"
	"poolproof/replay"
)

const compareHelp = `
Compare two audited runs of one cluster: which findings are new and which are fixed, what
trees, pools and operations got, missed and waited for, each with its unit and whether that
is better or worse, and the first decision that differs, with what differs in the state
before it: configurations, nodes and operations first, then shares. The first RUN is what
the second is compared with. what-if compares so a log with an edited one.

Metrics are those of the view metrics, which queries/README.md explains. --output json is for
programs (audit/FINDINGS.md).

Example: by which decision do two replays of one night differ, and what changed for a pool?
  poolproof compare runs/2025-03-02 run --subject prod

usage: poolproof compare RUN RUN
`

func compareCommand(ctx context.Context, env *environment, args []string) error {
	f := newFlags(env, "compare", compareHelp)
	subjects := f.StringSlice("subject", nil, "pools, operations or trees to tell all of, `NAME`s, comma separated; a pool may be named with its tree, as gpu/prod")
	output := f.String("output", "text", "`FORMAT` of the answer: "+strings.Join(report.DocumentFormats, ", "))
	takes(f, "output", report.DocumentFormats)
	memory := f.String("memory", "", memoryHelp)
	positional, err := parse(f, args, "RUN", "RUN")
	if err != nil {
		return err
	}
	if err := oneOf("--output", *output, report.DocumentFormats); err != nil {
		return err
	}
	limits, err := boundMemory(*memory)
	if err != nil {
		return err
	}
	for _, run := range positional {
		if _, err := replay.ReadManifest(run); err != nil {
			return err
		}
	}
	c, err := audit.Compare(ctx, positional[0], positional[1], limits.database)
	if err != nil {
		return err
	}
	if err := checkSubjects(c, *subjects); err != nil {
		return err
	}
	told := report.Compared{
		Comparison: c, Kind: "comparison", Title: positional[1] + " compared with " + positional[0], Names: [2]string{"first", "second"}, Subjects: *subjects,
	}
	return report.WriteDocuments(env.stdout, *output, c.After, []*report.Document{told.Document()})
}

// checkSubjects refuses names that neither run has.
func checkSubjects(c *audit.Comparison, subjects []string) error {
	for _, s := range subjects {
		if names, known := c.Has(s); !known {
			return usagef("the runs have no tree, pool or operation %q; %s", s, spelling.MeantName(s, names))
		}
	}
	return nil
}

// temporary is a directory for what is not kept.
func temporary() (*atomicdir.Scratch, error) { return atomicdir.NewScratch(os.TempDir(), "poolproof") }
