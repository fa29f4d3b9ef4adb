// Package configuration records the settings of a tree and its pools over time, and the rules that
// they break (core/spec/scheduling.md §3, §4; core/spec/invariants.md §2).
package configuration
