package msg

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/omnipitch/omnipitch/testdata/allocs"
	"github.com/omnipitch/omnipitch/testdata/must"
)

func TestParse(t *testing.T) {
	var l Library
	text := "# a comment\nint32 X=-5   # five\nstring S= a # b \nHeader header\n\tfloat64[9]  K\nOther[] " +
		"others\nchar c\ntime t\n"
	must.Do(t, l.AddMessage("p/Other", "byte b\n"))
	must.Do(t, l.AddMessage("std_msgs/Header", "uint32 seq\ntime stamp\nstring frame_id\n"))
	must.Do(t, l.AddMessage("p/M", text))
	m := must.Get(l.Message("p/M"))(t)
	wantC := []Constant{{"int32", "X", "-5"}, {"string", "S", "a # b"}}
	wantF := []Field{{Name: "header", Base: "std_msgs/Header", Len: NoArray}, {Name: "K", Base: "float64", Len: 9},
		{Name: "others", Base: "p/Other", Len: Variable}, {Name: "c", Base: "char", Len: NoArray},
		{Name: "t", Base: "time", Len: NoArray}}
	must.Equal(t, m.Constants, wantC, "constants")
	must.Equal(t, m.Fields, wantF, "fields")
	if !m.HasHeader() {
		t.Error("HasHeader = false")
	}
}

func TestErrors(t *testing.T) {
	cases := []struct{ text, want string }{
		{"int32", `p/M.msg:1: "int32": a field is a type and a name`},
		{"\nint32 2x", `p/M.msg:2: field = "2x"`},
		{"int32[x] a", `type = "int32[x]": an array length must lie in`},
		{"int32[4 a", "an array ends in ]"},
		{"int32 a\nfloat32 a", "p/M.msg:2: field = \"a\": appears twice"},
		{"uint8 A=256", `constant A = "256": must be a uint8`},
		{"bool A=yes", "must be a bool"},
		{"Foo A=1", "a constant's type must be"},
		{"a/b/c x", "must be a built-in or package/Type"},
		{"Missing x", "p/M.msg: field p/Missing x: unknown type"},
		{"M[] x", "contains itself"},
		{"N x", "contains itself"},
	}
	for _, c := range cases {
		var l Library
		err := errors.Join(l.AddMessage("p/N", "M m"), l.AddMessage("p/M", c.text))
		if err == nil {
			_, err = l.Message("p/M")
		}
		must.Fail(t, err, c.want, c.text)
	}
	must.Refuse(Load("klingon"))(t, "must be one of", "Load(klingon)")
	var l Library
	if err := l.AddService("p/S", "int32 a\n"); err == nil {
		t.Error("a service without --- was accepted")
	}
	must.Fail(t, l.AddService("p/S", "---\n---\n"), "p/S.srv: has too many --- lines")
	must.Fail(t, l.AddAction("p/A", "---\n"), "p/A.action: an action has two --- lines")
	must.Fail(t, l.AddAction("p/A", "---\nint8\n---\n"), `p/A.action:1: "int8": a field is a type and a name`)
	must.Refuse(l.Action("p/AAction"))(t, "must be package/TypeAction", "an unknown action")
	must.Do(t, l.AddMessage("p/AAction", "int8 x\n"))
	must.Refuse(l.Action("p/AAction"))(t, "action p/AAction: message p/AGoal: unknown type", "a message")
	if _, err := l.Message("p/Q"); !errors.Is(err, ErrUnknown) {
		t.Errorf("err = %v, want ErrUnknown", err)
	}
}

func TestAddFS(t *testing.T) {
	fsys := fstest.MapFS{
		"mine/msg/A.msg":       {Data: []byte("B b\n")},
		"mine/B.msg":           {Data: []byte("int8 x\n")},
		"mine/srv/S.srv":       {Data: []byte("A a\n---\nB[2] b\n")},
		"mine/action/G.action": {Data: []byte("A a\n---\n---\nB[2] b\n")},
		"mine/readme.txt":      {Data: []byte("no definition")},
	}
	var l Library
	must.Do(t, l.AddFS(fsys))
	must.Equal(t, l.Messages(), []string{"mine/A", "mine/B", "mine/GAction", "mine/GActionFeedback", "mine/GActionGoal",
		"mine/GActionResult", "mine/GFeedback", "mine/GGoal", "mine/GResult"}, "l.Messages()")
	if s, err := l.Service("mine/S"); err != nil || s.Response.Fields[0].Len != 2 {
		t.Errorf("service = %+v, %v", s, err)
	}
}

// FuzzMessage checks that no text makes the parser panic, and that accepted texts have an MD5 sum.
func FuzzMessage(f *testing.F) {
	for _, s := range []string{"", "int32 a", "string S=a#b", "Header h\nuint8[] d", "M m", "a[999999999999] b", "=",
		"---"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > MaxText {
			return
		}
		allocs.AtMost(t, allocs.ParseLimit, func() {
			var l Library
			if l.AddMessage("std_msgs/Header", "uint32 seq\n") != nil || l.AddMessage("p/M", text) != nil {
				return
			}
			if m, err := l.Message("p/M"); err == nil && len(m.MD5) != 32 {
				t.Errorf("md5 = %q", m.MD5)
			}
			_ = l.AddService("p/S", text)
			if l.AddAction("p/A", text) == nil {
				_, _ = l.Action("p/AAction")
			}
		})
	})
}

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
	imu := must.Get(must.Get(LoadROS2("jazzy"))(f).Message("sensor_msgs/Imu"))(f)
	f.Add("sensor_msgs/msg/Imu", imu.Text)
	f.Add("a/srv/A_Request", "string<=3[<=4] s ['a', 'b']\nbyte B=0xff\n")
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
		if err != nil || again.MD5 != m.MD5 || again.Hash != m.Hash {
			t.Errorf("read again: %v", err)
		}
	})
}
