// Package pooltree holds the rules of pool trees that need no fair shares:
// which nodes serve a tree, which configurations are legal, which pool an
// operation lands in, whether it may start, when it runs, and what every
// counter says at every level.
package pooltree
