package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"poolproof/audit"
)

// addVerdicts adds verdicts as files of findings: sound ones, and a hostile one.
func addVerdicts(f *testing.F) {
	for _, v := range []*audit.Verdict{brokenNight(), fullNight()} {
		b, err := v.JSON()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add([]byte(`{"schema_version": 8, "from": "2026-05-01T00:00:00Z", "to": "2026-05-02T00:00:00Z", "audits": [{"audit": "x\u001b[2J", "severity": "worst"}], "outcomes": [{"audit": "x\u001b[2J", "verdict": "?", "seen": -1}, {"audit": "x\u001b[2J", "verdict": "violated"}],
		"findings": [{"audit": "x\u001b[2J", "verdict": "violated", "severity": "?", "subject": "\n\u009b\u007f\u202e", "magnitude": 1e308, "unit": "cores", "evidence": {"a": [{}]}, "incident_id": "?"}],
		"fixed": [{}], "incidents": [{"totals": [{}], "finding_ids": ["?"], "findings": -7}], "promises": [{"grade": "broken", "shortfall": {}, "finding_ids": ["?"]}, {"grade": "?", "tested_s": -1e308, "kept_s": 1e308}],
		"tree_coverage": [{"seconds": -1, "judged_seconds": 1e308}], "share_agreement": {"records": 1, "decades": [{}]}, "baseline": {"differs": ["x"], "scorecard": [{"part": -1}]}, "params": {"x": 1e-320}, "fail_on": ["?"], "min_coverage": 1e308}`))
}

// FuzzFormats writes the verdict that any bytes are in every format that needs no
// database: it comes out whole and in its grammar.
func FuzzFormats(f *testing.F) {
	addVerdicts(f)
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, b []byte) {
		if err := os.WriteFile(filepath.Join(dir, audit.FindingsName), b, 0o644); err != nil {
			t.Fatal(err)
		}
		v, err := audit.ReadVerdict(dir)
		if err != nil {
			return
		}
		for _, format := range Formats {
			if format == "html" {
				continue
			}
			var out bytes.Buffer
			if err := Write(t.Context(), &out, format, v, "run", 0); err != nil {
				t.Fatalf("%s: %v", format, err)
			}
			checkGrammar(t, format, string(plain(out.Bytes()))) // as a terminal gets it
		}
	})
}

// FuzzPage writes the verdict that any bytes are as a page: it comes out whole, and
// brings no script but those of the page.
func FuzzPage(f *testing.F) {
	addVerdicts(f)
	dir, db := f.TempDir(), testDatabase(f)
	f.Fuzz(func(t *testing.T, b []byte) {
		if err := os.WriteFile(filepath.Join(dir, audit.FindingsName), b, 0o644); err != nil {
			t.Fatal(err)
		}
		v, err := audit.ReadVerdict(dir)
		if err != nil {
			return
		}
		text := pageOf(t, v, db)
		if n := strings.Count(strings.ToLower(text), "<script"); n != 3 || !strings.HasSuffix(strings.TrimSpace(text), "</html>") {
			t.Fatalf("%d scripts: %s", n, text)
		}
	})
}

func checkGrammar(t *testing.T, format, text string) {
	var err error
	switch format {
	case "json":
		if !json.Valid([]byte(text)) {
			err = errors.New("no JSON")
		}
	case "csv", "scorecard":
		_, err = csv.NewReader(strings.NewReader(text)).ReadAll()
	case "junit":
		d := xml.NewDecoder(strings.NewReader(text))
		for err == nil {
			_, err = d.Token()
		}
		if err == io.EOF {
			err = nil
		}
	}
	if err != nil {
		t.Fatalf("%s: %v\n%s", format, err, text)
	}
}
