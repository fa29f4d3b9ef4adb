// Package limits follows which limits of pools, operations and nodes are exceeded: since when,
// by what, and how much of it the log leaves in doubt. It also follows operations whose
// smallest job no limit above them can hold.
package limits
