package audit

import (
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
)

// An Object is a view, table or macro that one of views/*.sql makes. The comment above its
// statement declares it: sentences, and what stands in the schema main has keys below them.
//
//	-- Preemptions by the subtrees of both pools ...
//	-- @param   depth levels — how many names of a path make a subtree
//	-- @columns tree, bin                       columns that several objects have
//	-- @column  lost_cpu_seconds core·s — cores lost, summed over the time
//	-- @returns ratio                           the unit of what a macro computes
//	-- @like    findings                        all columns of an object above
//	-- @example SELECT preemptor, victim, preemptions FROM preemptions_between(depth := 2)
//	CREATE OR REPLACE MACRO preemptions_between(depth := 1) AS TABLE
//
// A comment line without a key goes on with the key above. A statement right below another
// one shares its comment.
type Object struct {
	Kind     string // as COMMENT ON names it: VIEW, TABLE, MACRO or MACRO TABLE
	Schema   string
	Name     string
	Sentence string
	Params   []ObjectColumn // of a macro, in order
	Columns  []ObjectColumn // of all but a macro that computes one value
	Returns  string         // unit of what such a macro computes; empty for texts and the like
	Examples []string       // queries that answer

	like      string // object above, in whose columns it is
	statement string
}

// An ObjectColumn is a column of an object, or a parameter of a macro.
type ObjectColumn struct {
	Name     string
	Unit     string // empty for texts, truth values and ids
	Default  string // of a parameter, as SQL; empty where it has to be given
	Sentence string
	Words    []string // of a column of a table that holds one out of a list, in the order of their meaning
}

// Public reports whether the object stands in the schema main.
func (o *Object) Public() bool { return o.Schema == mainSchema }

// sharedColumns are columns that mean the same wherever they stand; @columns lists them.
var sharedColumns = []ObjectColumn{
	{Name: "tree", Sentence: "name of the pool tree"},
	{Name: "pool", Sentence: "name of the pool, unique in its tree; <Root> is the tree itself"},
	{Name: "path", Sentence: "names from below the root to the pool, joined by /; empty of the root"},
	{Name: "operation", Sentence: "id of the operation"},
	{Name: "user_name", Sentence: "user who started the operation"},
	{Name: "node", Sentence: "address of the node"},
	{Name: "resource", Sentence: "user_slots, cpu, gpu, memory or network"},
	{Name: "element_kind", Sentence: "pool or operation"},
	{Name: "element", Sentence: "name of the pool or id of the operation"},
	{Name: "bin", Unit: "UTC", Sentence: "start of the bin; bins count from the start of the window"},
	{Name: "from_time", Unit: "UTC", Sentence: "start of the span"},
	{Name: "to_time", Unit: "UTC", Sentence: "end of the span, exclusive"},
	{Name: "clipped_from", Sentence: "whether the span began before the window"},
	{Name: "clipped_to", Sentence: "whether the span goes on after the window"},
	{Name: "seconds", Unit: "s", Sentence: "length of the span"},
	{Name: "lost_slot_seconds", Unit: "slot·s", Sentence: "user slots that were lost, summed over the time; jobs whose loss the log does not show are left out"},
	{Name: "lost_cpu_seconds", Unit: "core·s", Sentence: "cores that were lost, likewise"},
	{Name: "lost_gpu_seconds", Unit: "device·s", Sentence: "GPUs that were lost, likewise"},
	{Name: "lost_gib_seconds", Unit: "GiB·s", Sentence: "memory that was lost, likewise"},
	{Name: "usage_ratio", Unit: "share", Sentence: "dominant usage share"},
	{Name: "demand_ratio", Unit: "share", Sentence: "dominant demand share"},
	{Name: "fair_share_ratio", Unit: "share", Sentence: "dominant fair share"},
	{Name: "min_share_ratio", Unit: "share", Sentence: "dominant strong guarantee share"},
}

