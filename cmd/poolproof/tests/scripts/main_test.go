// Package scripts runs the commands from outside, as users do. Scripts that belong to a subject
// stand with the tests of that subject.
package scripts

import (
	"testing"

	"poolproof/cmd/poolproof/command"
	"poolproof/cmd/poolproof/commandtest"
)

func TestMain(m *testing.M) { commandtest.Main(m, command.Main) }

func TestScripts(t *testing.T) { commandtest.Scripts(t) }
