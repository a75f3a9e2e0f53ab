// Package cases reads test cases from text files, in which a case's text needs no quoting.
package cases

import (
	"os"
	"strings"
	"testing"
)

// Case is one case of a file.
type Case struct {
	Name string
	Text string   // without a newline at its end
	Want []string // lines
}

// Read returns the cases of a file, in order. A line "=== NAME" begins a case. Its text follows, and after a line "---"
// the wanted lines. Lines before the first case are put before the text of every case.
func Read(tb testing.TB, path string) (all []Case) {
	tb.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	parts := strings.Split("\n"+strings.TrimSuffix(string(data), "\n"), "\n=== ")
	head := strings.TrimPrefix(parts[0]+"\n", "\n")
	for _, part := range parts[1:] {
		name, text, _ := strings.Cut(part, "\n")
		text, want, ok := strings.Cut("\n"+text+"\n", "\n---\n")
		if !ok {
			tb.Fatalf("%s: case %q has no line ---", path, name)
		}
		c := Case{Name: name, Text: head + strings.TrimPrefix(text, "\n")}
		if want != "" {
			c.Want = strings.Split(strings.TrimSuffix(want, "\n"), "\n")
		}
		all = append(all, c)
	}
	if len(all) == 0 {
		tb.Fatalf("%s has no case", path)
	}
	return all
}
