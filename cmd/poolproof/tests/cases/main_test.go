// Package cases runs inputs that once gave a wrong answer. Each script in testdata/script is one
// case: its input, the right answer, and why that is right.
package cases

import (
	"testing"

	"poolproof/cmd/poolproof/command"
	"poolproof/cmd/poolproof/commandtest"
)

func TestMain(m *testing.M) { commandtest.Main(m, command.Main) }

func TestScripts(t *testing.T) { commandtest.Scripts(t) }
