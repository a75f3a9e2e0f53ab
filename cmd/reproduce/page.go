package reproduce

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"

	"github.com/omnipitch/omnipitch/cmd/plots"
)

//go:embed page.html
var pageText string

var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"svg": func(d *Done, i int) (template.HTML, error) {
		svg, err := plots.SVG(&d.Plots[i])
		return template.HTML(svg), err
	},
	"verdict": Finding.verdict,
	"seconds": func(s float64) string { return fmt.Sprintf("%.0f s", s) },
}).Parse(pageText))

// WritePage writes the report as a page of HTML that needs no other file.
func (r *Report) WritePage(w io.Writer) error {
	return page.Execute(w, struct {
		*Report
		Reproduced, Better, Differs int
	}{r, r.Count(Reproduced), r.Count(Better), r.Count(Differs)})
}
