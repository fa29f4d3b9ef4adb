package audit

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The queries of the notebooks are asked, and the notebooks hold no outputs.
func TestTheNotebooksAskWhatARunCanAnswer(t *testing.T) {
	t.Parallel()
	files, _ := filepath.Glob("../notebooks/*.ipynb")
	if len(files) == 0 {
		t.Fatal("there are no notebooks")
	}
	r := auditedRun(t)
	query := regexp.MustCompile(`(?s)ask\("""(.*?)"""[,)]`)
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var notebook struct {
			Cells []struct {
				Source  []string
				Outputs []json.RawMessage
			}
		}
		if err := json.Unmarshal(b, &notebook); err != nil {
			t.Fatal(err)
		}
		asked := 0
		for i, cell := range notebook.Cells {
			if len(cell.Outputs) > 0 {
				t.Errorf("%s: cell %d is saved with outputs", file, i)
			}
			for _, m := range query.FindAllStringSubmatch(strings.Join(cell.Source, ""), -1) {
				asked++
				if err := Query(context.Background(), r.dir, m[1], "csv", io.Discard); err != nil {
					t.Errorf("%s: cell %d: %v", file, i, err)
				}
			}
		}
		if asked == 0 {
			t.Errorf("%s asks nothing", file)
		}
	}
}
