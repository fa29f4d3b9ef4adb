// Package scheduling decides.
package scheduling
