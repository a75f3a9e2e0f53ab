package omnipitch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/omnipitch/omnipitch/testdata/must"
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

// TestWordsArePlain looks for the phrases of plainer, and for marks of unfinished merges, in code, comments and
// documentation.
func TestWordsArePlain(t *testing.T) {
	phrases := regexp.MustCompile(`\b(` + strings.Join(slices.Sorted(maps.Keys(plainer)), "|") + `)\b`)
	for _, file := range sources(t, "*.go", "*.c", "*.h", "*.js", "*.md", "*.toml", "Makefile", "*.sh") {
		if file == "style_test.go" || strings.Contains(file, "assets/three/") {
			continue
		}
		for i, line := range lines(t, file) {
			if strings.HasPrefix(line, "<<<<<<< ") || strings.HasPrefix(line, ">>>>>>> ") {
				t.Errorf("%s:%d: an unfinished merge", file, i+1)
			}
			if phrase := phrases.FindString(strings.ToLower(line)); phrase != "" {
				t.Errorf("%s:%d: %q: write %s", file, i+1, phrase, plainer[phrase])
			}
		}
	}
}

func lines(t *testing.T, file string) []string {
	t.Helper()
	return strings.Split(string(must.Get(os.ReadFile(file))(t)), "\n")
}

// inspect calls a function with each node of the tracked Go files, with the file's name and the node's line.
func inspect(t *testing.T, each func(file string, line int, n ast.Node)) {
	t.Helper()
	set := token.NewFileSet()
	for _, name := range sources(t, "*.go") {
		ast.Inspect(must.Get(parser.ParseFile(set, name, nil, 0))(t), func(n ast.Node) bool {
			if n != nil {
				each(name, set.Position(n.Pos()).Line, n)
			}
			return true
		})
	}
}

// A comparison of numbers that decides about a test's failure must also fail for NaN. It must therefore be written as
// !(got <= limit) or !scalar.EqualWithinAbs(got, want, tolerance).
func TestComparisonsFailOnNaN(t *testing.T) {
	inspect(t, func(file string, line int, n ast.Node) {
		s, ok := n.(*ast.IfStmt)
		if !ok || !strings.HasSuffix(file, "_test.go") && !strings.Contains(file, "enginetest") || !failsTest(s.Body) {
			return
		}
		for range passesNaN(s.Cond) {
			t.Errorf("%s:%d: NaN passes this comparison: write !(a <= b) for a > b, or "+
				"!scalar.EqualWithinAbs(got, want, tolerance)", file, line)
		}
	})
}

func TestNaNPasses(t *testing.T) {
	for _, c := range []struct {
		condition string
		want      int
	}{
		{"math.Abs(got-want) > tol", 1},
		{"d > 1e-9 || n < 3 && x.Len() >= 0.5", 2},
		{"worst > limit", 1},
		{"!(d <= 1e-9) || !scalar.EqualWithinAbs(got, want, tol)", 0},
		{"len(list) > 3 || n > 0", 0},
	} {
		if got := len(passesNaN(must.Get(parser.ParseExpr(c.condition))(t))); got != c.want {
			t.Errorf("%s: %d comparisons that NaN passes, want %d", c.condition, got, c.want)
		}
	}
}

// failsTest reports whether a block itself fails the test.
func failsTest(b *ast.BlockStmt) bool {
	return slices.ContainsFunc(b.List, func(s ast.Stmt) bool {
		e, _ := s.(*ast.ExprStmt)
		if e == nil {
			return false
		}
		call, _ := e.X.(*ast.CallExpr)
		if call == nil {
			return false
		}
		f, ok := call.Fun.(*ast.SelectorExpr)
		return ok && slices.Contains([]string{"Error", "Errorf", "Fatal", "Fatalf", "Fail", "FailNow"}, f.Sel.Name)
	})
}

