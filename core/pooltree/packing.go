package pooltree

// A PackingMetric is how packing measures that a job suits a node.
type PackingMetric uint8

// The values of packing/metric, the default first.
const (
	PackingAngleLength PackingMetric = iota // the angle, by how often the job goes into the room
	PackingAngle                            // 1 − cos of the angle between job and room
)

var packingMetricNames = []string{"angle_length", "angle"}

// Packing is the option packing: heartbeats at which jobs suit the node worse
// than at past ones start none (core/spec/scheduling.md §9.8).
type Packing struct {
	Enable            bool
	Metric            Optional[PackingMetric]
	MinWindow         Optional[int64] // min_window_size_for_schedule
	MaxBetterPast     Optional[int64] // max_better_past_snapshots
	WindowSize        Optional[int64] // max_heartbeat_window_size
	MaxAge            Optional[Milliseconds]
	AbsoluteTolerance Optional[float64] // absolute_metric_value_tolerance
	RelativeTolerance Optional[float64] // relative_metric_value_tolerance
}

var packingOptions = []option[Packing]{
	flagOption("enable", func(p *Packing) *bool { return &p.Enable }),
	enumOption("metric", packingMetricNames, func(p *Packing) *Optional[PackingMetric] { return &p.Metric }),
	countOption("min_window_size_for_schedule", 0, func(p *Packing) *Optional[int64] { return &p.MinWindow }),
	countOption("max_better_past_snapshots", 0, func(p *Packing) *Optional[int64] { return &p.MaxBetterPast }),
	countOption("max_heartbeat_window_size", 0, func(p *Packing) *Optional[int64] { return &p.WindowSize }),
	durationOption("max_heartbeat_age", func(p *Packing) *Optional[Milliseconds] { return &p.MaxAge }),
	realOption("absolute_metric_value_tolerance", 0, maxFinite, func(p *Packing) *Optional[float64] { return &p.AbsoluteTolerance }),
	realOption("relative_metric_value_tolerance", 1, maxFinite, func(p *Packing) *Optional[float64] { return &p.RelativeTolerance }),
}
