package page

import (
	"html/template"
	"regexp"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/physics/experiment"
)

// A page has its title, the shared parts and its plots, with texts escaped. It loads nothing from the network.
func TestPage(t *testing.T) {
	charts, err := Charts([]experiment.Plot{{Name: "p", Title: "a < b", XLabel: "x", YLabel: "y",
		Curves: []experiment.Curve{{Name: "<c>", X: []float64{0, 1}, Y: []float64{1, 2}},
			{Name: "d", X: []float64{0, 1}, Y: []float64{1, 2}}}}})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	err = New(`{{template "head" "one & two"}}{{twice .}}{{template "charts" .}}{{template "foot"}}`,
		template.FuncMap{"twice": func(c []Chart) int { return 2 * len(c) }}).Execute(&out, charts)
	if err != nil {
		t.Fatal(err)
	}
	text := out.String()
	for _, want := range []string{"<!doctype html>", "<title>one &amp; two</title>", "prefers-color-scheme: dark",
		"@media print", "\n2<div", "<figcaption>a &lt; b</figcaption>",
		`aria-label="a &lt; b: y over x, of &lt;c&gt;, d"`, "&lt;c&gt;<", "</main>\n</body>\n</html>\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	for _, bad := range []string{"<c>", "ZgotmplZ", "src=", "url(", "@import", "<script"} {
		if strings.Contains(text, bad) {
			t.Errorf("the page contains %s", bad)
		}
	}
	if at := regexp.MustCompile(`https?://[^"]*`).FindAllString(text, -1); strings.Join(at,
		" ") != "http://www.w3.org/2000/svg http://www.w3.org/1999/xlink" {
		t.Errorf("the page contains the URLs %v", at)
	}
}
