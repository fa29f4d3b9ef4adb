// Command poolproof proves, from a cluster's own logs, whether a hierarchical
// fair-share scheduler kept its promises. See README.md.
package main

import "poolproof/cmd/poolproof/command"

func main() { command.Main() }
