package schema_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

func TestBindErrors(t *testing.T) {
	for _, c := range append(must.Cases(t, "testdata/errors/bind.txt"),
		must.Case{Name: "long name", Text: "name = \"" + strings.Repeat("a", 65) + "\"", Want: []string{
			`w.toml:1:1: name = "` + strings.Repeat("a", 58) + `…: must be a name of at most 64 characters`}},
		must.Case{Name: "long value", Text: "name = '" + strings.Repeat("ß", 5000) + "'", Want: []string{
			"w.toml:1:1: name = '" + strings.Repeat("ß", 58) + "…: must be a name: a letter, then letters, digits, _ " +
				"or -"}}) {
		t.Run(c.Name, func(t *testing.T) {
			for _, text := range []string{c.Text, strings.ReplaceAll(c.Text, "\n", "\r\n")} {
				w := defaultWorld()
				_, err := bind(text, &w)
				wantErrors(t, err, c.Want...)
			}
		})
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range must.Cases(t, "testdata/errors/parse.txt") {
		t.Run(c.Name, func(t *testing.T) {
			_, err := schema.Parse("w.toml", []byte(c.Text))
			wantErrors(t, err, c.Want...)
		})
	}
	for name, c := range map[string]struct{ text, want string }{
		"open string":             {"a = 'x", "w.toml:1:6: unterminated literal string"},
		"open string, characters": {"a = \"얖", "w.toml:1:6: unterminated basic string"},
		"deep keys":               {strings.Repeat("a.", 40_000) + "a=1", "w.toml:1:65: must be nested at most 32 levels deep"},
		"deep arrays": {"a = " + strings.Repeat("[", 5000) + strings.Repeat("]", 5000),
			"w.toml:1:37: must be nested at most 32 levels deep"},
		"deep tables": {strings.Repeat("a={", 5000) + strings.Repeat("}", 5000),
			"w.toml:1:99: must be nested at most 32 levels deep"},
		"many tables": {strings.Repeat("[[a]]\n", 30_000), "w.toml:20000:1: must hold at most 20000 tables"},
		"many keys":   {manyKeys(5001), "w.toml:5001:1: must hold at most 5000 keys in a table"},
		"many values": {"a = [" + strings.Repeat("1,", 50_001) + "]",
			"w.toml: 50002 of the characters ,.=: must be at most 50000"},
		"large file": {strings.Repeat("#", 1<<20+1), "w.toml: 1048577 bytes: must be at most 1 MiB"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := schema.Parse("w.toml", []byte(c.text))
			wantErrors(t, err, c.want)
		})
	}
}

func manyKeys(n int) string {
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, "k%d = 1\n", i)
	}
	return text.String()
}

func TestManyErrorsAreCut(t *testing.T) {
	_, err := bind(manyKeys(5000), &world{})
	list := schema.Flatten(err)
	if got, want := list[len(list)-1].Error(), "w.toml: and 4901 more errors"; len(list) != 101 || got != want {
		t.Errorf("%d errors, last %q; want 101, last %q", len(list), got, want)
	}
}

func TestFlattenSorts(t *testing.T) {
	at := func(file string, line, col int) error {
		return &schema.Error{Pos: schema.Pos{File: file, Line: line, Col: col}}
	}
	err := fmt.Errorf("%w%w", at("b", 1, 1), fmt.Errorf("%w%w%w", at("a", 10, 1), fmt.Errorf("else"), at("a", 9, 2)))
	var got []string
	for _, e := range schema.Flatten(err) {
		got = append(got, e.Error())
	}
	must.Equal(t, got, []string{"a:9:2", "a:10:1", "b:1:1", "else"}, "places")
}
