package reproduce

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"

	"github.com/omnipitch/omnipitch/cmd/internal/page"
)

//go:embed page.html
var pageText string

var report = page.New(pageText, template.FuncMap{
	"charts":  func(d *Done) ([]page.Chart, error) { return page.Charts(d.Plots) },
	"verdict": Finding.verdict,
	"seconds": func(s float64) string { return fmt.Sprintf("%.0f s", s) },
})

// WritePage writes the report as an HTML page that needs no other file.
func (r *Report) WritePage(w io.Writer) error {
	return report.Execute(w, struct {
		*Report
		Reproduced, Better, Differs int
	}{r, r.Count(Reproduced), r.Count(Better), r.Count(Differs)})
}
