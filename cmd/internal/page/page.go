package page

import (
	_ "embed"
	"html/template"

	"github.com/omnipitch/omnipitch/physics/experiment"
)

var (
	//go:embed style.css
	style string
	//go:embed parts.html
	parts string
)

// New parses a page template, which may use the shared parts and the given functions. It panics if text is not a valid
// template.
func New(text string, functions template.FuncMap) *template.Template {
	shared := template.FuncMap{"style": func() template.CSS { return template.CSS(style) }}
	t := template.Must(template.New("parts").Funcs(shared).Parse(parts))
	return template.Must(t.New("page").Funcs(functions).Parse(text))
}

// Chart is a plot on a page.
type Chart struct {
	Title string
	SVG   template.HTML
}

// Charts draws plots for a page. The page shows their titles.
func Charts(all []experiment.Plot) ([]Chart, error) {
	var charts []Chart
	for i := range all {
		p := all[i]
		svg, err := SVG(&p)
		if err != nil {
			return nil, err
		}
		charts = append(charts, Chart{p.Title, template.HTML(svg)}) // the SVG is ours, and its texts are escaped
	}
	return charts, nil
}
