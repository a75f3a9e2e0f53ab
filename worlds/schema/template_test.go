package schema_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/testdata/allocs"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// stage is the struct to which templates are bound.
type stage struct {
	Vars   map[string]any `toml:"vars"`
	Title  string         `toml:"title"`
	Things []thing        `toml:"thing" merge:"name"`
	Steps  []step         `toml:"step"`
}

type thing struct {
	Name  string             `toml:"name" required:"true" match:"name"`
	Count int                `toml:"count"`
	X     float64            `toml:"x_m" range:"[-50, 50]"`
	On    bool               `toml:"on"`
	Place map[string]float64 `toml:"place"`
	Parts []part             `toml:"part" merge:"name"`
}

type part struct {
	Name string    `toml:"name" required:"true"`
	Size []float64 `toml:"size_m"`
}

type step struct {
	At   float64 `toml:"at_s" required:"true"`
	Text string  `toml:"text"`
}

// staged binds files, lowest first, after expanding their templates.
func staged(texts ...string) (s stage, err error) {
	vars, made := schema.Vars{}, schema.Made{}
	var files []*schema.File
	for i, text := range texts {
		f, err := schema.Parse(fmt.Sprintf("%c.toml", 'a'+i), []byte(text))
		if err == nil {
			err = vars.Read(f, &made)
		}
		if err != nil {
			return s, err
		}
		files = append(files, f)
	}
	top := files[len(files)-1]
	for _, f := range files {
		err = errors.Join(err, f.Expand(vars, &made))
	}
	if err = errors.Join(err, vars.Unused(top)); err == nil {
		err = top.Root().Bind(&s, schema.Roots(files[:len(files)-1])...)
	}
	s.Vars = nil
	return s, err
}

func TestTemplates(t *testing.T) {
	for _, c := range []struct {
		name  string
		texts []string
		want  stage
	}{
		{"values keep their types", []string{`
[[thing]]
for_each = { i = [2, 3] }
name = "t{i}"
count = "{i}"
x_m = "{i}"`}, stage{Things: []thing{{Name: "t2", Count: 2, X: 2}, {Name: "t3", Count: 3, X: 3}}}},
		{"rows", []string{`
[[thing]]
name = "before"
[[thing]]
for_each = [{ n = "a", x = -1.5, on = true }, { n = "b", x = 0, on = false }]
name = "{n}{n}-1"
x_m = "{x}"
on = "{on}"
[[thing]]
name = "after"`}, stage{Things: []thing{{Name: "before"}, {Name: "aa-1", X: -1.5, On: true}, {Name: "bb-1"}, {Name: "after"}}}},
		{"all combinations, the last name first", []string{`
[[step]]
for_each = { a = ["x", "y"], b = [1, 2.50] }
at_s = "{b}"
text = "{a}{b}"`}, stage{Steps: []step{{1, "x1"}, {2.5, "x2.5"}, {1, "y1"}, {2.5, "y2.5"}}}},
		{"spans", []string{`
[[step]]
for_each = { t = { from = 0.05, to = 0.35, count = 4 } }
at_s = "{t}"
text = "{t} s"
[[step]]
for_each = { i = { from = 3, to = -1, count = 3 } }
at_s = 0
text = "t{i}"
[[step]]
for_each = { i = { from = 0, to = 1, count = 4 } }
at_s = 0
text = "={i}"`}, stage{Steps: []step{{0.05, "0.05 s"}, {0.15, "0.15 s"}, {0.25, "0.25 s"}, {0.35, "0.35 s"}, {0, "t3"}, {0, "t1"}, {0, "t-1"},
			{0, "=0"}, {0, "=0.333333333333"}, {0, "=0.666666666667"}, {0, "=1"}}}},
		{"one in another", []string{`
[[thing]]
for_each = { i = [1, 2], size = [0.5] }
name = "t{i}"
  [[thing.part]]
  for_each = { k = ["l", "r"], i = ["{i}0"] }
  name = "{k}{i}"
  size_m = ["{size}", 1]
  [[thing.part]]
  name = "p{i}"`}, stage{Things: []thing{
			{Name: "t1", Parts: []part{{"l10", []float64{0.5, 1}}, {"r10", []float64{0.5, 1}}, {Name: "p1"}}},
			{Name: "t2", Parts: []part{{"l20", []float64{0.5, 1}}, {"r20", []float64{0.5, 1}}, {Name: "p2"}}}}}},
		{"vars of any kind", []string{`
title = "{who} at {at}, {{who}}, {day}"
[vars]
who = "me"
at = 0x10
day = 1979-05-27
place = { x = 1 }
rows = [{ n = 1 }, { n = 2 }]
numbers = [4, 5]
[[thing]]
for_each = "{rows}"
name = "t{n}"
place = "{place}"
[[step]]
for_each = { t = "{numbers}" }
at_s = "{t}"`}, stage{Title: "me at 16, {who}, 1979-05-27", Things: []thing{
			{Name: "t1", Place: map[string]float64{"x": 1}}, {Name: "t2", Place: map[string]float64{"x": 1}}},
			Steps: []step{{4, ""}, {5, ""}}}},
		{"who includes overrides vars, and things by their names", []string{
			"vars = { n = 3, x = 1 }\n[[thing]]\nfor_each = { i = { from = 1, to = \"{n}\", count = \"{n}\" } " +
				"}\nname = 't{i}'\nx_m = '{x}'",
			"vars.n = 2\n[[thing]]\nfor_each = { i = [2, 7] }\nname = 't{i}'\ncount = '{n}'"},
			stage{Things: []thing{{Name: "t1", X: 1}, {Name: "t2", X: 1, Count: 2}, {Name: "t7", Count: 2}}}},
		{"for_each hides vars", []string{"vars.i = 'v'\ntitle = '{i}'\n[[step]]\nfor_each.i = ['a']\nat_s = 1\ntext " +
			"= '{i}'"},
			stage{Title: "v", Steps: []step{{1, "a"}}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := must.Get(staged(c.texts...))(t)
			must.Equal(t, got, c.want, "effective file")
		})
	}
}

