package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"poolproof/core/spelling"
)

// attacks are names of pools that would be more than names in one of the formats.
var attacks = []string{
	"a\nb", "a\r\nb", "a\x00b", "a\x1b[2Jb", "\x1b]8;;http://evil\x1b\\link\x1b]8;;\x1b\\", "a\u009b31mb", "a\u202eb", "a\u2066b", "a\u200bb", "\ufeffa", "a\u2028b", "a\xffb",
	"<script>alert(1)</script>", `"><img src=x onerror=alert(1)>`, `' onmouseover='alert(1)`, "</td></tr></table>", "<!--", "-->", "]]>", "<![CDATA[", "&lt;b&gt;", "&#x202e;", "{{.}}", "javascript:alert(1)",
	"[x](javascript:alert(1))", "![x](http://evil/y)", "a|b|c", "`code`", "# head", "- item", "~~gone~~", "**b**", "<http://evil>", "\\", "\\|", "***\n---\n# head",
	`=HYPERLINK("http://evil")`, "+1", "-1", "@SUM(1)", `","`, `""`, "a,b", `a"b`, `x"} 1` + "\npoolproof_exit_code 0", `x\`, `x\"`, `{a="b"}`, "# HELP x", "__name__",
	"${HOME}", "$(x)", "%s%n", "..", "/etc/passwd", "NULL", "-- x", strings.Repeat("long ", 400),
}

// TestNamesAreNamesInEveryFormat: a report has the same rows, elements, lines and links whatever a
// pool is called.
func TestNamesAreNamesInEveryFormat(t *testing.T) {
	benign := map[string]string{}
	formats := slices.DeleteFunc(slices.Clone(Formats), func(f string) bool { return f == "html" }) // it asks a run
	for _, format := range formats {
		benign[format] = reportOn(t, format, "benign")
	}
	for _, name := range attacks {
		for _, format := range formats {
			text := reportOn(t, format, name)
			if format == "markdown" || format == "text" {
				if at := strings.IndexFunc(string(plain([]byte(text))), func(r rune) bool { return r != '\n' && r != '\t' && spelling.Hidden(r) }); at >= 0 {
					t.Errorf("%q in %s: a hidden character at %d", name, format, at)
				}
			}
			for what, shape := range map[string]func(string) int{"json": validJSON, "csv": csvRows, "scorecard": csvRows, "junit": xmlElements, "prometheus": samples, "markdown": cells} {
				if got, want := shape(text), shape(benign[format]); what == format && got != want {
					t.Errorf("%q in %s: %d parts, want %d", name, format, got, want)
				}
			}
		}
	}
}

// reportOn is the report of a full night in which the pool with the hostile name has this one.
func reportOn(t *testing.T, format, name string) string {
	t.Helper()
	v := fullNight()
	rename(reflect.ValueOf(v).Elem(), name)
	var b bytes.Buffer
	if err := Write(t.Context(), &b, format, v, "out/run", 0); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// rename gives the hostile pool another name in all texts below a value.
func rename(v reflect.Value, name string) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			rename(v.Elem(), name)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			rename(v.Field(i), name)
		}
	case reflect.Slice:
		for i := range v.Len() {
			rename(v.Index(i), name)
		}
	case reflect.String:
		if v.CanSet() {
			v.SetString(strings.ReplaceAll(v.String(), hostile, name))
		}
	}
}

func validJSON(text string) int {
	if json.Valid([]byte(text)) {
		return 1
	}
	return 0
}

// csvRows counts values, or is negative where the text is malformed.
func csvRows(text string) (n int) {
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		return -1
	}
	for _, row := range rows {
		n += len(row)
	}
	return n
}

// xmlElements counts elements and attributes.
func xmlElements(text string) (n int) {
	d := xml.NewDecoder(strings.NewReader(text))
	for {
		token, err := d.Token()
		if err == io.EOF {
			return n
		}
		if err != nil {
			return -1
		}
		if e, ok := token.(xml.StartElement); ok {
			n += 1 + len(e.Attr)
		}
	}
}

var sampleLine = regexp.MustCompile(`^(#.*|[a-z_]+(\{([a-z_]+="([^"\\\n]|\\\\|\\"|\\n)*",?)*\})? [-+0-9.eE]+|)$`)

// samples counts lines, or is negative where one is malformed.
func samples(text string) int {
	lines := strings.Split(text, "\n")
	for _, line := range lines {
		if !sampleLine.MatchString(line) {
			return -1
		}
	}
	return len(lines)
}

var escaped = regexp.MustCompile(`\\.`)

// cells counts lines, cells, and what begins a tag, a link, an entity or code.
func cells(text string) (n int) {
	text = regexp.MustCompile(`&(lt|amp);`).ReplaceAllString(escaped.ReplaceAllString(text, ""), "")
	for _, sign := range []string{"\n", "|", "<", "](", "&", "\n#", "`", "*"} {
		n += strings.Count(text, sign)
	}
	return n
}