// passesNaN returns the comparisons in a condition that are false for NaN and are not negated.
func passesNaN(e ast.Expr) []ast.Expr {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return passesNaN(e.X)
	case *ast.BinaryExpr:
		switch e.Op {
		case token.LAND, token.LOR:
			return append(passesNaN(e.X), passesNaN(e.Y)...)
		case token.LSS, token.LEQ, token.GTR, token.GEQ:
			if looksReal(e.X) || looksReal(e.Y) {
				return []ast.Expr{e}
			}
		}
	}
	return nil
}

// looksReal guesses whether an expression is a floating-point number, from its literals, its names and package math.
// The expression is not type-checked.
func looksReal(e ast.Expr) (real bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BasicLit:
			real = real || n.Kind == token.FLOAT
		case *ast.Ident:
			real = real || slices.Contains([]string{"tol", "tolerance", "eps", "sigma", "limit", "bound"}, n.Name)
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.SelectorExpr); ok {
				pkg, _ := f.X.(*ast.Ident)
				real = real || pkg != nil && pkg.Name == "math"
			}
		}
		return true
	})
	return real
}

// wallClock lists the folders and files that may read the wall clock or wait for it: timesync, commands, the packages
// of robotio with timeouts of sockets and connections, and single files. All other code receives the time as an
// argument.
var wallClock = []string{
	"timesync/...", "cmd/...", "testdata/must",
	"robotio/access", "robotio/admission", "robotio/foxglove", "robotio/player", "robotio/python",
	"robotio/rcsssmj", "robotio/refbox", "robotio/rosbridge",
	"robotio/web", "robotio/web/webtest",
	"robotio/internal/rosout", "robotio/ros1", "robotio/ros1/internal/master", "robotio/ros1/internal/tcpros",
	"robotio/ros2", "robotio/ros2/internal/rtps", "robotio/ros2/internal/zenoh",
	"robotio/connection.go",   // timeout for a robot's nodes to reconnect
	"robotio/markswitches.go", // how often parameters are requested
	"robotio/beliefs.go",      // how long topics stay subscribed after the last request for beliefs
	"render/internal/kept",    // when a file was used last
	"render/backend",          // which renderer is faster
	"robotio/compare/rate.go", // a running external system has no other clock
}

func TestOnlyTimesyncMeetsTheWallClock(t *testing.T) {
	calls := []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "NewTimer", "NewTicker", "Tick"}
	used := map[string]bool{}
	inspect(t, func(file string, line int, n ast.Node) {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok || !slices.Contains(calls, sel.Sel.Name) ||
			strings.HasSuffix(file, "_test.go") && strings.HasPrefix(file, "robotio") { // tests have deadlines
			return
		}
		if x, ok := sel.X.(*ast.Ident); !ok || x.Name != "time" {
			return
		}
		top, _, _ := strings.Cut(file, "/")
		allowed := false
		for _, place := range []string{top + "/...", path.Dir(file), file} {
			used[place] = true
			allowed = allowed || slices.Contains(wallClock, place)
		}
		if !allowed {
			t.Errorf("%s:%d: time.%s: only timesync reads the wall clock", file, line, sel.Sel.Name)
		}
	})
	for _, place := range wallClock {
		if !used[place] {
			t.Errorf("%s does not need the wall clock any more: forbid it there", place)
		}
	}
}

// TestArchitectureNamesWhatIsThere checks that the files and folders in docs/architecture.md and docs/inside.md exist.
func TestArchitectureNamesWhatIsThere(t *testing.T) {
	text := append(must.Get(os.ReadFile("docs/architecture.md"))(t), must.Get(os.ReadFile("docs/inside.md"))(t)...)
	named := regexp.MustCompile("`([a-z0-9_]+(?:/[a-z0-9_*.]+)+|[a-z]+\\.go)`").FindAllStringSubmatch(string(text), -1)
	if len(named) < 40 {
		t.Fatalf("only %d files and folders are named", len(named))
	}
	for _, n := range named {
		if found, err := filepath.Glob(n[1]); err != nil || len(found) == 0 {
			if found, err = filepath.Glob("sensors/pipeline/" + n[1]); err != nil || len(found) == 0 {
				t.Errorf("%s: there is no such file or folder", n[1])
			}
		}
	}
}
