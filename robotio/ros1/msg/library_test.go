package msg

import (
	"errors"
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
	wantF := []Field{{"header", "std_msgs/Header", NoArray}, {"K", "float64", 9}, {"others", "p/Other", Variable},
		{"c", "char", NoArray}, {"t", "time", NoArray}}
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
	if _, err := l.Message("p/Q"); !errors.Is(err, ErrUnknown) {
		t.Errorf("err = %v, want ErrUnknown", err)
	}
}

func TestAddFS(t *testing.T) {
	fsys := fstest.MapFS{
		"mine/msg/A.msg":  {Data: []byte("B b\n")},
		"mine/B.msg":      {Data: []byte("int8 x\n")},
		"mine/srv/S.srv":  {Data: []byte("A a\n---\nB[2] b\n")},
		"mine/readme.txt": {Data: []byte("no definition")},
	}
	var l Library
	must.Do(t, l.AddFS(fsys))
	must.Equal(t, l.Messages(), []string{"mine/A", "mine/B"}, "l.Messages()")
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
		})
	})
}
