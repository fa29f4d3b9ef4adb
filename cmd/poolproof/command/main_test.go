package command

import (
	"testing"

	"poolproof/cmd/poolproof/commandtest"
)

func TestMain(m *testing.M) { commandtest.Main(m, Main) }
