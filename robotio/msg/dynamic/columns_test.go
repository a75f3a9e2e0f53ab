package dynamic

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// table returns the table of messages given as JSON.
func table(t *testing.T, c *Codec, messages ...string) string {
	t.Helper()
	cols := must.Get(NewColumns(c))(t)
	var encoded [][]byte
	for _, m := range messages {
		b := must.Get(c.AppendROS(nil, []byte(m), msg.Time{}))(t)
		must.Do(t, cols.Widen(b))
		encoded = append(encoded, b)
	}
	header := must.Get(cols.Header())(t)
	rows := []string{strings.Join(header, "|")}
	for _, b := range encoded {
		var row []string
		must.Do(t, cols.Row(b, func(text []byte) { row = append(row, string(text)) }))
		rows = append(rows, strings.Join(row, "|"))
	}
	return strings.Join(rows, "\n")
}

// Each number and text has a column. An array has the columns of its longest message, or one column if it is too long.
func TestColumns(t *testing.T) {
	long := strings.TrimSuffix(strings.Repeat("1,", 65), ",")
	for _, c := range []struct {
		name, want string
		codec      *Codec
		messages   []string
	}{
		{"values", "b|i|u|s|t|d\ntrue|-5|200|a,b|3.000000007|-1.500000000",
			define(t, "bool b\nint8 i\nuint8 u\nstring s\ntime t\nduration d"),
			[]string{`{"b":true,"i":-5,"u":200,"s":"a,b","t":{"secs":3,"nsecs":7},"d":{"secs":-2,"nsecs":500000000}}`}},
		{"no numbers", "x|y\nnan|0.1", define(t, "float64 x\nfloat32 y"), []string{`{"x":null,"y":0.1}`}},
		{"nested", "p.x|p.q.y\n1|2", define(t, "B p", "int8 x\nC q", "int8 y"), []string{`{"p":{"x":1,"q":{"y":2}}}`}},
		{"fixed arrays", "a[0]|a[1]|b[0]|b[1]\n1|2|3|4", define(t, "int16[2] a\nuint8[2] b"),
			[]string{`{"a":[1,2],"b":[3,4]}`}},
		{"variable arrays", "a[0].x|a[0].l[0]|a[0].l[1]|a[1].x|a[1].l[0]|a[1].l[1]|z\n||||||1\n1|||2|8|9|1\n3|7|||||1",
			define(t, "B[] a\nint8 z", "int8 x\nint8[] l"),
			[]string{`{"z":1}`, `{"a":[{"x":1},{"x":2,"l":[8,9]}],"z":1}`, `{"a":[{"x":3,"l":[7]}],"z":1}`}},
		{"bytes", "d.length|e\n3|[]", define(t, "uint8[] d\nint8[] e"), []string{`{"d":[1,2,3]}`}},
		{"a long array", "a\n[]\n[" + long + "]", define(t, "int32[] a"), []string{`{}`, `{"a":[` + long + `]}`}},
		{"nothing", "\n", define(t, ""), []string{`{}`}},
	} {
		must.Equal(t, table(t, c.codec, c.messages...), c.want, "%s", c.name)
	}
}

// A row has as many cells as its header has names, for any type and message. Messages that Widen has not seen, and
// invalid ones, are refused.
func TestRowsFitTheirHeaders(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	l := load(t, "nubot")
	for _, name := range l.Messages() {
		def := must.Get(l.Message(name))(t)
		c := compiled(t, def)
		cols := must.Get(NewColumns(c))(t)
		messages := [][]byte{random(nil, c.root, r), random(nil, c.root, r), random(nil, c.root, r)}
		for _, b := range messages {
			must.Do(t, cols.Widen(b))
		}
		header := must.Get(cols.Header())(t)
		for _, b := range messages {
			n := 0
			if err := cols.Row(b, func([]byte) { n++ }); err != nil || n != len(header) {
				t.Errorf("%s: %d cells for %d columns, %v", name, n, len(header), err)
			}
			if len(b) > 0 {
				if err := cols.Row(b[:len(b)-1], func([]byte) {}); err == nil {
					t.Errorf("%s: a message without its end is taken", name)
				}
			}
		}
	}
	cols := must.Get(NewColumns(define(t, "int8[] a")))(t)
	must.Do(t, cols.Widen([]byte{1, 0, 0, 0, 7}))
	must.Get(cols.Header())(t)
	if err := cols.Row([]byte{2, 0, 0, 0, 7, 8}, func([]byte) {}); !errors.Is(err, errNotWidened) {
		t.Errorf("a longer array: %v", err)
	}
}

// A table has at most as many columns as a spreadsheet, whatever the definition.
func TestTablesThatAreTooWide(t *testing.T) {
	wide := func(text string, parts ...string) error {
		cols, err := NewColumns(define(t, text, parts...))
		if err == nil {
			_, err = cols.Header()
		}
		return err
	}
	double := func(name string) string { return name + " a\n" + name + " b\n" }
	many := []string{double("C"), double("D"), double("E"), double("F"), double("G"), double("H"), double("I"),
		double("J"), double("K"), double("L"), double("M"),
		double("N"), double("O"), "int8 x"}
	if err := wide(double("B"), many...); !errors.Is(err, errWide) {
		t.Errorf("messages nested in each other: %v", err)
	}
	if err := wide("B[3000] a\nint8 z", "int8 x"); err != nil {
		t.Errorf("a long fixed array, as one column: %v", err)
	}
}
