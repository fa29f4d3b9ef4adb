package whatif

import (
	"context"
	"fmt"
	"os"
	"testing"
)

// What tests share: a folder, and the context in which it is filled.
var (
	testFolder  string
	testContext = context.Background()
)

func TestMain(m *testing.M) {
	var err error
	if testFolder, err = os.MkdirTemp("", "whatif"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(testFolder)
	os.Exit(code)
}
