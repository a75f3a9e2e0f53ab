package graph

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/testdata/must"
)

func TestResolve(t *testing.T) {
	cases := []struct{ node, name, want string }{
		{"/n", "/a/b", "/a/b"},
		{"/n", "a", "/a"},
		{"/x/y/n", "a/b", "/x/y/a/b"},
		{"/x/n", "~a", "/x/n/a"},
		{"/x/n", "~/a", "/x/n/a"},
		{"/n", "/a//b/", "/a/b"},
		{"/n", "/", "/"},
		{"/", "odo", "/odo"},
		{"/", "a/b", "/a/b"},
		{"/", "~a", "/a"},
	}
	for _, c := range cases {
		must.Equal(t, Resolve(c.node, c.name), c.want, "Resolve(%q, %q)", c.node, c.name)
	}
	// Debian's rosgraph is the oracle.
	var script strings.Builder
	script.WriteString("import rosgraph.names as n\n")
	for _, c := range cases {
		fmt.Fprintf(&script, "print(n.resolve_name(%q, %q))\n", c.name, c.node)
	}
	out, err := exec.Command("/usr/bin/python3", "-c", script.String()).Output()
	if err != nil {
		t.Skip("no rosgraph: apt-get install python3-rospy")
	}
	for i, got := range strings.Fields(string(out)) {
		if want := cases[i].want; got != want && cases[i].name != "~/a" {
			t.Errorf("rosgraph resolves %+v to %q", cases[i], got)
		}
	}
}

func TestCheck(t *testing.T) {
	for _, ok := range []string{"/", "/a", "a", "~a", "/a/b_2", "Ab"} {
		if err := Check(ok); err != nil {
			t.Errorf("Check(%q) = %v", ok, err)
		}
	}
	for _, bad := range []string{"", "~", "2a", "/a b", "/_a", "a-b", "/a//b", "/ä", "\x00",
		strings.Repeat("a", 2000)} {
		if Check(bad) == nil {
			t.Errorf("Check(%q) = nil", bad)
		}
	}
}
