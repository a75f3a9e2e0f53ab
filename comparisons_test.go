package omnipitch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestComparisonsFailOnNaN parses all tests. A comparison of numbers that decides about a failure must also fail for
// NaN. It must therefore be written as !(got <= limit) or !scalar.EqualWithinAbs(got, want, tolerance).
func TestComparisonsFailOnNaN(t *testing.T) {
	files := token.NewFileSet()
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(name, "_test.go") &&
			!strings.Contains(name, "enginetest") {
			return err
		}
		file, err := parser.ParseFile(files, name, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if s, ok := n.(*ast.IfStmt); ok && failsTest(s.Body) {
				for _, c := range passesNaN(s.Cond) {
					t.Errorf("%s: NaN passes this comparison: write !(a <= b) for a > b, or "+
						"!scalar.EqualWithinAbs(got, want, tolerance)", files.Position(c.Pos()))
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestNaNIsSeenToPass(t *testing.T) {
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
		e, err := parser.ParseExpr(c.condition)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(passesNaN(e)); got != c.want {
			t.Errorf("%s: %d comparisons that NaN passes: must be %d", c.condition, got, c.want)
		}
	}
}

// failsTest reports whether a block itself fails the test.
func failsTest(b *ast.BlockStmt) bool {
	return slices.ContainsFunc(b.List, func(s ast.Stmt) bool {
		e, ok := s.(*ast.ExprStmt)
		if !ok {
			return false
		}
		call, ok := e.X.(*ast.CallExpr)
		if !ok {
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
