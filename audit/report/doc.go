// Package report shows a verdict: to a person, to programs, and finding by
// finding.
//
//	report.Write(ctx, os.Stdout, "markdown", v, "run", 0)   // or another of Formats
//	report.WritePage(ctx, v, "run", 0)                   // run/report.html
//	d, err := report.Explain(ctx, report.Explanation{…}) // or ExplainSubject, ExplainNode, ExplainJob
//	report.WriteDocuments(os.Stdout, "html", v, []*report.Document{d}) // or text, markdown, json
//	report.WriteTracks(ctx, os.Stdout, subject, []*report.Document{d}) // for ui.perfetto.dev
//
// For people: text whose lines depend on no terminal, Markdown the
// same for a page, and HTML one page with charts, which needs no network: its
// style, its script and the charts' library are in it, and its policy forbids all
// else. For programs: CSV, JUnit and Prometheus; JSON is the verdict's own.
//
// Names come from a log and may be anything. They are escaped in every format, and
// on a terminal they cannot steer it (spelling.OneName).
//
// Nothing here judges, and nothing looks at a clock: the same verdict and database
// give the same bytes. Pages are bounded; what is left out is counted.
package report
