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
func checkName(p Profile, name string, as Role) Rule {
	switch {
	case name == "":
		return NameEmpty
	case name == RootName:
		return NameReserved
	case utf8.RuneCountInString(name) > maxNameLength:
		return NameTooLong
	}
	for i := range len(name) {
		if !p.nameMayHave(name[i], as) {
			return NamePattern
		}
	}
	return ""
}

// nameMayHave reports whether the default pattern of names has c: [-_a-z0-9], for administrators
// [-_a-z0-9:A-Z], and since 25.2 a dot as well (core/spec/scheduling.md §15 (12)). The pattern for
// administrators is the default of ephemeral_pool_name_regex, too.
func (p Profile) nameMayHave(c byte, as Role) bool {
	switch {
	case c == '-', c == '_', 'a' <= c && c <= 'z', '0' <= c && c <= '9':
		return true
	case c == ':', 'A' <= c && c <= 'Z':
		return as == Administrator
	case c == '.':
		return as == Administrator && p == Current
	}
	return false
}
