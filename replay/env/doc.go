// Package env is what the rooms of a replay share: what the log records and by which
// settings it is judged (Log), the tree that is followed, its result tables and the windows
// that excuse (Env), and for how long values of before may still count (ShareHistory, Course,
// Swing). No room changes what another one keeps.
package env
