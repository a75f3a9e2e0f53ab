package markup

import (
	"math"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/testdata/must"
)

func TestUnusedIsListedWithItsPlaces(t *testing.T) {
	r := Reader{File: "f.xml"}
	top := must.Get(r.Parse([]byte("<a>\n  <b x=\"1 2\" y=\"3\"/>\n  <c/><d/>\n  <c/>\n</a>"), nil))(t)
	var x, z float64
	b := r.Child(top, "b")
	r.Floats(b, "x", true, &x, &z)
	var got []string
	for _, n := range Unused(top) {
		got = append(got, n.String())
	}
	const want = "attribute y of <b> (line 2)|<c> (lines 3, 4)|<d> (line 3)"
	if g := strings.Join(got, "|"); g != want || x != 1 || z != 2 || r.Err() != nil {
		t.Errorf("got %q, %g, %g, %v, want %q, 1, 2", g, x, z, r.Err(), want)
	}
	inf := 0.0
	r.Bound(&Element{Attrs: []Attribute{{Name: "m", Value: "1e300"}}}, "m", 1, &inf)
	if !math.IsInf(inf, 1) || r.Err() != nil {
		t.Errorf("a limit of 1e300 is %g, %v, want infinite", inf, r.Err())
	}
}

// TestHostileFiles checks that files too deep or too large are refused, and that no more errors are kept than a reader
// can use.
func TestHostileFiles(t *testing.T) {
	for name, text := range map[string]string{
		"deep": strings.Repeat("<a>", MaxDepth+1),
		"many": "<a>" + strings.Repeat("<b/>", maxElements) + "</a>",
	} {
		r := Reader{File: "f.xml"}
		must.Refuse(r.Parse([]byte(text), nil))(t, "too many elements", name)
	}
	r := Reader{File: "f.xml"}
	for range 1000 {
		r.Fail(&Element{Name: "a", Place: Place{2, 3}}, "is wrong")
	}
	if got := strings.Split(r.Err().Error(), "\n"); len(got) != maxErrors || got[0] != "f.xml:2:3: <a>: is wrong" {
		t.Errorf("%d errors, the first %q; want %d", len(got), got[0], maxErrors)
	}
}
