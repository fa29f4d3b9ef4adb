// Package queries tests what can be asked of a run: the SQL of views, pages and the ten
// questions, and what explain tells of it.
package queries

import (
	"testing"

	"poolproof/cmd/poolproof/command"
	"poolproof/cmd/poolproof/commandtest"
)

func TestMain(m *testing.M) { commandtest.Main(m, command.Main) }

func TestScripts(t *testing.T) { commandtest.Scripts(t) }
