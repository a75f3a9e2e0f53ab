package omnipitch

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// widest is the number of columns that a line of code may take. A tab takes four.
const widest = 120

// plainer maps phrases that readers stumble over to what the project writes instead. The phrases are looked for in
// comments, help texts and documentation, in lower case.
var plainer = map[string]string{
	"tells whether":          "reports whether",
	"tell whether":           "report whether",
	"is told of":             "receives, is notified of, is reported",
	"are told of":            "receive, are notified of, are reported",
	"whoever":                "the noun: the listener, the user, the node",
	"begins anew":            "restarts",
	"begin again":            "restart",
	"begins again":           "restarts",
	"of late":                "recently",
	"what is amiss":          "problems",
	"how work is getting on": "progress",
}

// longString matches a string of Go that takes most of a line, such as the text of a file in a test.
var longString = regexp.MustCompile(`"([^"\\]|\\.){50,}"`)

// inRawString reports for each line whether it belongs to a raw string of Go, which cannot be broken.
func inRawString(lines []string) []bool {
	in, raw := make([]bool, len(lines)), false
	for i, line := range lines {
		odd := strings.Count(strings.ReplaceAll(line, "'`'", ""), "`")%2 == 1
		in[i] = raw || strings.Contains(line, "`")
		raw = raw != odd
	}
	return in
}

// sources lists the tracked files that match the patterns.
func sources(t *testing.T, patterns ...string) []string {
	t.Helper()
	out, err := exec.Command("git", append([]string{"ls-files", "-z", "--"}, patterns...)...).Output()
	if err != nil {
		t.Skipf("not a git checkout: %v", err)
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
}

// TestLinesAreNarrow holds the width of lines of Go and C. Struct tags, other raw strings
// and long strings of Go are exempt.
func TestLinesAreNarrow(t *testing.T) {
	for _, file := range sources(t, "*.go", "*.c", "*.h") {
		text := lines(t, file)
		raw := inRawString(text)
		for i, line := range text {
			columns := utf8.RuneCountInString(line) + 3*strings.Count(line, "\t")
			if columns > widest && !raw[i] && !longString.MatchString(line) {
				t.Errorf("%s:%d: %d columns, more than %d", file, i+1, columns, widest)
			}
		}
	}
}

// TestWordsArePlain looks for the phrases of plainer in code, comments and documentation.
func TestWordsArePlain(t *testing.T) {
	phrases := regexp.MustCompile(`\b(` + strings.Join(slices.Sorted(maps.Keys(plainer)), "|") + `)\b`)
	for _, file := range sources(t, "*.go", "*.c", "*.h", "*.js", "*.md", "*.toml", "Makefile", "*.sh") {
		if file == "style_test.go" || strings.Contains(file, "assets/three/") {
			continue
		}
		for i, line := range lines(t, file) {
			if phrase := phrases.FindString(strings.ToLower(line)); phrase != "" {
				t.Errorf("%s:%d: %q: write %s", file, i+1, phrase, plainer[phrase])
			}
		}
	}
}

func lines(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.FromSlash(file))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(string(text), "\n")
}
