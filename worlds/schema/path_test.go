package schema

import "testing"

func TestParentPath(t *testing.T) {
	for path, want := range map[string]string{
		"a": "", "a.b": "a", "a[0]": "a", "a[0].b": "a[0]", "a[0][1]": "a[0]", `a."b.c[0]"`: "a",
		`a."b\".c".d`: `a."b\".c"`,
	} {
		if got := parentPath(path); got != want {
			t.Errorf("parentPath(%q) = %q, want %q", path, got, want)
		}
	}
}
