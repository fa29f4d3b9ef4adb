package report

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"poolproof/audit"
	"poolproof/core/quantity"
)

// A proof holds the facts that make a preemption fair or unfair, as returned by the macro
// preemption_proof of queries/views/decisions.sql. Missing and unknown values are nil.
type proof struct {
	Time           time.Time  `json:"time"`
	Node           string     `json:"node"`
	Victim         string     `json:"victim"`
	Operation      string     `json:"victim_operation"`
	Pool           string     `json:"victim_pool"`
	Started        *time.Time `json:"victim_started"`
	Ran            float64    `json:"ran_s"`
	Lost           *float64   `json:"lost_s"` // nil if the log does not show it
	UserSlots      float64    `json:"user_slots"`
	Cores          float64    `json:"cores"`
	GPUs           float64    `json:"gpus"`
	Memory         float64    `json:"memory_gib"`
	Network        float64    `json:"network"`
	Reason         string     `json:"reason"`
	ReasonJudged   string     `json:"reason_judged"`
	Mode           string     `json:"mode"`
	List           string     `json:"list"`
	Level          string     `json:"level"`
	RecordedLevel  string     `json:"recorded_level"`
	UsageBefore    float64    `json:"usage_share_before"`
	UsageAfter     float64    `json:"usage_share_after"`
	FairShare      float64    `json:"fair_share"`
	Before         *float64   `json:"satisfaction_before"`
	After          *float64   `json:"satisfaction_after"`
	BlockerPool    *string    `json:"blocker_pool"`
	BlockedByOwn   bool       `json:"blocked_by_operation"`
	Candidates     int        `json:"candidates"`
	Place          *int       `json:"place"`
	Better         string     `json:"better_victim"`
	BetterStarted  *time.Time `json:"better_victim_started"`
	HadRoom        bool       `json:"had_room"`
	For            string     `json:"beneficiary"`
	ForPool        string     `json:"beneficiary_pool"`
	ForJob         string     `json:"beneficiary_job"`
	Waited         *float64   `json:"waited_s"`  // for the beneficiary's job to run, where that is what is proved
	Allowed        float64    `json:"allowed_s"` // by when it had to
	Target         string     `json:"stage_priority"`
	Priority       string     `json:"beneficiary_priority"`
	OwnPriority    string     `json:"own_priority"`
	StarvingPool   string     `json:"starving_pool"`
	StarvingFor    string     `json:"starving_for"`
	BelowSince     *time.Time `json:"below_since"`
	Below          float64    `json:"below_s"`
	Timeout        float64    `json:"timeout_s"`
	Facts          string     `json:"facts"`
	Verdict        string     `json:"verdict"`
	BrokenRules    string     `json:"violated"`
	SuspectedRules string     `json:"suspect"`
	ExcusedRules   string     `json:"excused"`
}

// proofsKey is the key of evidence that holds the proofs of preemptions.
const proofsKey = "proofs"

// proofsOf are the proofs in a finding's evidence, the worst case first; none where
// it is not about a preemption.
func proofsOf(f *audit.Finding) []proof {
	var evidence struct {
		Proofs []proof `json:"proofs"`
	}
	if json.Unmarshal(f.Evidence, &evidence) != nil {
		return nil
	}
	return evidence.Proofs
}

// A fact is a line of a proof.
type fact struct{ Name, Text string }

// conditions are F1 to F8 of core/spec/scheduling.md §10.10, each as a clause.
var conditions = [...]string{
	"a beneficiary starts in the same heartbeat", "the beneficiary was entitled", "the stage may take from the victim's list", "nothing protects the victim",
	"its operation is not graceful", "no earlier candidate stayed", "it was needed", "the node had waited",
}

// facts tells a proof: the victim's side, the beneficiary's, and the eight
// conditions of a fair preemption. Shares are those of the tree.
func (p *proof) facts() []fact {
	all := []fact{
		{"victim", p.victim()},
		{"its cost", fmt.Sprintf("it held %s and had run for %s; %s", p.held(), seconds(p.Ran), p.lost())},
		{"its list", p.list()},
		{"its operation's share", fmt.Sprintf("usage %s before and %s after, of a fair share of %s; satisfaction %s before and %s after",
			percent(p.UsageBefore), percent(p.UsageAfter), percent(p.FairShare), satisfaction(p.Before), satisfaction(p.After))},
		{"its blocker", p.blocker()},
		{"its place", p.place()},
		{"better victim", p.better()},
		{"free room", p.room()},
		{"beneficiary", p.beneficiary()},
	}
	if p.For != "" {
		all = append(all, fact{"was it starving", p.starving()}, fact{"its clock", p.clock()})
	}
	if p.Waited != nil {
		all = append(all, fact{"did its job run", p.ran()})
	}
	return append(all, fact{"reason", p.why()}, fact{"fair if", p.fair()})
}

// lost says how much of the victim's work is gone.
func (p *proof) lost() string {
	switch {
	case p.Lost == nil:
		return "how much of its work is lost the log does not show, since its end is not there"
	case *p.Lost == 0:
		return "none of its work is lost"
	}
	return seconds(*p.Lost) + " of work is lost"
}

func (p *proof) victim() string {
	text := fmt.Sprintf("job %s of operation %s in pool %s", p.Victim, p.Operation, p.Pool)
	if p.Node != "" {
		text += ", on node " + p.Node
	}
	if p.Started != nil {
		text += ", started " + clock(*p.Started)
	}
	return text
}

