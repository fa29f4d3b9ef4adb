// Package env holds the state that the recorders of a replayed tree share: the properties of the
// log and the settings for judging it (Log); the core, the result tables and the excuse windows
// (Env); and histories of values that may still have been in use (ShareHistory, ShareTrack,
// RangeSinceRecord). A recorder does not change the state of another one.
package env