func TestTemplateErrors(t *testing.T) {
	for _, c := range must.Cases(t, "testdata/errors/templates.txt") {
		t.Run(c.Name, func(t *testing.T) {
			_, err := staged(c.Text)
			wantErrors(t, err, c.Want...)
		})
	}
}

// A short file can ask for more than any machine has.
func TestTemplatesAreBounded(t *testing.T) {
	const tooMuch = "expands to too much: for_each and names may make 50000 values and 1 MiB of text of the files of " +
		"a world"
	list := "[" + strings.Repeat("0, ", 1000) + "0]"
	for name, text := range map[string]string{
		"combinations": "[[step]]\nfor_each = { a = " + list + ", b = " + list + ", c = " + list + " }",
		"one in another": "[[thing]]\nfor_each.a = { from = 1, to = 10000, count = 10000 " +
			"}\n[[thing.part]]\nfor_each.b = { from = 1, to = 10000, count = 10000 }\nname = 'p{b}'",
		"spans":    "[[step]]\nfor_each = {" + spans(90) + "}",
		"arrays":   "vars.a = " + list + "\n[[step]]\nfor_each.i = " + list + "\ntext = '{a}'",
		"tripling": tripling(13),
		"text": "vars.a = '" + strings.Repeat("a", 1<<15) + "'\ntitle = '" + strings.Repeat("{a}", 1<<10) +
			"'",
	} {
		t.Run(name, func(t *testing.T) {
			allocs.AtMost(t, allocs.ParseLimit, func() {
				_, err := staged(text)
				list := schema.Flatten(err)
				if len(list) != 1 || !strings.Contains(list[0].Error(), tooMuch) {
					t.Errorf("got %v", err)
				}
			})
		})
	}
}

func spans(n int) string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf("a%d = { from = 1, to = 2, count = 10000 }", i))
	}
	return strings.Join(list, ", ")
}

// tripling nests tables, each of which has three times the contents of the one around it.
func tripling(n int) string {
	text := "vars.a0 = [1, 1]\n"
	table := "thing"
	for i := range n {
		text += fmt.Sprintf("[[%s]]\nfor_each.a%d = [['{a%d}', '{a%[3]d}', '{a%[3]d}']]\nname = 'x'\n", table, i+1, i)
		table += ".part"
	}
	return text
}

// Files from Another share the expansion.
func TestAnotherFileIsExpandedOnce(t *testing.T) {
	f := mustParse(t, "w.toml", "[[step]]\nfor_each.i = [1, 2]\nat_s = '{i}'\ntext = '{{{i}}}'")
	must.Do(t, f.Expand(nil, &schema.Made{}))
	want := []step{{1, "{1}"}, {2, "{2}"}}
	for _, f := range []*schema.File{f, f.Another(nil)} {
		var s stage
		must.Do(t, errors.Join(f.Expand(nil, &schema.Made{}), f.Bind(&s)))
		must.Equal(t, s.Steps, want, "steps")
	}
}

// Of several errors at one place the first is kept.
func TestFewer(t *testing.T) {
	var s stage
	f := mustParse(t, "w.toml", "[[thing]]\nfor_each.i = [51, 1, 52, 53]\nname = 't{i}'\nx_m = '{i}'\n[[step]]\nat_s "+
		"= 'no'")
	must.Do(t, f.Expand(nil, &schema.Made{}))
	list := schema.Flatten(errors.Join(f.Bind(&s), f.Bind(&s)))
	wantErrors(t, errors.Join(schema.WithoutRepeats(append(list, errors.New("x"), errors.New("x")))...),
		"w.toml:4:1: thing[0]: x_m = 51: must lie in [-50, 50] (i = 51 and 5 more)",
		"w.toml:6:1: step[0]: at_s = 'no': must be a number", "x", "x")
}
