package ytsaurus

import (
	"fmt"
	"slices"
	"strings"

	"poolproof/core/pooltree"
	"poolproof/core/spelling"
)

// What a key of an operation's settings stands in.
const (
	inSpec = iota
	inParameters
	inTreeParameters
)

var placesOfKeys = [...]string{inSpec: "spec", inParameters: "runtime_parameters", inTreeParameters: "runtime_parameters/scheduling_options_per_pool_tree/TREE"}

// parameterKeys are the keys of run-time parameters that are read, and those that schedule nothing
// (ingest/trace/FORMAT.md §1.3).
var parameterKeys = [...][]string{
	inParameters: {"scheduling_options_per_pool_tree", "scheduling_tag_filter", "erased_trees", "acl", "owners", "annotations",
		"options_per_job_shell", "controller_agent_tag", "acl_object_name", "aco_name"},
	inTreeParameters: {"pool", "weight", "resource_limits", "scheduling_tag_filter", "tentative", "probing", "offloading", "enable_detailed_logs"},
}

// A keyPlace is a key of an operation's settings, and where it stands.
type keyPlace struct {
	place int
	name  string
}

// unreadKeys counts the keys of operations' settings that are left out.
type unreadKeys struct {
	meant map[keyPlace]string // what is said of a key, "" if it is known
	rows  map[keyPlace]int64  // of those that are not
}

// maxUnread bounds how many keys are distinguished.
const maxUnread = 10_000

// look counts the keys of a map that are not read.
func (u *unreadKeys) look(place int, c cursor) {
	if u.meant == nil {
		u.meant, u.rows = map[keyPlace]string{}, map[keyPlace]int64{}
	}
	if c.kind() != mapping {
		return
	}
	for entry := range c.children {
		meant, seen := u.meant[keyPlace{place, string(entry.name())}]
		if !seen && len(u.meant) < maxUnread {
			key := keyPlace{place, string(entry.name())}
			meant = meantBy(key)
			u.meant[key] = meant
		}
		if meant != "" {
			u.rows[keyPlace{place, string(entry.name())}]++
		}
	}
}

// meantBy says what may have been meant by a key that is not read, "" if there is nothing to say.
func meantBy(k keyPlace) string {
	if k.place == inSpec {
		return pooltree.UnknownSpecOption(k.name)
	}
	known := parameterKeys[k.place]
	if slices.Contains(known, k.name) {
		return ""
	}
	if near := spelling.Near(k.name, known); len(near) > 0 {
		return fmt.Sprintf("%q; did you mean %s?", k.name, spelling.Either(near))
	}
	return fmt.Sprintf("%q", k.name)
}

// noteUnread reports each key that was left out.
func (a *assembly) noteUnread() {
	keys := make([]keyPlace, 0, len(a.unread.rows))
	for k := range a.unread.rows {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(k, l keyPlace) int {
		if k.place != l.place {
			return k.place - l.place
		}
		return strings.Compare(k.name, l.name)
	})
	for _, k := range keys {
		a.problems.Note(wholeLog, -1, placesOfKeys[k.place], unknownKey, fmt.Sprintf("%s: %d rows", a.unread.meant[k], a.unread.rows[k]))
		a.leftOut = append(a.leftOut, leftOutOf(placesOfKeys[k.place], a.unread.meant[k]))
	}
}

// leftOutOf is the sentence about a key that nothing knows.
func leftOutOf(where, meant string) string {
	name, hint, asks := strings.Cut(meant, "; ")
	if asks {
		return fmt.Sprintf("%s: unknown key %s is left out; %s", where, name, hint)
	}
	return fmt.Sprintf("%s: unknown key %s is left out.", where, name)
}
