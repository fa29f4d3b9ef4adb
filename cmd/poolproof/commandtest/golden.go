package commandtest

import (
	"flag"
	"os"
	"testing"
)

// Update says that what is expected shall be rewritten.
var Update = flag.Bool("update", false, "rewrite expected texts and pages")

// Golden compares a text with the file that holds it, or rewrites that by -update.
func Golden(t *testing.T, path, text string) {
	t.Helper()
	if *Update {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != text {
		t.Errorf("%s differs; -update rewrites it:\n%s", path, text)
	}
}
