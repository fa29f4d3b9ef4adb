package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"html/template"
	"regexp"
	"strconv"
	"strings"
	"time"

	"poolproof/core/quantity"
	"poolproof/core/spelling"
)

// mostFacts bounds the table of an evidence, and mostListedFacts a list in it.
const (
	mostFacts       = 60
	mostListedFacts = 8
)

// evidenceFacts are the entries of an evidence in its order, in words: keys without
// underscores, lists in one line, objects entry by entry. What is absent is left out.
func evidenceFacts(evidence json.RawMessage) []fact {
	var facts []fact
	for _, m := range members(evidence) {
		d := json.NewDecoder(bytes.NewReader(m.value))
		d.UseNumber()
		if !isInternal(m.key) && readFacts(d, wordsOf(m.key), &facts) != nil {
			return nil
		}
	}
	if n := len(facts) - mostFacts; n > 0 {
		facts = append(facts[:mostFacts], fact{"and more", count(n, "entry", "entries")})
	}
	return facts
}

// isInternal reports whether a key of evidence is shown elsewhere: proofs by their own
// part, promises by their grades, and what findings share in totals.
func isInternal(key string) bool { return key == proofsKey || key == "promised" || key == "shared" }

// plainWords are keys of evidence that say little to who has not read their queries; of a
// duration without its unit.
var plainWords = map[string]string{
	"withheld":              "others above, no limit in its way",
	"others_above":          "others above their fair shares",
	"limited":               "at a limit, its own or above it",
	"above_fair_share_then": "above their fair shares then",
	"preemptible":           "preemption could make room for",
	"preemptible_from_time": "preemption could make room from",
	"gap":                   "lacked at most, share of the tree",
	"gap_time":              "lacked most at",
	"missing_share_seconds": "missing, share·s",
	"sla":                   "allowed by the SLA",
	"within_sla_hours":      "in the hours of the SLA",
	"since_time":            "below its share since",
	"end_cause":             "how it ended",
	"clipped_from":          "began before the log",
	"clipped_to":            "goes on after the log",
	"peak_time":             "most at",
	"jobs_at_peak":          "jobs when it was most",
	"unanswered":            "the node answered no heartbeat",
	"held":                  "pools of the queue were full",
	"wanting_since":         "its segment wanted nodes since",
	"lost_seconds":          "work lost, s",
	"starts_that_fitted":    "starts where a job had fitted",
}

// wordsOf is a key for a person.
func wordsOf(key string) string {
	bare, isSpan := strings.CutSuffix(key, "_s")
	words, known := plainWords[bare]
	switch {
	case known && isSpan:
		return words + " s"
	case known:
		return words
	}
	return strings.ReplaceAll(key, "_", " ")
}

// worded is a member for a person: its key, and its value with its unit; empty if there
// is none.
func worded(m member) (name, text string) {
	d := json.NewDecoder(bytes.NewReader(m.value))
	d.UseNumber()
	token, err := d.Token()
	if _, composite := token.(json.Delim); err != nil || composite {
		return wordsOf(m.key), plainJSON(m.value)
	}
	if text = scalar(token); text == "" {
		return wordsOf(m.key), ""
	}
	return measured(wordsOf(m.key), spelling.OneName(text))
}

// readFacts reads one value of JSON under a name.
func readFacts(d *json.Decoder, name string, facts *[]fact) error {
	token, err := d.Token()
	if err != nil {
		return err
	}
	switch token {
	case json.Delim('{'):
		for d.More() {
			key, err := d.Token()
			if err != nil {
				return err
			}
			if err := readFacts(d, strings.TrimSpace(name+" "+wordsOf(fmt.Sprint(key))), facts); err != nil {
				return err
			}
		}
		_, err = d.Token()
		return err
	case json.Delim('['):
		return readFactList(d, name, facts)
	}
	if text := scalar(token); text != "" {
		name, text = measured(name, text)
		*facts = append(*facts, fact{name, text})
	}
	return nil
}

// readFactList reads the rest of a list: its scalars are one fact, its objects facts of
// their own with their number.
func readFactList(d *json.Decoder, name string, facts *[]fact) error {
	var words []string
	n := 0
	for ; d.More(); n++ {
		var inner []fact
		if err := readFacts(d, "", &inner); err != nil {
			return err
		}
		for _, f := range inner {
			if f.Name == "" {
				words = append(words, f.Text)
			} else {
				*facts = append(*facts, fact{fmt.Sprintf("%s %d: %s", name, n+1, f.Name), f.Text})
			}
		}
	}
	if more := len(words) - mostListedFacts; more > 0 {
		words = append(words[:mostListedFacts], fmt.Sprintf("and %d more", more))
	}
	if len(words) > 0 {
		*facts = append(*facts, fact{name, strings.Join(words, ", ")})
	}
	_, err := d.Token()
	return err
}

// measured tells the unit that ends a name with the number, and times as sentences do.
func measured(name, text string) (string, string) {
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return name, t.UTC().Format("2006-01-02 15:04:05.999 UTC")
	}
	bare, isSpan := strings.CutSuffix(name, " s")
	if x, err := strconv.ParseFloat(text, 64); err == nil && isSpan {
		return bare, seconds(x)
	}
	return name, text
}

// scalar is a value for a person; empty if there is none.
func scalar(token json.Token) string {
	switch v := token.(type) {
	case bool:
		if v {
			return "yes"
		}
		return "no"
	case json.Number:
		if x, err := v.Float64(); err == nil && strings.ContainsAny(v.String(), ".eE") {
			return quantity.Number(x, 6)
		}
		return v.String()
	case string:
		return v
	}
	return ""
}

// longID is an id as clusters write them: four hexadecimal numbers.
var longID = regexp.MustCompile(`\b[0-9a-f]{1,8}-[0-9a-f]{1,8}-[0-9a-f]{1,8}-[0-9a-f]{1,8}\b`)

// shortIDs is a text for a page in which the middle of every long id is folded: it is there,
// so that the id can be found and copied whole, and the page's style hides it.
func shortIDs(text string) template.HTML {
	var b strings.Builder
	at := 0
	for _, place := range longID.FindAllStringIndex(text, -1) {
		id := text[place[0]:place[1]]
		head, tail := strings.Index(id, "-"), strings.LastIndex(id, "-")+1
		fmt.Fprintf(&b, `%s<code class="id" title="%s">%s<i>%s</i>%s</code>`, html.EscapeString(text[at:place[0]]), id, id[:head], id[head:tail], id[tail:])
		at = place[1]
	}
	b.WriteString(html.EscapeString(text[at:]))
	return template.HTML(b.String())
}
