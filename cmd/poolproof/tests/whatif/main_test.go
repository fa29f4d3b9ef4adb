// Package whatif tests logs that are decided anew: what-if, its grids and searches, and the
// causes that explain proves by trials.
package whatif

import (
	"testing"

	"poolproof/cmd/poolproof/command"
	"poolproof/cmd/poolproof/commandtest"
)

func TestMain(m *testing.M) { commandtest.Main(m, command.Main) }
