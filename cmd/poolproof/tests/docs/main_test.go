// Package docs holds what the pages of the project say: links, citations of rules, the reference,
// licences, the table of imports, and that the examples of helps and pages do what they say.
package docs

import (
	"testing"

	"poolproof/cmd/poolproof/command"
	"poolproof/cmd/poolproof/commandtest"
)

func TestMain(m *testing.M) { commandtest.Main(m, command.Main) }
