// Package codes has the codes of problems, the column code of the table problems, of everything that
// finds some: reading a trace, and each import.
package codes

import (
	"poolproof/ingest"
	"poolproof/ingest/google2011"
	"poolproof/ingest/openb"
	"poolproof/ingest/swf"
	"poolproof/ingest/ytsaurus"
)

// Trace is what finds problems of a trace that is read.
const Trace = "Trace"

// Explanations returns what codes mean, by what finds them, Trace or a command, and by code.
func Explanations() map[string]map[string]string {
	return map[string]map[string]string{
		Trace:               ingest.Explanations(),
		"import google2011": google2011.Explanations(),
		"import openb":      openb.Explanations(),
		"import swf":        swf.Explanations(),
		"import ytsaurus":   ytsaurus.Explanations(),
	}
}
