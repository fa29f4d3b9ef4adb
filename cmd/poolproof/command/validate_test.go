package command

import (
	"testing"

	"poolproof/ingest/trace"
)

func TestATraceIsNamedByItsClusterOrItsFiles(t *testing.T) {
	files := func(paths ...string) (sources []trace.Source) {
		for _, p := range paths {
			sources = append(sources, trace.Source{Path: p})
		}
		return sources
	}
	for _, c := range []struct {
		m    trace.Manifest
		want string
	}{
		{trace.Manifest{Cluster: "hume", Sources: files("a")}, "hume"},
		{trace.Manifest{Sources: files("a.swf", "a.swf.machines", "a.swf")}, "a.swf, a.swf.machines"},
		{trace.Manifest{Sources: files("a", "b", "c", "d")}, "a, b, c and 1 more file"},
		{trace.Manifest{Sources: files("a", "b", "c", "d", "e")}, "a, b, c and 2 more files"},
		{trace.Manifest{Sources: files("")}, "an unknown source"},
	} {
		if got := sourceOf(&c.m); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}