// ReadObjects returns what the files of views/ make, in the order in which they run.
func ReadObjects(queries fs.FS) ([]Object, error) {
	files, err := readViews(queries)
	if err != nil {
		return nil, err
	}
	var all []Object
	for _, file := range files {
		objects, err := parseObjects(file.text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file.name, err)
		}
		all = append(all, objects...)
	}
	return all, nil
}

var createPattern = regexp.MustCompile(`^CREATE OR REPLACE (VIEW|TABLE|MACRO) (?:(\w+)\.)?(\w+)`)

// parseObjects reads what one text makes.
func parseObjects(text string) (all []Object, err error) {
	var comment []string
	var above *Object // what the line above belongs to
	for len(text) > 0 {
		line, after, _ := strings.Cut(text, "\n")
		m := createPattern.FindStringSubmatch(line)
		switch {
		case strings.HasPrefix(line, "--"):
			comment = append(comment, strings.TrimSpace(strings.TrimPrefix(line, "--")))
			above = nil
		case m == nil:
			comment = nil
			if strings.TrimSpace(line) == "" {
				above = nil
			}
		default:
			o := Object{Kind: m[1], Schema: m[2], Name: m[3], statement: firstStatement(text)}
			if o.Schema == "" {
				o.Schema = mainSchema
			}
			if o.Kind == "MACRO" {
				o.Params = signature(line)
				if strings.HasSuffix(line, ") AS TABLE") {
					o.Kind = "MACRO TABLE"
				}
			}
			if len(comment) == 0 && above != nil {
				o.Sentence = above.Sentence
			}
			if err := o.declare(comment); err != nil {
				return nil, fmt.Errorf("%s: %w", o.Name, err)
			}
			for i := range o.Columns {
				o.Columns[i].Words = wordsOfColumn(o.statement, o.Columns[i].Name)
			}
			if o.like != "" {
				i := slices.IndexFunc(all, func(other Object) bool { return other.Name == o.like })
				if i < 0 {
					return nil, fmt.Errorf("%s: @like: unknown object %s (want one declared above)", o.Name, o.like)
				}
				o.Columns = all[i].Columns
			}
			all = append(all, o)
			above, comment = &all[len(all)-1], nil
		}
		text = after
	}
	return all, nil
}

// firstStatement is a text up to the semicolon that ends its first statement.
func firstStatement(text string) string {
	at := 0
	for at < len(text) {
		_, n := firstPart(text[at:])
		if at += n; text[at-n:at] == ";" {
			break
		}
	}
	return text[:at]
}

// wordsOfColumn are the words of an ENUM in the statement that makes a table.
func wordsOfColumn(statement, column string) (all []string) {
	m := regexp.MustCompile(`\b` + column + ` ENUM\(([^)]*)\)`).FindStringSubmatch(statement)
	if m == nil {
		return nil
	}
	for _, word := range strings.Split(m[1], ", ") {
		all = append(all, strings.Trim(word, "'"))
	}
	return all
}

// signature are the parameters of the macro that a line begins to make.
func signature(line string) (params []ObjectColumn) {
	_, rest, _ := strings.Cut(line, "(")
	list, _, _ := strings.Cut(rest, ") AS")
	for _, one := range strings.Split(list, ",") {
		name, value, _ := strings.Cut(one, ":=")
		if name = strings.TrimSpace(name); name != "" {
			params = append(params, ObjectColumn{Name: name, Default: strings.TrimSpace(value)})
		}
	}
	return params
}

// declare takes over the comment above the statement.
func (o *Object) declare(comment []string) error {
	var fields []headerField
	for _, line := range comment {
		tag, keyed := strings.CutPrefix(line, "@")
		switch {
		case keyed:
			key, value, _ := strings.Cut(tag, " ")
			fields = append(fields, headerField{key, strings.TrimSpace(value)})
		case len(fields) > 0:
			last := &fields[len(fields)-1]
			last.value = strings.TrimSpace(last.value + " " + line)
		default:
			o.Sentence = strings.TrimSpace(o.Sentence + " " + line)
		}
	}
	for _, f := range fields {
		if err := o.set(f.key, f.value); err != nil {
			return fmt.Errorf("@%s: %w", f.key, err)
		}
	}
	return nil
}

