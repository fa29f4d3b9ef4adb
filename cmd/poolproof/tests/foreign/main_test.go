// Package foreign tests logs and files of others: event logs of YTsaurus clusters of each age,
// logs of other clusters, and traces that other programs wrote.
package foreign

import (
	"testing"

	"poolproof/cmd/poolproof/command"
	"poolproof/cmd/poolproof/commandtest"
)

func TestMain(m *testing.M) { commandtest.Main(m, command.Main) }
