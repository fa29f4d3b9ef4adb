// Package cases runs inputs that once gave a wrong answer. Each script in testdata/script is one
// case: its input, the right answer, and why that is right.
package cases

import (
	"testing"

	"poolproof/cmd/poolproof/command"
	"poolproof/cmd/poolproof/commandtest"
)

func TestMain(m *testing.M) { commandtest.Main(m, command.Main) }

// TestSweepCases runs every case in CI (.ci/run) and one of four in make test: each replays and audits its inputs as
// users do, and together they take minutes.
func TestSweepCases(t *testing.T) { commandtest.SweepScripts(t, 4) }
