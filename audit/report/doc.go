// Package report shows a verdict to a person.
//
// Terminal writes text: a headline, the promises one per line, the worst
// findings, what could not be judged and why, and where the run is. Nothing
// depends on the width or the colours of a terminal, so the same verdict is the
// same text in a log file. Markdown writes the same for a page.
//
// The package judges nothing: it counts and words what package audit says.
package report
