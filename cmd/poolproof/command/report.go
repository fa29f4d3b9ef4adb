package command

import (
	"context"
	"strings"

	"poolproof/audit"
	"poolproof/audit/report"
	"poolproof/replay"
)

const reportHelp = `
Write the verdict on RUN, which run or audit judged, in another format. Nothing
is judged again, and nothing in RUN changes.

  text        the verdict for a person, as run and audit print it
  markdown    the same for a page, such as a ticket
  json        findings.json: all of it, for programs (audit/FINDINGS.md)
  csv         the findings, one row each, for spreadsheets
  junit       JUnit XML for CI: a test case per audit and tree, red where the
              exit code of the run is not 0, skipped where nothing could be judged
  prometheus  metrics for a collector of text files
  html        report.html: one page, which needs no network, with an overview, charts
              and a place for each finding, report.html#finding-ID

The exit code is 0 once the report is written, whatever the verdict.

Examples:
  poolproof report run --output junit > poolproof.xml
  poolproof report run --output prometheus > collected/poolproof.new &&
    mv collected/poolproof.new collected/poolproof.prom

usage: poolproof report RUN
`

func reportCommand(ctx context.Context, env *environment, args []string) error {
	f := newFlags(env, "report", reportHelp)
	output := f.String("output", "text", "`FORMAT` of the report: "+strings.Join(report.Formats, ", "))
	takes(f, "output", report.Formats)
	memory := f.String("memory", "", memoryHelp)
	positional, err := parse(f, args, "RUN")
	if err != nil {
		return err
	}
	limits, err := boundMemory(*memory)
	if err != nil {
		return err
	}
	if err := oneOf("--output", *output, report.Formats); err != nil {
		return err
	}
	dir := positional[0]
	v, err := readVerdict(dir)
	if err != nil {
		return err
	}
	return report.Write(ctx, env.stdout, *output, v, dir, limits.database)
}

// readVerdict reads what was judged of a run, which stands in it.
func readVerdict(dir string) (*audit.Verdict, error) {
	if _, err := replay.ReadManifest(dir); err != nil {
		return nil, err
	}
	return audit.ReadVerdict(dir)
}
