package ingest

import (
	"poolproof/core"
	"poolproof/ingest/opspec"
)

// Spec returns what an operation's spec says to scheduling, nil if the trace holds
// none that can be read. Events carry it where they start an operation in a tree;
// one that started nowhere has no event.
func (t *Trace) Spec(o core.OperationID) *opspec.Spec { return t.operations[o].spec }
