package pooltree

import "unicode/utf8"

// RootName is what the root pool is called (core/spec/scheduling.md §2.1).
const RootName = "<Root>"

const maxNameLength = 100

// A Role is who writes a configuration: it decides which characters a name may
// have (core/spec/scheduling.md §4.1).
type Role uint8

// The roles.
const (
	Administrator Role = iota
	User
)

// checkName returns the rule that a pool's or tree's name breaks, "" if none.
func checkName(name string, as Role) Rule {
	switch {
	case name == "":
		return NameEmpty
	case name == RootName:
		return NameReserved
	case utf8.RuneCountInString(name) > maxNameLength:
		return NameTooLong
	}
	for i := range len(name) {
		if !nameMayHave(name[i], as) {
			return NamePattern
		}
	}
	return ""
}

// nameMayHave reports whether the class [-_a-z0-9] holds c, for administrators
// [-_a-z0-9:A-Z]. The latter is the class of ephemeral_pool_name_regex, too.
func nameMayHave(c byte, as Role) bool {
	switch {
	case c == '-', c == '_', 'a' <= c && c <= 'z', '0' <= c && c <= '9':
		return true
	case c == ':', 'A' <= c && c <= 'Z':
		return as == Administrator
	}
	return false
}
