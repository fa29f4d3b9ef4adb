// Package law tests one law: information that a log loses, or that is damaged, never adds a violated
// finding. What a log does not record is unknown, and what is unknown accuses nobody.
//
// A mutation is a list of edits of a good log, drawn from a seed. A seed whose mutation accuses is
// repeated, and its edits are reduced to the fewest that still accuse, with
//
//	POOLPROOF_LAW=SEED go test ./cmd/poolproof/tests/law -run TestSweepLostInformation -v
//
// SEED may be a list of seeds, or FROM-TO.
package law

import (
	"testing"

	"poolproof/cmd/poolproof/command"
	"poolproof/cmd/poolproof/commandtest"
)

func TestMain(m *testing.M) { commandtest.Main(m, command.Main) }
