package pooltree

import "slices"

// Media are the media on which the jobs of an operation ask for disk quotas.
type Media struct {
	Some  []string // asked for by some kind of its jobs
	Every []string // by every kind
	Kinds int      // how many kinds of jobs the spec describes
}

// add takes a kind of jobs into account that asks for a medium, "" for none that
// is named.
func (m *Media) add(medium string) {
	m.Kinds++
	if m.Kinds > 1 && !slices.Equal(m.Every, []string{medium}) {
		m.Every = nil
	} else if medium != "" {
		m.Every = []string{medium}
	}
	if medium != "" && !slices.Contains(m.Some, medium) {
		m.Some = append(m.Some, medium)
	}
}

// taskOptions are the options of a spec that describe kinds of jobs: tasks holds
// several by name, the others are one each.
var taskOptions = []struct{ name, meaning string }{
	{tasksName, "tasks of a vanilla operation, with their resources and numbers of jobs"},
	{"mapper", "the mapper's resources and kind of job"},
	{"reduce_combiner", "the combiner's resources and kind of job"},
	{"reducer", "the reducer's resources and kind of job"},
}

const tasksName = "tasks"

// mediumOptions read, for each of them, what medium its jobs ask for, and whether they are a gang.
func mediumOptions() (options []option[OperationConfig]) {
	for _, o := range taskOptions {
		options = append(options, custom(o.name, Value{}, func(c *OperationConfig, v any, _ Profile) *fault {
			kinds := Attributes{o.name: v}
			if o.name == tasksName {
				var wrong *fault
				if kinds, wrong = readMap(v); wrong != nil {
					return wrong
				}
			}
			for _, kind := range sortedNames(kinds) {
				if m, ok := attributeMap(kinds[kind]); ok {
					c.Media.add(mediumOf(m))
					c.Gang = c.Gang || m["gang_options"] != nil // since 25.1 tasks say so, and not the operation
				}
			}
			return nil
		}).says(o.meaning))
	}
	return options
}

// mediumOf is the medium that a kind of jobs asks for.
func mediumOf(kind Attributes) string {
	request, _ := attributeMap(kind["disk_request"])
	for _, name := range []string{"medium_name", "medium"} {
		if medium, ok := request[name].(string); ok {
			return medium
		}
	}
	return ""
}

// IsTrimmed reports whether scheduling asks only a part of a spec's option.
func IsTrimmed(option string) bool {
	return slices.ContainsFunc(taskOptions, func(o struct{ name, meaning string }) bool { return o.name == option })
}

// Trim returns what scheduling asks of an option that describes kinds of jobs: the
// media that they ask for, and whether they do for any. The rest are whole
// commands. What is no such description is returned as it is.
func Trim(option string, v any) (trimmed any, asks bool) {
	kinds, ok := attributeMap(v)
	if !ok {
		return v, false
	}
	if option != tasksName {
		kind := trimKind(kinds)
		return kind, len(kind) > 0
	}
	all := Attributes{}
	for _, name := range sortedNames(kinds) {
		if kind, ok := attributeMap(kinds[name]); ok {
			own := trimKind(kind)
			all[name], asks = own, asks || len(own) > 0
		}
	}
	return all, asks
}

func trimKind(kind Attributes) Attributes {
	trimmed := Attributes{}
	if medium := mediumOf(kind); medium != "" {
		trimmed["disk_request"] = Attributes{"medium_name": medium}
	}
	return trimmed
}

// Names reports whether a medium of ssd_priority_preemption is among media.
func (s *SSDPreemption) Names(media []string) bool {
	return slices.ContainsFunc(media, func(medium string) bool { return slices.Contains(s.Media, medium) })
}
