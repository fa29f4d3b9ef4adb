package pooltree

import (
	"errors"
	"slices"
	"testing"
)

// An admissionStep is a step of an admission scenario.
type admissionStep struct {
	Do, Operation, Pool, Name, User, Type string
	Parent                                *string
	Config                                Attributes
	Expect                                struct {
		Result, Pool, Limit, Blocker string
		ErrorCode                    int `json:"error_code"`
		Counts                       map[string]map[string]int64
		States, Blockers             map[string]string
	}
}

func checkAdmission(t *testing.T, s *scenario) {
	tree := newCaseTree(t, s.profile(t), s.Given)
	for i, data := range s.Steps {
		var step admissionStep
		decode(t, data, &step)
		if step.User == "" {
			step.User = "root"
		}
		if step.Pool == "" {
			step.Pool = step.Name
		}
		o := tree.operations[step.Operation]
		switch step.Do {
		case "start":
			o, err := tree.Start(Request{step.User, step.Pool, step.Type == "vanilla"})
			if err == nil {
				tree.operations[step.Operation] = o
			}
			tree.checkResult(t, i, &step, o, err)
		case "change_pool":
			tree.checkResult(t, i, &step, o, tree.ChangePool(o, step.Pool))
		case "finish":
			tree.Finish(o)
			delete(tree.operations, step.Operation)
		case "set_pool_config":
			tree.patch(t, step.Pool, step.Config, nil, false)
		case "move_pool":
			tree.patch(t, step.Pool, nil, step.Parent, true)
		case "set_tree_config":
			tree.setTreeConfig(t, s, step.Config, "", nil)
		case "rescan":
			tree.Rescan()
		case "check":
		default:
			t.Fatalf("unknown step %s", data)
		}
		tree.checkCounts(t, i, &step)
		checkInvariants(t, tree.Tree)
	}
}

// checkResult compares the outcome of a start or a change of pool.
func (tree *caseTree) checkResult(t *testing.T, i int, step *admissionStep, o Operation, err error) {
	t.Helper()
	want := &step.Expect
	var refused *Refusal
	switch {
	case !slices.Contains([]string{"", "running", "pending", "rejected", "error"}, want.Result):
		t.Errorf("step %d: unknown result %q", i, want.Result)
	case want.Result == "rejected" || want.Result == "error":
		if !errors.As(err, &refused) {
			t.Errorf("step %d: %s is not refused (%v)", i, step.Operation, err)
			return
		}
		if want.Pool != "" && refused.Pool != want.Pool || want.Limit != "" && string(refused.Reason) != want.Limit ||
			want.ErrorCode != 0 && refused.Code() != want.ErrorCode {
			t.Errorf("step %d: %s is refused with %d by %s of %s: %v", i, step.Operation, refused.Code(), refused.Reason, refused.Pool, err)
		}
	case err != nil:
		t.Errorf("step %d: %v", i, err)
	case want.Result != "" && tree.IsRunning(o) != (want.Result == "running"):
		t.Errorf("step %d: %s running: %v", i, step.Operation, tree.IsRunning(o))
	case want.Blocker != "":
		tree.checkBlocker(t, i, step.Operation, want.Blocker)
	}
}

func (tree *caseTree) checkBlocker(t *testing.T, i int, operation, want string) {
	t.Helper()
	p := tree.Queue(tree.operations[operation])
	if p == NoPool || tree.PoolName(p) != want {
		t.Errorf("step %d: %s does not wait for %s", i, operation, want)
	}
}

func (tree *caseTree) checkCounts(t *testing.T, i int, step *admissionStep) {
	t.Helper()
	for name, want := range step.Expect.Counts {
		p, _ := tree.Find(name)
		c := tree.Counts(p)
		got := map[string]int64{"operation_count": c.Operations, "running_operation_count": c.Running,
			"lightweight_running_operation_count": c.Lightweight, "pending_operation_count": c.Pending()}
		for counter, n := range want {
			if got[counter] != n {
				t.Errorf("step %d: %s of %s is %d, want %d", i, counter, name, got[counter], n)
			}
		}
	}
	for operation, want := range step.Expect.States {
		o, alive := tree.operations[operation]
		if !alive || map[bool]string{true: "running", false: "pending"}[tree.IsRunning(o)] != want {
			t.Errorf("step %d: %s must be %s", i, operation, want)
		}
	}
	for operation, want := range step.Expect.Blockers {
		tree.checkBlocker(t, i, operation, want)
	}
}
