// Package queues judges the recorded steps of operations, and follows who waits in which pool
// for leave to run, since when and behind whom (core/spec/scheduling.md §5).
package queues
