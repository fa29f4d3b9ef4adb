package pooltree

import "testing"

// The map packing, and what is no option of it.
func TestPacking(t *testing.T) {
	read := func(v any) (Packing, bool) {
		c, errs := ParseTree(Documented, Attributes{"packing": v})
		return c.Packing, len(errs) == 0
	}
	p, ok := read(map[string]any{
		"enable": true, "metric": "angle", "min_window_size_for_schedule": 0.0, "max_better_past_snapshots": 3.0,
		"max_heartbeat_window_size": 4.0, "max_heartbeat_age": 5000.0,
		"absolute_metric_value_tolerance": 0.0, "relative_metric_value_tolerance": 1.0,
	})
	want := Packing{
		Enable: true, Metric: Some(PackingAngle), MinWindow: Some[int64](0), MaxBetterPast: Some[int64](3),
		WindowSize: Some[int64](4), MaxAge: Some[Milliseconds](5000),
		AbsoluteTolerance: Some(0.0), RelativeTolerance: Some(1.0),
	}
	if !ok || p != want {
		t.Errorf("read %+v, %v", p, ok)
	}
	if p, ok := read(map[string]any{"metric": "angle_length"}); !ok || p != (Packing{Metric: Some(PackingAngleLength)}) {
		t.Errorf("read %+v, %v", p, ok)
	}
	for name, v := range map[string]any{
		"enable": 1.0, "metric": "length", "min_window_size_for_schedule": -1.0, "max_heartbeat_age": -1.0,
		"absolute_metric_value_tolerance": -0.01, "relative_metric_value_tolerance": 0.99,
	} {
		if p, ok := read(map[string]any{name: v}); ok || p != (Packing{}) {
			t.Errorf("%s = %v is read as %+v", name, v, p)
		}
	}
}
