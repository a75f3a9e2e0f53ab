package page

import (
	_ "embed"
	"html/template"

	"github.com/omnipitch/omnipitch/cmd/internal/plots"
	"github.com/omnipitch/omnipitch/physics/experiment"
)

var (
	//go:embed style.css
	style string
	//go:embed parts.html
	parts string
)

// New returns a page of a template's text, which may use the parts that all pages share, and the functions. It panics
// on what is no template.
func New(text string, functions template.FuncMap) *template.Template {
	shared := template.FuncMap{"style": func() template.CSS { return template.CSS(style) }}
	t := template.Must(template.New("parts").Funcs(shared).Parse(parts))
	return template.Must(t.New("page").Funcs(functions).Parse(text))
}

// Chart is a plot of a page.
type Chart struct {
	Title string
	SVG   template.HTML
}

// Charts draws plots for a page, whose titles the page shows.
func Charts(all []experiment.Plot) ([]Chart, error) {
	var charts []Chart
	for i := range all {
		p := all[i]
		svg, err := plots.SVG(&p)
		if err != nil {
			return nil, err
		}
		charts = append(charts, Chart{p.Title, template.HTML(svg)}) // drawn here, and its words escaped
	}
	return charts, nil
}
