package synthetic

import (
	"strings"
	"testing"

	"poolproof/ingest/input"
)

// TestTurns: what disturbs all trees happens when the others are over, in the order
// in which it is asked for, and alone it waits for nobody.
func TestTurns(t *testing.T) {
	spec, plants, err := withPlants(nil, []string{"legal_revival", "start_over_pool_limit", "order_lost_in_restart", "fifo_inversion"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	end := Duration(0)
	for _, p := range []*Plant{plants[1], plants[3]} {
		if p.HasTurn() {
			t.Errorf("%s has a turn", p.Kind)
		}
		end = max(end, p.To)
	}
	for _, p := range []*Plant{plants[0], plants[2]} {
		if !p.HasTurn() || p.From <= end {
			t.Errorf("%s is from %v, and the others go on until %v", p.Kind, p.From, end)
		}
		for _, c := range spec.Changes {
			if c.Operation != "" && strings.HasPrefix(c.Operation, p.treeName()) && c.At <= end {
				t.Errorf("%s changes %s at %v", p.Kind, c.Operation, c.At)
			}
		}
		for _, o := range spec.Operations {
			if strings.HasPrefix(o.Name, p.treeName()) && o.At <= end {
				t.Errorf("%s begins at %v", o.Name, o.At)
			}
		}
		end = p.To
	}
	if spec.Length <= end {
		t.Errorf("the window ends at %v, before the last turn is over at %v", spec.Length, end)
	}
	restarts := 0
	for _, c := range spec.Changes {
		if c.Process == "" {
			continue
		}
		restarts++
		for _, p := range []*Plant{plants[1], plants[3]} {
			if c.At <= p.To {
				t.Errorf("%s at %v, before %s is over", c.Process, c.At, p.Kind)
			}
		}
	}
	if restarts != 6 {
		t.Errorf("%d process events, want those of two restarts", restarts)
	}
	alone, same, err := withPlants(nil, []string{"legal_revival"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if own, _ := same[0].Description(); same[0].From.String() != "1m0s" || alone.Length != own.Length {
		t.Errorf("alone it is from %v, in a window of %v", same[0].From, alone.Length)
	}
}

// TestSettingsOfTheWholeCluster: a kind that is about one is refused beside kinds that
// were made for another, whichever is named first.
func TestSettingsOfTheWholeCluster(t *testing.T) {
	for _, kinds := range []string{
		"heartbeat_starts_too_many,start_over_pool_limit",
		"start_over_pool_limit,heartbeat_starts_too_many",
		"started_in_full_cluster,heartbeat_starts_too_many",
	} {
		_, _, err := withPlants(nil, strings.Split(kinds, ","), nil)
		if !input.IsBad(err) || !strings.Contains(err.Error(), "two traces") {
			t.Errorf("%s: error %v, want one that says what to do", kinds, err)
		}
	}
	described, err := Parse("f", []byte(`
max_started_jobs_per_heartbeat: 2
trees: {own: {nodes_filter: own}}
nodes: [{name: own, count: 2, tags: [own], resources: {cpu: 10}}]
`))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		spec  *Spec
		kinds string
	}{
		{nil, "heartbeat_starts_too_many,legal_heartbeat_starts_most"}, // both were made for it
		{described, "heartbeat_starts_too_many,start_over_pool_limit"}, // whoever describes the cluster wants it so
	} {
		if _, _, err := withPlants(c.spec, strings.Split(c.kinds, ","), nil); err != nil {
			t.Errorf("%s: %v", c.kinds, err)
		}
	}
}
