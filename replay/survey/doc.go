// Package survey passes once over all trees of a log before any is replayed. It finds what
// needs all of them at once and no shares: which set of trees is in force, which trees claim
// a node, and which trees an operation has (core/spec/scheduling.md §2).
package survey
