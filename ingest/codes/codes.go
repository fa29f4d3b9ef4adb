// Package codes collects the codes of problems, which the column code of the table problems holds, from
// everything that finds problems: reading a trace, and each import.
package codes

import (
	"poolproof/ingest"
	"poolproof/ingest/google2011"
	"poolproof/ingest/openb"
	"poolproof/ingest/swf"
	"poolproof/ingest/ytsaurus"
)

// Trace names the reading of a trace among the sources of problems.
const Trace = "Trace"

// Explanations returns the meanings of codes, by the source of problems, Trace or a command, and by code.
func Explanations() map[string]map[string]string {
	return map[string]map[string]string{
		Trace:               ingest.Explanations(),
		"import google2011": google2011.Explanations(),
		"import openb":      openb.Explanations(),
		"import swf":        swf.Explanations(),
		"import ytsaurus":   ytsaurus.Explanations(),
	}
}
