package google2011

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"

	"poolproof/core"
	"poolproof/ingest/joblog"
	"poolproof/ingest/trace"
)

// A kind is an event type of the log.
type kind uint8

const (
	submit kind = iota
	schedule
	evict
	fail
	finish
	kill
	lost
	updatePending
	updateRunning
	kinds
)

func (k kind) ends() bool    { return k >= evict && k <= lost }
func (k kind) updates() bool { return k == updatePending || k == updateRunning }

// An event is a row of the table of job events.
type event struct {
	time           core.Time
	job            int64
	row            int64
	user, logical  int32 // in the table of words
	class          int32
	kind           kind
	missing        int8 // missing_info, -1 for none
	beforeLogBegan bool
}

// unknownClass stands for a class that the row does not have.
const unknownClass = -1

// maxMicros is the latest time that a trace can hold, the end of the year 9999.
const maxMicros = 253_402_300_799_999_999

var eventColumns = []string{"time_us", "job_id", "event_type", "user", "scheduling_class"}

// events are the rows that can be used, and the words in them.
type events struct {
	all    []event
	words  []string
	number map[string]int32
	first  core.Time // of the rows after the log began; 0 if there are none
	last   core.Time
	seen   bool // whether there is a row after the log began
}

func (e *events) word(text string) int32 {
	if n, ok := e.number[text]; ok {
		return n
	}
	n := int32(len(e.words))
	e.words = append(e.words, text)
	e.number[text] = n
	return n
}

// readEvents reads the table of job events. Rows after Options.To are passed over.
func readEvents(ctx context.Context, path string, o *Options, problems *joblog.Problems) (*events, trace.Source, error) {
	all := &events{number: map[string]int32{}, last: o.Epoch}
	source, err := joblog.ReadTable(path, "google2011 job events", eventColumns, problems, func(t *joblog.Table) error {
		if rows := t.Source.Rows; rows%progressRows == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
			if o.Progress != nil {
				o.Progress(rows)
			}
		}
		e := all.read(t, o.Epoch)
		if t.Bad() || o.To != 0 && e.time > o.To {
			return nil
		}
		if !e.beforeLogBegan && (!all.seen || e.time < all.first) {
			all.first, all.seen = e.time, true
		}
		all.last = max(all.last, e.time)
		all.all = append(all.all, e)
		return nil
	})
	return all, source, err
}

// read reads a row.
func (e *events) read(t *joblog.Table, epoch core.Time) event {
	micros := timeOf(t)
	x := event{
		time: epoch + max(micros, joblog.Moment), beforeLogBegan: micros == 0, row: t.Row(),
		job: t.Amount("job_id", math.MaxInt64), class: unknownClass, missing: -1,
	}
	if n := t.Amount("event_type", math.MaxInt64); n >= int64(kinds) {
		t.Quarantine("event_type", codeUnknownEvent, t.Text("event_type"))
	} else {
		x.kind = kind(n)
	}
	if t.Text("scheduling_class") != "" {
		x.class = int32(t.Amount("scheduling_class", math.MaxInt32))
	}
	if t.Bad() {
		return x
	}
	x.user, x.logical = e.word(t.Text("user")), e.word(t.Text("logical_job"))
	x.missing = missingInfo(t)
	return x
}

// timeOf returns the time of a row, from the log's start.
func timeOf(t *joblog.Table) core.Time {
	if t.Text("time_us") == strconv.FormatInt(math.MaxInt64, 10) {
		t.Quarantine("time_us", codeAfterEnd, "")
		return 0
	}
	return core.Time(t.Amount("time_us", maxMicros))
}

// missingInfo returns what a row says of how its event is known, -1 for nothing.
func missingInfo(t *joblog.Table) int8 {
	const column = "missing_info"
	switch word := t.Text(column); word {
	case "":
		return -1
	case "0":
		t.Note(column, codeLateEvent, word)
		return 0
	case "1":
		t.Note(column, codeInferredEnd, word)
		return 1
	case "2":
		t.Note(column, codeNoCreation, word)
		return 2
	default:
		t.Note(column, codeMissingInfo, word)
	}
	return -1
}

// sort brings the events of each job together, in the order of time. What the
// rows say decides where they tie, and only then their place.
func (e *events) sort() {
	slices.SortFunc(e.all, func(a, b event) int {
		return cmp.Or(cmp.Compare(a.job, b.job), cmp.Compare(a.time, b.time), compareSaid(e.words, &a, &b), cmp.Compare(a.row, b.row))
	})
}

// compareSaid compares what two rows of a job and an instant say, 0 if it is the
// same.
func compareSaid(words []string, a, b *event) int {
	return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.class, b.class), cmp.Compare(a.missing, b.missing),
		cmp.Compare(words[a.user], words[b.user]), cmp.Compare(words[a.logical], words[b.logical]))
}
