package replay

import (
	"errors"
	"path/filepath"

	"poolproof/replay/tables"
)

// An output holds the writers of one tree's result tables. The first error
// sticks: the recorder appends without looking, and the run asks now and then.
type output struct {
	trees                 *tables.Writer[tables.Tree]
	pools                 *tables.Writer[tables.Pool]
	poolVersions          *tables.Writer[tables.PoolVersion]
	treeVersions          *tables.Writer[tables.TreeVersion]
	operations            *tables.Writer[tables.Operation]
	nodes                 *tables.Writer[tables.Node]
	jobs                  *tables.Writer[tables.Job]
	poolIntervals         *tables.Writer[tables.PoolInterval]
	operationIntervals    *tables.Writer[tables.OperationInterval]
	guaranteeEpisodes     *tables.Writer[tables.GuaranteeEpisode]
	starvationEpisodes    *tables.Writer[tables.StarvationEpisode]
	limitEpisodes         *tables.Writer[tables.LimitEpisode]
	unschedulableEpisodes *tables.Writer[tables.UnschedulableEpisode]
	admissions            *tables.Writer[tables.Admission]
	pendingEpisodes       *tables.Writer[tables.PendingEpisode]
	misplacedJobs         *tables.Writer[tables.MisplacedJob]
	totalEpisodes         *tables.Writer[tables.TotalEpisode]
	configurationFaults   *tables.Writer[tables.ConfigurationFault]
	decisions             *tables.Writer[tables.Decision]
	decisionCounts        *tables.Writer[tables.DecisionCount]
	preemptions           *tables.Writer[tables.Preemption]
	considerations        *tables.Writer[tables.Consideration]
	missedRepairs         *tables.Writer[tables.MissedRepair]
	lostWork              *tables.Writer[tables.LostWork]
	idleNodes             *tables.Writer[tables.IdleNode]
	segmentMoves          *tables.Writer[tables.SegmentMove]
	coverage              *tables.Writer[tables.Coverage]
	problems              *tables.Writer[tables.Problem]

	// Of what the scheduler says of itself.
	excuseWindows      *tables.Writer[tables.ExcuseWindow]
	snapshotPools      *tables.Writer[tables.SnapshotPool]
	snapshotOperations *tables.Writer[tables.SnapshotOperation]
	snapshotErrors     *tables.Writer[tables.SnapshotError]
	shareAgreements    *tables.Writer[tables.ShareAgreement]
	snapshotChecks     *tables.Writer[tables.SnapshotCheck]
	snapshotTallies    *tables.Writer[tables.SnapshotTally]

	all []closer
	err error
}

type closer interface {
	Close() (tables.File, error)
	Abort()
}

func newOutput(dir, tree string, d *tables.Dictionaries) (*output, error) {
	o := &output{}
	open(o, &o.trees, dir, tree, d)
	open(o, &o.pools, dir, tree, d)
	open(o, &o.poolVersions, dir, tree, d)
	open(o, &o.treeVersions, dir, tree, d)
	open(o, &o.operations, dir, tree, d)
	open(o, &o.nodes, dir, tree, d)
	open(o, &o.jobs, dir, tree, d)
	open(o, &o.poolIntervals, dir, tree, d)
	open(o, &o.operationIntervals, dir, tree, d)
	open(o, &o.guaranteeEpisodes, dir, tree, d)
	open(o, &o.starvationEpisodes, dir, tree, d)
	open(o, &o.limitEpisodes, dir, tree, d)
	open(o, &o.unschedulableEpisodes, dir, tree, d)
	open(o, &o.admissions, dir, tree, d)
	open(o, &o.pendingEpisodes, dir, tree, d)
	open(o, &o.configurationFaults, dir, tree, d)
	open(o, &o.misplacedJobs, dir, tree, d)
	open(o, &o.totalEpisodes, dir, tree, d)
	open(o, &o.decisions, dir, tree, d)
	open(o, &o.decisionCounts, dir, tree, d)
	open(o, &o.preemptions, dir, tree, d)
	open(o, &o.considerations, dir, tree, d)
	open(o, &o.missedRepairs, dir, tree, d)
	open(o, &o.lostWork, dir, tree, d)
	open(o, &o.idleNodes, dir, tree, d)
	open(o, &o.segmentMoves, dir, tree, d)
	open(o, &o.coverage, dir, tree, d)
	open(o, &o.problems, dir, tree, d)
	open(o, &o.excuseWindows, dir, tree, d)
	open(o, &o.snapshotPools, dir, tree, d)
	open(o, &o.snapshotOperations, dir, tree, d)
	open(o, &o.snapshotErrors, dir, tree, d)
	open(o, &o.shareAgreements, dir, tree, d)
	open(o, &o.snapshotChecks, dir, tree, d)
	open(o, &o.snapshotTallies, dir, tree, d)
	if o.err != nil {
		o.abort()
		return nil, o.err
	}
	return o, nil
}

func open[Row any](o *output, w **tables.Writer[Row], dir, tree string, d *tables.Dictionaries) {
	if o.err != nil {
		return
	}
	*w, o.err = tables.NewWriter[Row](filepath.Clean(dir), tree, d)
	if o.err == nil {
		o.all = append(o.all, *w)
	}
}

// add appends a row and keeps the first error.
func add[Row any](o *output, w *tables.Writer[Row], row *Row) {
	if o.err == nil {
		o.err = w.Append(row)
	}
}

func (o *output) close() ([]tables.File, error) {
	if o.err != nil {
		return nil, o.err
	}
	var files []tables.File
	for len(o.all) > 0 {
		w := o.all[0]
		o.all = o.all[1:]
		file, err := w.Close()
		if err != nil {
			o.abort()
			return nil, err
		}
		files = append(files, file)
	}
	return files, nil
}

func (o *output) abort() {
	for _, w := range o.all {
		w.Abort()
	}
	o.all = nil
	o.err = errors.Join(o.err, errAborted)
}

var errAborted = errors.New("the tables were given up")
