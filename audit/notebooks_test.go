package audit

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"poolproof/queries"
)

// A notebookCell is a cell of a notebook as it is saved.
type notebookCell struct {
	Type           string `json:"cell_type"`
	Source         []string
	Outputs        []json.RawMessage
	ExecutionCount *int `json:"execution_count"`
}

// notebookParams are stand-ins for what a notebook puts into its questions.
var notebookParams = map[string]string{
	"tree": "a", "pool": "prod", "moment": "2023-11-14 22:14:00", "step": "30", "depth": "1",
	"since": "2023-11-14 22:13:20", "begins": "2023-11-14 22:13:20", "ends": "2023-11-14 22:15:00",
}

// Every notebook opens with the question that it answers and who asks it, stands in the README,
// and holds no outputs. What it asks a run of the schema main can answer.
func TestTheNotebooksAskWhatARunCanAnswer(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../notebooks/README.md")
	if err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob("../notebooks/*.ipynb")
	if len(files) < 8 {
		t.Fatalf("%d notebooks, where there were eight", len(files))
	}
	session, err := OpenSession(t.Context(), queries.Files, []Source{{Dir: auditedRun(t).dir}}, false, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	query := regexp.MustCompile(`(?s)\bask\("""(.*?)"""[,)]`)
	param := regexp.MustCompile(`\$(\w+)`)
	opening := regexp.MustCompile(`^# .+\n\n\*\*(The|An?) .+ asks:\*\* .+\?`)
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var notebook struct{ Cells []notebookCell }
		if err := json.Unmarshal(b, &notebook); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(readme), "| ["+filepath.Base(file)+"]("+filepath.Base(file)+") |") {
			t.Errorf("%s is not in the README's table", file)
		}
		asked := 0
		for i, cell := range notebook.Cells {
			source := strings.Join(cell.Source, "")
			if i == 0 && (cell.Type != "markdown" || !opening.MatchString(source)) {
				t.Errorf("%s opens without its question: %s", file, source)
			}
			if len(cell.Outputs) > 0 || cell.ExecutionCount != nil {
				t.Errorf("%s: cell %d is saved with outputs", file, i)
			}
			questions := query.FindAllStringSubmatch(source, -1)
			if n := strings.Count(source, "ask("); n != len(questions) {
				t.Errorf("%s: cell %d asks %d questions, of which %d are written as ask(\"\"\"...\"\"\")", file, i, n, len(questions))
			}
			for _, m := range questions {
				asked++
				values := map[string]string{}
				for _, name := range param.FindAllStringSubmatch(m[1], -1) {
					values[name[1]] = notebookParams[name[1]]
				}
				sql, err := FillParams(m[1], values)
				if err != nil {
					t.Errorf("%s: cell %d: %v", file, i, err)
				} else if err := session.Answer(t.Context(), sql, "csv", io.Discard); err != nil {
					t.Errorf("%s: cell %d: %v", file, i, err)
				}
				if strings.Contains(sql, "internal.") {
					t.Errorf("%s: cell %d asks the schema internal, which is for audits", file, i)
				}
			}
		}
		if asked == 0 {
			t.Errorf("%s asks nothing", file)
		}
	}
}
