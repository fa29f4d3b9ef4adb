// Package jobs follows the jobs of a tree: whether their nodes match the filters of the tree,
// the operation and its pools, before whom they started in FIFO pools, and how they ended
// (core/spec/scheduling.md §2, §9.6).
package jobs
