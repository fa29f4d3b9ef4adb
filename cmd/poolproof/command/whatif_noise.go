package command

import (
	"cmp"
	"context"
	"math"
	"os"
	"slices"

	"poolproof/audit"
	"poolproof/audit/report"
	"poolproof/core"
	"poolproof/ingest/whatif"
)

// Whether noise is measured: where that is cheap, always, or never.
const noiseAuto, noiseYes, noiseNo = "auto", "yes", "no"

var noiseModes = []string{noiseAuto, noiseYes, noiseNo}

const (
	shiftedBy   = core.Second
	cheapNoise  = 200_000 // heartbeats and jobs that are decided once more without being asked: a few seconds
	assumedPart = 0.05    // of a number that is taken for noise where that is not measured
	assumedTime = 6.0     // seconds: the shift, and a heartbeat
)

const (
	noiseMeasured = "" +
		"A change is no clear difference if the control changes as much where all operations come a second later."
	noiseAssumed = "" +
		"Noise was not measured: changes of up to 5 %, 6 s or one are no clear difference. --noise yes measures it."
)

// addNoise adds to changes with a judgement how much the control changes if all operations come a
// second later, and returns a sentence about it. Only trees that the edits change are decided
// again, and only if some change is better or worse.
func (x *experiment) addNoise(
	ctx context.Context, q *whatIfRequest, told *report.Compared, runs [2]*scenario, dir string,
) ([]string, error) {
	mayBeNoise := func(m audit.Change) bool { return told.Tells(&m) && isJudged(&m) }
	if !slices.ContainsFunc(told.Metrics, mayBeNoise) {
		return nil, nil
	}
	var trees []string
	size, sizes := 0, whatif.Sizes(x.plan)
	for i, t := range x.plan.Trees {
		if slices.Contains(x.trees, t.Name) && !runs[1].decided.value.log.Shares(runs[0].decided.value.log, i) {
			trees, size = append(trees, t.Name), size+sizes[i]
		}
	}
	if q.noise == noiseNo || q.noise == noiseAuto && size > cheapNoise {
		assumeNoise(told.Metrics)
		return []string{noiseAssumed}, nil
	}
	shifted, err := x.shifted(ctx, q.workers, trees, dir)
	if err != nil {
		return nil, err
	}
	addNoise(told.Metrics, shifted)
	return []string{noiseMeasured}, nil
}

// isJudged reports whether a change is better or worse and may be noise. Violations do not drift.
func isJudged(m *audit.Change) bool {
	j := m.Judged()
	return m.Metric != "violations" && (j == "better" || j == "worse")
}

// shifted are the numbers of some trees if all operations come a second later.
func (x *experiment) shifted(
	ctx context.Context, workers int, trees []string, dir string,
) (all []audit.Change, err error) {
	own := *x
	own.trees, own.control, own.recorded = trees, nil, nil
	own.progress.step("Deciding %s once more, with all operations a second later", counted(len(trees), "tree"))
	s := newScenario(whatif.Shifted(shiftedBy), dir)
	s.judge = func(ctx context.Context) (err error) {
		all, err = own.measure(ctx, s)
		return cmp.Or(err, os.RemoveAll(s.dir))
	}
	if err := own.pose(audit.Asking, workers, nil, audit.AskedByMetrics()...); err != nil {
		return nil, err
	}
	err = own.run(ctx, workers, []*scenario{s})
	return all, err
}

// addNoise says of each change by how much the shifted control is off the control.
func addNoise(changes, shifted []audit.Change) {
	type key struct{ tree, kind, element, metric string }
	of := map[key]*float64{}
	for i := range shifted {
		m := &shifted[i]
		of[key{m.Tree, m.Kind, m.Element, m.Metric}] = m.After
	}
	for i := range changes {
		m := &changes[i]
		if shifted := of[key{m.Tree, m.Kind, m.Element, m.Metric}]; shifted != nil && m.Before != nil {
			noise := math.Abs(*shifted - *m.Before)
			m.Noise = &noise
		}
	}
}

// assumeNoise says of each change what is taken for noise where that is not measured.
func assumeNoise(changes []audit.Change) {
	for i := range changes {
		m := &changes[i]
		if m.Before == nil || m.After == nil || m.Metric == "violations" {
			continue
		}
		noise := assumedPart * max(math.Abs(*m.Before), math.Abs(*m.After))
		switch m.Unit {
		case "s":
			noise = max(noise, assumedTime)
		case "jobs", "operations":
			noise = max(noise, 1)
		}
		m.Noise = &noise
	}
}
