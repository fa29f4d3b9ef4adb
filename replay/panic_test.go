package replay

import (
	"strings"
	"testing"
)

// TestPanicIsAnError: a fault in one tree's goroutine is an error of the run.
func TestPanicIsAnError(t *testing.T) {
	err := func() (err error) {
		defer recoverTo(&err)
		panic("planted")
	}()
	if err == nil || !strings.Contains(err.Error(), "planted") || !strings.Contains(err.Error(), "panic_test.go") {
		t.Errorf("the panic became %v", err)
	}
}
