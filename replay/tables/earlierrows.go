package tables

// Episodes that were open when the window began are cut there. The part before the window stands
// in a table of its own, as far as the log records it, so that an audit judges the whole episode
// and sums over the window count the part in it alone.

// An EarlierGuaranteeEpisode is the part of a GuaranteeEpisode before the window.
type EarlierGuaranteeEpisode struct{ GuaranteeEpisode }

// An EarlierStarvationEpisode is the part of a StarvationEpisode before the window.
type EarlierStarvationEpisode struct{ StarvationEpisode }

// An EarlierLimitEpisode is the part of a LimitEpisode before the window.
type EarlierLimitEpisode struct {
	LimitEpisode
	BeganAs string `col:"began_as" doc:"what a start or an operation that began it was: violated, or suspect where an earlier limit may have been in force or the scheduler was away"`
}

// An EarlierUnschedulableEpisode is the part of an UnschedulableEpisode before the window.
type EarlierUnschedulableEpisode struct{ UnschedulableEpisode }

// An EarlierPendingEpisode is the part of a PendingEpisode before the window.
type EarlierPendingEpisode struct{ PendingEpisode }

// An EarlierExcuseWindow is an ExcuseWindow before the window, or the part of it there.
type EarlierExcuseWindow struct{ ExcuseWindow }
