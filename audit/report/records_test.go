package report

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"poolproof/audit"
)

func TestTheLineOfAgreement(t *testing.T) {
	worst := func(off float64) *audit.WorstShare {
		return &audit.WorstShare{Error: off, Tree: "main", SubjectKind: "pool", Subject: "prod", Time: *at(0)}
	}
	for want, a := range map[string]*audit.ShareAgreement{
		"": nil,
		"Recorded and recomputed fair shares agree to 1e-9 in all of 1 record.": {Records: 1, Decades: []audit.ShareDecade{{Decade: -9, Records: 1}}, Worst: worst(1e-9)},
		"Recorded and recomputed fair shares agree to 1e-6 in all of 7 records; 2 records have incomplete inputs (mostly: share update).": {
			Records: 7, Lacking: 2, Missing: "share_update", Decades: []audit.ShareDecade{{Decade: -6, Records: 7}}, Worst: worst(1e-6)},
		"Recorded and recomputed fair shares agree to 1e-9 in 99.9 % of 100,000 records; the worst differs by 0.005: pool prod in tree main at 2023-11-14T22:13:20Z.": {
			Records: 100_000, Decades: []audit.ShareDecade{{Decade: -9, Records: 99_999}, {Decade: -2, Records: 1}}, Worst: worst(0.005)},
		"Recorded and recomputed fair shares cannot be compared: 1 record has incomplete inputs (mostly: records).": {Lacking: 1, Missing: "records"},
	} {
		if got := (&summary{Verdict: &audit.Verdict{ShareAgreement: a}}).agreement(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestTheLineOfDeficits(t *testing.T) {
	worst := &audit.WorstDeficit{Error: 0.4375, Tree: "main", Operation: "1-2-3-4", Time: *at(0)}
	for want, a := range map[string]*audit.DeficitAgreement{
		"": nil,
		"Recorded and recomputed deficits agree within 1 % in all of 1 operation-minute.": {Reports: 1, Within: 1, Worst: worst},
		"Recorded and recomputed deficits agree within 1 % in 99.4 % of 8,120 operation-minutes; the worst differs by 43.7 % of the fair volume: operation 1-2-3-4 in tree main at 2023-11-14T22:13:20Z; 2 reports have incomplete inputs (mostly: frequent records).": {
			Reports: 8_120, Within: 8_079, Lacking: 2, Missing: "frequent_records", Worst: worst},
		"Recorded and recomputed deficits cannot be compared: 1 report has incomplete inputs (mostly: fair shares).": {Lacking: 1, Missing: "fair_shares"},
	} {
		if got := (&summary{Verdict: &audit.Verdict{DeficitAgreement: a}}).deficitAgreement(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// differing are rows of snapshot_errors: at 12:00 the weight of pool prod is another, at 13:00
// the demand of an operation, of which its pools' is the sum.
const differing = `INSERT INTO snapshot_errors VALUES
('main', 'pool', 'prod', NULL, 'fair_share_of_recorded_inputs', 'cpu', '2023-11-14 12:00:00', '2023-11-14 12:00:10', 0.05, 0.8, 0.75),
('main', 'pool', 'prod', NULL, 'fair_share', 'cpu', '2023-11-14 12:00:00', '2023-11-14 12:00:10', 0.05, 0.8, 0.75),
('main', 'pool', 'prod', NULL, 'weight', NULL, '2023-11-14 11:00:00', '2023-11-14 12:00:10', 1, 4, 3),
('main', 'pool', 'batch', NULL, 'fair_share_of_recorded_inputs', 'cpu', '2023-11-14 12:00:00', '2023-11-14 12:00:10', 0.05, 0.2, 0.25),
('main', 'operation', 'batch', 'op', 'fair_share_of_recorded_inputs', 'cpu', '2023-11-14 12:00:00', '2023-11-14 12:00:10', 0.05, 0.2, 0.25),
('main', 'pool', 'batch', NULL, 'fair_share', 'cpu', '2023-11-14 13:00:00', '2023-11-14 13:00:10', 0.5, 0.5, 0),
('main', 'pool', 'batch', NULL, 'resource_demand', 'cpu', '2023-11-14 13:00:00', '2023-11-14 13:00:10', 0.5, 0.5, 0),
('main', 'operation', 'batch', 'op', 'fair_share', 'cpu', '2023-11-14 13:00:00', '2023-11-14 13:00:10', 0.5, 0.5, 0),
('main', 'operation', 'batch', 'op', 'resource_demand', 'cpu', '2023-11-14 13:00:00', '2023-11-14 13:00:10', 0.5, 0.5, 0),
('main', 'operation', 'batch', 'other', 'fair_share_of_recorded_inputs', NULL, '2023-11-14 14:00:00', '2023-11-14 14:00:00', 0.5, 0.5, 0),
('gpu', 'pool', 'batch', NULL, 'weight', NULL, '2023-11-14 11:00:00', '2023-11-14 15:00:10', 1, 7, 3)`

func TestTheFirstElementAndTheInputThatDifferAreNamed(t *testing.T) {
	db := testDatabase(t)
	for _, statement := range []string{"INSERT INTO pools VALUES ('main', 'batch', 'a/batch')", differing} {
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	day := func(clock string) time.Time {
		x, err := time.Parse(time.DateTime, "2023-11-14 "+clock)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	for name, c := range map[string]struct {
		kind, subject, from, to string
		want                    string
	}{
		"a weight that the configuration does not have": {"operation", "op", "00:00:00", "23:00:00", `
Recorded beside recomputed fair shares, 2023-11-14 12:00:00 UTC
  operation op: recorded 0.2 (cpu); the recorded inputs give 0.25
  the first that differs, from the root down: pool prod, recorded 0.8 (cpu), recomputed 0.75
  the input that would explain it:
    weight of pool prod: recorded 4, in the replay 3
`},
		"demand that the replay does not have": {"pool", "batch", "13:00:05", "13:00:05", `
Recorded beside recomputed fair shares, 2023-11-14 13:00:05 UTC
  pool batch: recorded 0.5 (cpu), as the recorded inputs give; 0 in the replay, which has other inputs
  the first that differs, from the root down: pool batch, recorded 0.5 (cpu), recomputed 0
  the input that would explain it:
    resource demand (cpu) of operation op: recorded 0.5, in the replay 0
`},
		"no input that is recorded": {"operation", "other", "14:00:00", "14:00:00", `
Recorded beside recomputed fair shares, 2023-11-14 14:00:00 UTC
  operation other: recorded 0.5; the recorded inputs give 0
  the first that differs, from the root down: operation other, recorded 0.5, recomputed 0
  no recorded input is another than the replay's: the log does not record the one that differs, or the scheduler shares by another rule
`},
		"any of a tree": {"tree", "main", "13:30:00", "23:00:00", `
Recorded beside recomputed fair shares, 2023-11-14 14:00:00 UTC
  operation other: recorded 0.5; the recorded inputs give 0
  the first that differs, from the root down: operation other, recorded 0.5, recomputed 0
  no recorded input is another than the replay's: the log does not record the one that differs, or the scheduler shares by another rule
`},
		"nothing before": {"operation", "op", "00:00:00", "11:59:59", ""},
		"nothing from the record on that agrees again": {"pool", "batch", "13:00:10", "13:30:00", ""},
	} {
		var b bytes.Buffer
		var d Document
		if err := d.recordsBeside(context.Background(), db, "main", c.kind, c.subject, day(c.from), day(c.to)); err != nil {
			t.Fatal(err)
		}
		d.text(&b)
		if got := b.String(); strings.TrimSpace(got) != strings.TrimSpace(c.want) {
			t.Errorf("%s:\n%s", name, got)
		}
	}
}
