package msg

import (
	"fmt"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/testdata/allocs"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// TestParseFull checks that every message of every dialect, parsed from its full text, has the same MD5 sum, fields and
// text.
func TestParseFull(t *testing.T) {
	for _, d := range Dialects() {
		l := must.Get(Load(d))(t)
		for _, name := range l.Messages() {
			want := must.Get(l.Message(name))(t)
			got, err := ParseFull(name, want.Text)
			if err != nil {
				t.Errorf("%s %s: %v", d, name, err)
				continue
			}
			if got.MD5 != want.MD5 || got.Text != want.Text || len(got.Fields) != len(want.Fields) {
				t.Errorf("%s %s: md5 %s, want %s", d, name, got.MD5, want.MD5)
			}
		}
	}
}

func TestParseFullRefuses(t *testing.T) {
	line := strings.Repeat("=", 80) + "\n"
	for _, c := range []struct{ text, want string }{
		{"b/B x", "field b/B x: unknown type"},
		{"b/B x\n" + line + "b/B\nint8 y", "must be MSG: package/Type"},
		{"b/B x\n" + line + "MSG: b/B\na/A y\n", "contains itself"},
		{"int8 x y", "a field is a type and a name"},
		{strings.Repeat("#", maxFull+1), "a full definition has at most"},
	} {
		must.Refuse(ParseFull("a/A", c.text))(t, c.want, c.text)
	}
}

// TestParseFullOfMany checks that a definition in which every message contains all below it parses quickly.
func TestParseFullOfMany(t *testing.T) {
	var b strings.Builder
	b.WriteString("l0/M0 x\n")
	const layers, width = maxNesting - 2, 12
	for l := range layers {
		for w := range width {
			fmt.Fprintf(&b, "%s\nMSG: l%d/M%d\n", strings.Repeat("=", 80), l, w)
			for c := range width {
				if l+1 < layers {
					fmt.Fprintf(&b, "l%d/M%d f%d\n", l+1, c, c)
				}
			}
		}
	}
	var m *Definition
	var err error
	allocs.AtMost(t, allocs.ParseLimit, func() { m, err = ParseFull("a/A", b.String()) })
	if err != nil {
		t.Fatal(err)
	}
	if m.Leaves != Endless || m.MinSize != 0 {
		t.Errorf("%d fields of at least %d bytes", m.Leaves, m.MinSize)
	}
	must.Equal(t, len(m.deps), 1+(layers-1)*width, "dependencies")
}

func FuzzParseFull(f *testing.F) {
	l := must.Get(Load("nubot"))(f)
	for _, name := range []string{"sensor_msgs/Imu", "nubot_common/OminiVisionInfo", "std_msgs/Empty"} {
		m := must.Get(l.Message(name))(f)
		f.Add(name, m.Text)
	}
	f.Fuzz(func(t *testing.T, name, text string) {
		if len(name)+len(text) > MaxText {
			return
		}
		var m *Definition
		var err error
		allocs.AtMost(t, allocs.ParseLimit, func() { m, err = ParseFull(name, text) })
		if err != nil {
			return
		}
		again, err := ParseFull(name, m.Text)
		if err != nil || again.MD5 != m.MD5 {
			t.Errorf("read again: %v", err)
		}
	})
}
