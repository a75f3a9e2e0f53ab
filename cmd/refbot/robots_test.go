package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestExpand(t *testing.T) {
	for _, c := range []struct {
		list string
		want []string
		err  string
	}{
		{"cyan1", []string{"/cyan1"}, ""},
		{"/cyan1", []string{"/cyan1"}, ""},
		{"cyan1..3,magenta2", []string{"/cyan1", "/cyan2", "/cyan3", "/magenta2"}, ""},
		{"r2d2,NuBot1..2", []string{"/r2d2", "/NuBot1", "/NuBot2"}, ""},
		{"", nil, "must name one"},
		{"cyan1,", nil, `"": must be a name`},
		{"cyan3..1", nil, "must begin with the lower number"},
		{"cyan1..2,cyan2", nil, "/cyan2 is named twice"},
		{"cyan1..999", nil, "at most 100 robots"},
		{"cyan-1", nil, "must be a name"},
	} {
		got, err := expand(c.list)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%q: err = %v, want %q", c.list, err, c.err)
			}
			continue
		}
		if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
			t.Errorf("%q: %v %s", c.list, err, diff)
		}
	}
}
