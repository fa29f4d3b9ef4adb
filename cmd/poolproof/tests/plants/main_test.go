// Package plants tests that the audits find what is planted in a synthetic cluster, and accuse
// nobody where nothing is: the matrix, what is innocent, and logs that lack something.
package plants

import (
	"testing"

	"poolproof/cmd/poolproof/command"
	"poolproof/cmd/poolproof/commandtest"
)

func TestMain(m *testing.M) { commandtest.Main(m, command.Main) }