// held are the resources of the victim.
func (p *proof) held() string {
	var parts []string
	for _, r := range []struct {
		amount float64
		unit   string
	}{{p.Cores, "cores"}, {p.GPUs, "GPUs"}, {p.Memory, "GiB"}, {p.UserSlots, "slots"}, {p.Network, "units of network"}} {
		if r.amount != 0 {
			parts = append(parts, quantity.Of(r.amount, r.unit))
		}
	}
	if parts == nil {
		return "nothing"
	}
	return strings.Join(parts, ", ")
}

func (p *proof) list() string {
	text := spaced(p.List) + "; may be taken as " + spaced(p.Level)
	if p.RecordedLevel != "" && p.RecordedLevel != p.Level {
		text += ", while the log says " + spaced(p.RecordedLevel)
	}
	return text
}

func (p *proof) blocker() string {
	switch {
	case p.BlockerPool != nil:
		return fmt.Sprintf("pool %s protects it, at least against those outside the pool", *p.BlockerPool)
	case p.BlockedByOwn:
		return "its own operation protects it"
	}
	return "none: neither its operation nor a pool protects it"
}

func (p *proof) place() string {
	switch {
	case p.Candidates == 0:
		return "the stage could take no job of the node"
	case p.Place == nil:
		return fmt.Sprintf("none: it is not among the %s of the node that the stage could take", count(p.Candidates, "job", "jobs"))
	}
	return fmt.Sprintf("%s in preemption order, of the %s of the node that the stage could take", quantity.Ordinal(int64(*p.Place)), count(p.Candidates, "job", "jobs"))
}

func (p *proof) better() string {
	if p.Better == "" {
		return "none: no earlier candidate stayed on the node"
	}
	text := fmt.Sprintf("job %s, earlier in preemption order, stayed on the node", p.Better)
	if p.BetterStarted != nil {
		text += "; started " + clock(*p.BetterStarted)
	}
	return text
}

func (p *proof) room() string {
	if p.HadRoom {
		return "there was: the beneficiary's job fitted the node without any victim"
	}
	return "none that is known: the beneficiary's job did not fit the node without a victim"
}

func (p *proof) beneficiary() string {
	if p.For == "" {
		return "none is known"
	}
	text := fmt.Sprintf("operation %s in pool %s", p.For, p.ForPool)
	if p.ForJob != "" {
		text += ", for its job " + p.ForJob
	}
	return text
}

// starving says whether the beneficiary starved, and by whose right.
func (p *proof) starving() string {
	serves := fmt.Sprintf("the stage served priority %s", spaced(p.Target))
	switch {
	case p.Priority == "none":
		return fmt.Sprintf("no, neither itself nor by a pool above it; %s", serves)
	case p.OwnPriority == "none":
		return fmt.Sprintf("not itself; a pool above it starved, which gave it priority %s on this node; %s", spaced(p.Priority), serves)
	}
	return fmt.Sprintf("yes, itself; its priority was %s by itself and %s on this node; %s", spaced(p.OwnPriority), spaced(p.Priority), serves)
}

// clock says since when it had been below which share, and after what time that is
// starvation.
func (p *proof) clock() string {
	if p.BelowSince == nil {
		return "neither it nor a pool above it was below its share"
	}
	who, share := "it", spaced(p.StarvingFor)
	if p.StarvingPool != "" {
		who = "pool " + p.StarvingPool
	}
	if share == "" {
		share = "share"
	}
	compare := "longer"
	if p.Below <= p.Timeout {
		compare = "no longer"
	}
	return fmt.Sprintf("%s had been below its %s since %s, for %s: %s than its timeout of %s", who, share,
		clock(*p.BelowSince), seconds(p.Below), compare, seconds(p.Timeout))
}

// ran says how long the beneficiary's job did not run.
func (p *proof) ran() string {
	if *p.Waited <= p.Allowed {
		return fmt.Sprintf("after %s; it had to run within %s, by when the victims must be gone", seconds(*p.Waited), seconds(p.Allowed))
	}
	return fmt.Sprintf("not for %s; it had to run within %s, by when the victims must be gone", seconds(*p.Waited), seconds(p.Allowed))
}

func (p *proof) why() string {
	text := fmt.Sprintf("%s (%s)", spaced(p.Reason), p.ReasonJudged)
	if p.Mode != "" {
		text += ", by " + spaced(p.Mode)
	}
	broken := "breaks"
	if p.Verdict != "" && p.Verdict != "violated" { // then all of them are of severity info
		broken = "noted"
	}
	for _, r := range []struct{ ids, word string }{{p.BrokenRules, broken}, {p.SuspectedRules, "may break"}, {p.ExcusedRules, "breaks with an excuse"}} {
		if r.ids != "" {
			text += "; " + r.word + " " + strings.ReplaceAll(r.ids, ",", ", ")
		}
	}
	return text
}

// fair tells which of the conditions held.
func (p *proof) fair() string {
	var parts []string
	for i, verdict := range strings.Split(p.Facts, ",") {
		if i < len(conditions) {
			parts = append(parts, fmt.Sprintf("F%d %s: %s", i+1, conditions[i], verdict))
		}
	}
	return strings.Join(parts, "; ")
}

// seconds is a time that passed, for a person, exact where it is short: 7.25 s,
// 12 min 05 s.
func seconds(s float64) string {
	if s < 60 {
		return quantity.Seconds(s)
	}
	return quantity.Span(s)
}

func clock(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05.000") }

func satisfaction(x *float64) string {
	if x == nil {
		return "unbounded"
	}
	return quantity.Ratio(*x)
}

// spaced is a word of the tables for a person.
func spaced(word string) string { return strings.ReplaceAll(word, "_", " ") }

// proofs tell what proves the preemptions that the finding is about.
func (e *Explanation) proofs(d *Document) {
	all := proofsOf(e.Finding)
	for i := range all {
		d.add("proof", "The proof: the preemption of "+clock(all[i].Time)).Facts = all[i].facts()
	}
}
