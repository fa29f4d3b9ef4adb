package env

import (
	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/replay/tables"
)

// A LimitKey is one limit of one element; slot is of the element's kind.
type LimitKey struct {
	Element  tables.ElementKind
	Slot     int32
	Limit    tables.LimitKind
	Resource resource.Kind // 0 for counts
}

// An ExceededLimit is a limit that is currently exceeded.
type ExceededLimit struct {
	LimitKey
	Sure core.Time // since when it is exceeded whether or not jobs with an unknown end have left, unless something changes
}

// IsRepairable reports whether preemption repairs the limit: whether a specification states it.
func (k LimitKey) IsRepairable() bool { return k.Limit == tables.ResourceLimits }

// IsCount reports whether the limit is a count of operations.
func (k LimitKey) IsCount() bool {
	return k.Limit == tables.MaxOperationCount || k.Limit == tables.MaxRunningOperationCount
}
