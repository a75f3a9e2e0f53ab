package schema

import (
	"testing"

	"github.com/omnipitch/omnipitch/testdata/must"
)

func TestParentPath(t *testing.T) {
	for path, want := range map[string]string{
		"a": "", "a.b": "a", "a[0]": "a", "a[0].b": "a[0]", "a[0][1]": "a[0]", `a."b.c[0]"`: "a",
		`a."b\".c".d`: `a."b\".c"`,
	} {
		must.Equal(t, parentPath(path), want, "parentPath(%q)", path)
	}
}

func TestReplace(t *testing.T) {
	f := must.Get(Parse("t.toml", []byte("a = \"b = 1\" # a = 2\n\"b\" = [ # [\n 'x', ]\nc = 3 # b\n[d]\nb = 1\n")))(t)
	const want = "a = 1 # a = 2\n\"b\" = [\"y\"]\nc = 3 # b\n[d]\nb = 1\n"
	if got := string(f.Replace(map[string]string{"b": `["y"]`, "a": "1"})); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
