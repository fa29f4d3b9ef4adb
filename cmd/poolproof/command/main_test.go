package command

import (
	"os"
	"testing"
	"time"

	"poolproof/cmd/poolproof/commandtest"
)

// patienceName is the variable of the environment that has another patience than usual.
const patienceName = "POOLPROOF_TEST_PATIENCE"

func TestMain(m *testing.M) {
	commandtest.Main(m, func() {
		if other, err := time.ParseDuration(os.Getenv(patienceName)); err == nil {
			run(other)
		}
		Main()
	})
}
