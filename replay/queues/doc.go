// Package queues judges the recorded steps of operations, and follows which operations wait for
// admission in which pool, since when and behind which others (core/spec/scheduling.md §5).
package queues