func (o *Object) set(key, value string) error {
	if value == "" {
		return errors.New("has no value")
	}
	switch key {
	case "column":
		c, err := parseColumn(value)
		o.Columns = append(o.Columns, c)
		return err
	case "columns":
		for _, name := range splitList(value) {
			c := findColumn(sharedColumns, name)
			if c == nil {
				return fmt.Errorf("column %s belongs to one object only (declare it with @column)", name)
			}
			o.Columns = append(o.Columns, *c)
		}
	case "param":
		c, err := parseColumn(value)
		if err != nil {
			return err
		}
		p := findColumn(o.Params, c.Name)
		if p == nil || p.Sentence != "" {
			return fmt.Errorf("unknown or duplicate parameter %s of the macro", c.Name)
		}
		p.Unit, p.Sentence = c.Unit, c.Sentence
	case "returns":
		return setOnce(&o.Returns, value)
	case "like":
		return setOnce(&o.like, value)
	case "example":
		o.Examples = append(o.Examples, value)
	default:
		return errors.New("unknown key of a view or macro")
	}
	return nil
}

func findColumn(of []ObjectColumn, name string) *ObjectColumn {
	for i := range of {
		if of[i].Name == name {
			return &of[i]
		}
	}
	return nil
}

// parseColumn reads "name unit — sentence"; a text has no unit.
func parseColumn(value string) (ObjectColumn, error) {
	words, sentence, ok := strings.Cut(value, sentenceMark)
	name, unit, _ := strings.Cut(strings.TrimSpace(words), " ")
	if !ok || name == "" || sentence == "" {
		return ObjectColumn{}, errors.New(`is not "name unit — sentence"`)
	}
	return ObjectColumn{Name: name, Unit: strings.TrimSpace(unit), Sentence: strings.TrimSpace(sentence)}, nil
}

// withUnit is the sentence with the unit behind it.
func (c *ObjectColumn) withUnit() string { return withUnit(c.Sentence, c.Unit) }

// withUnit is a sentence with a unit behind it, as comments of columns have it.
func withUnit(sentence, unit string) string {
	if unit != "" {
		sentence += " (" + unit + ")"
	}
	return sentence
}

// comment returns the comment of the object in the database: a macro has no columns with comments
// of their own.
func (o *Object) comment() string {
	text := o.Sentence
	if !strings.HasPrefix(o.Kind, "MACRO") {
		return text
	}
	for _, part := range []struct {
		head string
		of   []ObjectColumn
	}{{"Parameters", o.Params}, {"Columns", o.Columns}} {
		var lines []string
		for _, c := range part.of {
			if c.Sentence != "" {
				lines = append(lines, c.Name+": "+c.withUnit())
			}
		}
		if len(lines) > 0 {
			text += "\n" + part.head + "\n  " + strings.Join(lines, "\n  ")
		}
	}
	for _, e := range o.Examples {
		text += "\nExample: " + e
	}
	return text
}

// describeObjects returns statements that put sentences and units where DuckDB shows them.
func describeObjects(objects []Object) string {
	var b strings.Builder
	for _, o := range objects {
		fmt.Fprintf(&b, "COMMENT ON %s %s IS %s;\n", o.Kind, quoteIn(o.Schema, o.Name), quoteText(o.comment()))
		if o.Kind == "VIEW" || o.Kind == "TABLE" {
			for _, c := range o.Columns {
				fmt.Fprintf(&b, "COMMENT ON COLUMN %s.%s IS %s;\n", quoteIn(o.Schema, o.Name), quoteName(c.Name), quoteText(c.withUnit()))
			}
		}
	}
	return b.String()
}
