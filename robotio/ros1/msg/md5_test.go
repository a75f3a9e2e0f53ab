package msg

import (
	"os"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/testdata/must"
)

// readMD5s returns the table of known MD5 sums: dialect, type, sum.
func readMD5s(t *testing.T) (rows [][]string) {
	t.Helper()
	for line := range strings.Lines(string(must.Get(os.ReadFile("testdata/md5.txt"))(t))) {
		if !strings.HasPrefix(line, "#") {
			rows = append(rows, strings.Fields(line))
		}
	}
	return rows
}

// TestMD5 compares with the table, which must have every definition.
func TestMD5(t *testing.T) {
	known := map[string]bool{}
	for _, row := range readMD5s(t) {
		dialect, name, want := row[0], row[1], row[2]
		known[name] = true
		l := must.Get(Load(dialect))(t)
		got := ""
		if m, err := l.Message(name); err == nil {
			got = m.MD5
		} else if s, err2 := l.Service(name); err2 == nil {
			got = s.MD5
		} else {
			t.Errorf("%s %s: %v, %v", dialect, name, err, err2)
		}
		must.Equal(t, got, want, "%s %s: md5", dialect, name)
	}
	for _, d := range Dialects() {
		l := must.Get(Load(d))(t)
		for _, n := range append(l.Messages(), l.Services()...) {
			if !known[n] {
				t.Errorf("dialect %s: %s has no md5 sum to compare with", d, n)
			}
		}
	}
}
