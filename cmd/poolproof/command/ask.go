package command

import (
	"slices"
	"strings"

	"poolproof/core"
	"poolproof/core/spelling"
	"poolproof/replay"
)

// parseAsks reads the questions of --ask: a node of the trace, an @, and a time
// within the window.
func parseAsks(texts, nodes []string, window core.Span) (asks []replay.Ask, err error) {
	for _, text := range texts {
		cut := strings.LastIndexByte(text, '@')
		if cut < 0 {
			return nil, usagef("--ask %q has no @: write NODE@TIME, as n17.example.net@2024-05-01T18:03:20Z", text)
		}
		at, err := parseTime("--ask "+text, text[cut+1:])
		if err != nil {
			return nil, err
		}
		node := slices.Index(nodes, text[:cut])
		switch {
		case node < 0:
			return nil, usagef("--ask %q: the trace has no node %q; %s", text, text[:cut], spelling.MeantName(text[:cut], nodes))
		case at < window.From || at >= window.To:
			return nil, usagef("--ask %q is not within the window %s to %s that is judged", text, formatTime(window.From), formatTime(window.To))
		}
		asks = append(asks, replay.Ask{Node: core.NodeID(node), Time: at})
	}
	return asks, nil
}
