package pooltree

// HasGPUPolicy reports whether the GPU scheduling policy decides starts and preemptions in the
// tree, and not the classic one (core/spec/scheduling.md §18).
func (c *TreeConfig) HasGPUPolicy() bool { return c.GPUPolicy && c.GPUMode == GPUAllocating }

// A GPUMode is gpu_scheduling_policy/mode.
type GPUMode uint8

// The modes.
const (
	GPUNoop       GPUMode = iota
	GPUDryRun             // it plans beside the classic policy
	GPUAllocating         // it decides, if it is chosen
)

type gpuOptions struct{ mode GPUMode }

var gpuPolicy = func() reader[GPUMode] {
	options := []option[gpuOptions]{
		plainOption("mode", func(c *gpuOptions) *GPUMode { return &c.mode }, word[GPUMode]([]string{"noop", "dry_run", "allocating"})),
	}
	r := mapOf(options)
	return reader[GPUMode]{r.Value, func(v any) (GPUMode, *fault) {
		c, wrong := r.read(v)
		return c.mode, wrong
	}}
}()

// otherGPUKeys are keys of gpu_scheduling_policy that nothing here goes by.
var otherGPUKeys = []string{
	"plan_update_period", "module_type", "modules", "module_configs", "module_reconsideration_timeout", "module_share_to_network_priority",
	"priority_module_binding_timeout", "full_host_aggressive_preemption_timeout", "min_assignment_preemptible_duration", "initialization_timeout",
}
