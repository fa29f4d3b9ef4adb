package report

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"poolproof/audit"
)

// Formats are the formats of Write.
var Formats = []string{"text", "markdown", "json", "csv", "scorecard", "junit", "prometheus", "html"}

// Write writes the verdict on the run at runPath in one of Formats.
func Write(ctx context.Context, w io.Writer, format string, v *audit.Verdict, runPath string, memory audit.Memory) error {
	switch format {
	case "text":
		return terminal(w, v, runPath)
	case "markdown":
		return Markdown(w, v, runPath)
	case "json":
		b, err := v.JSON()
		if err == nil {
			_, err = w.Write(b)
		}
		return err
	case "csv":
		return CSV(w, v)
	case "scorecard":
		return scorecard(w, v)
	case "junit":
		return jUnit(w, v)
	case "prometheus":
		return prometheus(w, v)
	case "html":
		var b bytes.Buffer
		if err := page(ctx, &b, v, runPath, memory); err != nil {
			return err
		}
		_, err := w.Write(b.Bytes())
		return err
	}
	return fmt.Errorf("unknown report format %q (want %s)", format, strings.Join(Formats, ", "))
}

// ExplainFormats are the formats of an explanation: those of WriteDocuments, and that of
// WriteTracks.
var ExplainFormats = append(slices.Clone(DocumentFormats), Perfetto)

// DocumentFormats are those of WriteDocuments.
var DocumentFormats = []string{"text", "markdown", "json", "html"}

// Perfetto is the format of WriteTracks.
const Perfetto = "perfetto"

// WriteDocuments writes explanations of a run as text, markdown, json or html.
func WriteDocuments(w io.Writer, format string, v *audit.Verdict, documents []*Document) error {
	var b bytes.Buffer
	switch format {
	case "text", "markdown":
		for i, d := range documents {
			if format == "markdown" {
				d.markdown(&b)
				continue
			}
			if i > 0 {
				b.WriteByte('\n')
			}
			d.text(&b)
		}
	case "json":
		if err := explanationJSON(&b, v, documents); err != nil {
			return err
		}
	case "html":
		if err := explanationPage(&b, v, documents); err != nil {
			return err
		}
	default:
		return fmt.Errorf("unknown format %q (want %s)", format, strings.Join(DocumentFormats, ", "))
	}
	_, err := w.Write(b.Bytes())
	return err
}
