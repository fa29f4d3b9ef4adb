// Package commandtest is what tests of the program share: folders with traces and runs that
// many begin with, made once; the program as a process; scripts; traces and verdicts.
//
//	func TestMain(m *testing.M) { commandtest.Main(m, command.Main) }
//
// It does not import the commands, so that their own tests can import it. Nothing here is
// used outside tests.
package commandtest
