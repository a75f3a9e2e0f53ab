package worlds

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/sensors"
)

// parameter is a key of a sensor that has a rule.
type parameter struct{ path, rule, bad string }

// limited lists the keys below a struct that have a rule.
func limited(t reflect.Type, path string) (all []parameter) {
	for i := range t.NumField() {
		f := t.Field(i)
		key, _, _ := strings.Cut(f.Tag.Get("toml"), ",")
		if f.Anonymous {
			all = append(all, limited(f.Type, path)...)
		}
		if key == "" {
			continue
		}
		typ := f.Type
		if typ.Kind() == reflect.Pointer {
			typ = typ.Elem()
		}
		switch {
		case typ.Kind() == reflect.Struct:
			all = append(all, limited(typ, path+key+".")...)
		case typ.Kind() == reflect.Slice && typ.Elem().Kind() == reflect.Struct:
			all = append(all, limited(typ.Elem(), path+key+"[].")...)
		case f.Tag.Get("range") != "":
			bad := "1e12"
			if typ.Kind() == reflect.Int {
				bad = "999999999"
			}
			if typ.Kind() == reflect.Slice {
				bad = "[" + bad + "]"
			}
			all = append(all, parameter{path + key, "must lie in " + f.Tag.Get("range"), bad})
		case f.Tag.Get("oneof") != "":
			all = append(all, parameter{path + key, "must be one of " + strings.ReplaceAll(f.Tag.Get("oneof"), "|",
				", "), `"nonsense"`})
		}
	}
	return all
}

// set returns the TOML of a sensor whose key breaks its rule.
func (p parameter) set() string {
	keys := strings.Split(p.path, ".")
	text := keys[len(keys)-1] + " = " + p.bad
	for i := len(keys) - 2; i >= 0; i-- {
		name, many := strings.CutSuffix(keys[i], "[]")
		if text = "{ " + text + " }"; many {
			text = "[" + text + "]"
		}
		text = name + " = " + text
	}
	return text
}

// Every parameter of every sensor that breaks its rule is reported with its place, its value and the rule.
func TestEverySensorParameterIsJudged(t *testing.T) {
	all := limited(reflect.TypeFor[sensors.Config](), "")
	if len(all) < 100 {
		t.Fatalf("only %d parameters", len(all))
	}
	for _, p := range all {
		found := false
		last := p.path[strings.LastIndex(p.path, ".")+1:]
		for _, kind := range sensors.Kinds() {
			text := fmt.Sprintf("%sfield = \"msl-18x12\"\n%s[[robot.sensor]]\nname = \"probe\"\nkind = \"%s\"\n%s\n",
				minimal, robot, kind, p.set())
			_, err := Parse("w.toml", []byte(text))
			for _, line := range lines(err) {
				if strings.HasPrefix(line, "w.toml:") && (strings.Contains(line, last+" = ") ||
					strings.Contains(line, last+"[0] = ")) && strings.Contains(line, p.rule) {
					found = true
				}
			}
			if found {
				break
			}
		}
		if !found {
			t.Errorf("%s is not judged: %s", p.path, p.set())
		}
	}
}
