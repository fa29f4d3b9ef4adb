package main

// doubts are the kinds of which no log can tell more than a suspicion, and why.
var doubts = map[string]string{
	"less_satisfied_passed_over": "no log tells whether the controller of the one that was passed over declined",
}

// gaps are the kinds that are not found yet, and why. A kind that is found has
// to go: the list only becomes shorter.
var gaps = map[string]string{
	"lightweight_other_type": "LW-01 is judged only where a pool's recorded counts are its operations'; CNT-03 finds these",
}
