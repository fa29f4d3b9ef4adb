// Package faults tests what goes wrong: hostile traces, bad files, signals, full disks, little
// memory, and files that change while they are read. Nothing half-made is left.
package faults

import (
	"testing"

	"poolproof/cmd/poolproof/command"
	"poolproof/cmd/poolproof/commandtest"
)

func TestMain(m *testing.M) { commandtest.Main(m, command.Main) }
