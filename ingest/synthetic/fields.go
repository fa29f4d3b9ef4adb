package synthetic

import (
	"errors"
	"reflect"
	"regexp"
	"strings"

	"github.com/goccy/go-yaml"

	"poolproof/core/spelling"
)

var unknownField = regexp.MustCompile(`unknown field "([^"]*)"`)

// faultOf is the text of an error of the YAML library. It says what an unknown key may have been
// meant for.
func faultOf(err error, into any) string {
	text := yaml.FormatError(err, false, true)
	var unknown *yaml.UnknownFieldError
	m := unknownField.FindStringSubmatch(text)
	if !errors.As(err, &unknown) || m == nil {
		return text
	}
	near := spelling.MeantOr(m[1], keysOf(reflect.TypeOf(into)), "")
	if near == "" {
		return text
	}
	return strings.Replace(text, m[0], m[0]+"; "+near, 1)
}

// keysOf lists the keys of YAML that a type takes, those of its parts included.
func keysOf(t reflect.Type) (keys []string) {
	for t.Kind() == reflect.Slice || t.Kind() == reflect.Pointer || t.Kind() == reflect.Array {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("yaml"), ",")
		if name != "" {
			keys = append(keys, name)
		}
		keys = append(keys, keysOf(t.Field(i).Type)...)
	}
	return keys
}
