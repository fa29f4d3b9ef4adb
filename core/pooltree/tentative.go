package pooltree

// An Eligibility says which tentative trees an operation is content with, and when
// one is too slow for it (tentative_tree_eligibility, core/spec/scheduling.md §2.4).
type Eligibility struct {
	IgnoreMissing  bool                   // ignore_missing_pool_trees
	SampleJobs     Optional[int64]        // sample_job_count
	MaxRatio       Optional[float64]      // max_tentative_job_duration_ratio
	MinJobDuration Optional[Milliseconds] // min_job_duration
}

var eligibilityOptions = []option[Eligibility]{
	flagOption("ignore_missing_pool_trees", func(e *Eligibility) *bool { return &e.IgnoreMissing }),
	countOption("sample_job_count", 1, func(e *Eligibility) *Optional[int64] { return &e.SampleJobs }),
	realOption("max_tentative_job_duration_ratio", 0, maxFinite, func(e *Eligibility) *Optional[float64] { return &e.MaxRatio }),
	durationOption("min_job_duration", func(e *Eligibility) *Optional[Milliseconds] { return &e.MinJobDuration }),
}

// Defaults of tentative_tree_eligibility.
const (
	defaultSampleJobs     = 10
	defaultDurationRatio  = 10.0
	defaultMinJobDuration = Milliseconds(30_000)
)

// Durations sum up finished jobs.
type Durations struct {
	Jobs  int64
	Total Milliseconds
}

func (d Durations) average() float64 { return float64(d.Total) / float64(d.Jobs) }

// Bans reports whether the tree is erased from the operation: after enough
// sample jobs, their average duration is at least the least one that counts
// and exceeds the average elsewhere by more than the ratio. Without a job
// elsewhere there is nothing to compare.
func (e Eligibility) Bans(here, elsewhere Durations) bool {
	if here.Jobs < e.SampleJobs.Or(defaultSampleJobs) || here.Jobs == 0 || elsewhere.Jobs == 0 {
		return false
	}
	average := here.average()
	return average >= float64(e.MinJobDuration.Or(defaultMinJobDuration)) &&
		average > e.MaxRatio.Or(defaultDurationRatio)*elsewhere.average()
}

// SampleLeft returns how many jobs may start beside those in flight until the sample
// is complete once they have finished; ok is false when it is complete.
func (e Eligibility) SampleLeft(finished, inFlight int64) (jobs int64, ok bool) {
	sample := e.SampleJobs.Or(defaultSampleJobs)
	return max(sample-finished-inFlight, 0), finished < sample
}

// Saturated reports whether the tree is skipped because the sample is complete
// once the jobs in flight have finished.
func (e Eligibility) Saturated(finished, inFlight int64) bool {
	left, incomplete := e.SampleLeft(finished, inFlight)
	return incomplete && left == 0
}

// defaultSaturationWait is that of tentative_tree_saturation_deactivation_period.
const defaultSaturationWait = Milliseconds(10_000)

// SaturationWait is how long an operation is passed over that is saturated in a
// tentative tree, before it is tried again.
func (c *TreeConfig) SaturationWait() Milliseconds {
	return c.SaturationDeactivation.Or(defaultSaturationWait)
}
