// Package whatif answers what would have happened: it edits the plan that package rerun takes
// out of a trace, and keeps what a simulation of it does as a log that can be replayed.
//
//	edits, err := whatif.Read("edit.yaml")
//	plan, _, err := rerun.Plan(ctx, t, profile, t.Window())
//	edited, err := whatif.Apply(plan, edits)
//	control, err := whatif.Simulate(ctx, plan, whatif.Options{})
//	other, err := whatif.Simulate(ctx, edited, whatif.Options{Edits: edits, Control: plan, Decided: ...})
//
// What differs between the two is the edit and not the model, since both are the core's own
// decisions. Recorded reads what the trace records, and its Compare says how near the control is to
// that, so that a reader knows how much to believe.
//
// # Noise
//
// A scheduler is chaotic: a job that starts a moment later leads to other decisions everywhere. Shifted
// has all operations come a little later. What the control changes with that is noise, and an edit that
// changes no more has no clear effect.
//
// # Trees
//
// Trees that have nothing to do with each other (simulate.Components) are decided apart, side by
// side. Those that the edits do not touch, nor anything that they have to do with, come out as in
// the control: the other log has the control's. Jobs have ids of their tree's own, so that what
// happens in one tree changes no id in another.
//
// # Edits
//
// A file of edits is a pool configuration (package poolconf) whose options go over those in
// force, and a few keys beside: nodes, operations, users, preemptions, profile and at; the help
// of poolproof what-if shows each. An edit holds from Edits.At on, also over later
// versions of the configuration. Before that the edited plan is the plan: it decides the same.
//
// # What it refuses to do
//
// Names that the trace does not have are errors, and so are options that the profile does not
// take, and a nodes_filter by which a node would serve two trees. Check says beforehand which rules the
// edited configuration breaks that the plan's does not, as validate would: a cluster takes none of
// those, and Search looks among the others. What a trace holds is decided as it is.
package whatif
