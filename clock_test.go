package omnipitch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// wallClock lists the folders and files that may read the wall clock or wait for it: timesync, commands, the packages
// of robotio with timeouts of sockets and connections, and single files. All other code receives the time as an
// argument.
var wallClock = []string{
	"timesync/...", "cmd/...",
	"robotio/access", "robotio/foxglove", "robotio/refbox", "robotio/rosbridge", "robotio/web", "robotio/web/webtest",
	"robotio/ros1", "robotio/ros1/internal/master", "robotio/ros1/internal/rosout", "robotio/ros1/internal/tcpros",
	"robotio/ros1/internal/xmlrpc",
	"robotio/connection.go",   // timeout for a robot's nodes to reconnect
	"robotio/beliefs.go",      // how long topics stay subscribed after the last request for beliefs
	"robotio/compare/rate.go", // a running external system has no other clock
}

func TestOnlyTimesyncMeetsTheWallClock(t *testing.T) {
	meets := []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "NewTimer", "NewTicker", "Tick"}
	used := map[string]bool{}
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		test := strings.HasSuffix(name, "_test.go") && strings.HasPrefix(name, "robotio") // tests have deadlines
		if err != nil || d.IsDir() || test || filepath.Ext(name) != ".go" {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			return err
		}
		top, _, _ := strings.Cut(name, "/")
		ast.Inspect(file, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok || !slices.Contains(meets, sel.Sel.Name) {
				return true
			}
			if x, ok := sel.X.(*ast.Ident); !ok || x.Name != "time" {
				return true
			}
			allowed := false
			for _, place := range []string{top + "/...", path.Dir(name), name} {
				used[place] = true
				allowed = allowed || slices.Contains(wallClock, place)
			}
			if !allowed {
				t.Errorf("%s: time.%s: the wall clock is met by timesync alone", name, sel.Sel.Name)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, place := range wallClock {
		if !used[place] {
			t.Errorf("%s does not need the wall clock any more: forbid it there", place)
		}
	}
}
