package joblog

import "strings"

// Text returns s as the trace may hold it: bytes that are not UTF-8 become
// U+FFFD (ingest/trace/FORMAT.md §3.2).
func Text(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
