// Package page draws plots as PNG and SVG, and builds the HTML pages of reports. Pages share one style, for light and
// dark screens and for paper. A page is one HTML file that needs no other file and no network.
//
// A page is a template that begins with {{template "head" TITLE}} and ends with {{template "foot"}}. {{template
// "charts" .Charts}} shows Charts:
//
//	var report = page.New(text, template.FuncMap{"seconds": seconds})
//	charts, err := page.Charts(plots)
//	err = report.Execute(w, data)
package page

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"html"
	"html/template"
	"image/color"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

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

// Size of a plot on a page, where two fit next to each other.
const (
	pagePlotWidth  = 4.6 * vg.Inch
	pagePlotHeight = 2.7 * vg.Inch
)

// SVG returns one plot for a page: an svg element with a transparent background, and with the legend below the plot.
// The page shows the plot's title. An ARIA label describes the plot to screen readers.
func SVG(p *experiment.Plot) ([]byte, error) {
	legend := newLegend(vg.Points(2))
	out, err := axes(p, &legend)
	if err != nil {
		return nil, err
	}
	out.BackgroundColor, out.Title.Text = color.Transparent, ""
	if !p.LogY && !p.Square && positive(p) {
		out.Y.Min = 0
		if out.Y.Max <= 0 { // all values are 0
			out.Y.Max = 1
		}
	}
	below := vg.Length(0)
	if len(p.Curves) > 1 {
		below = legend.Rectangle(draw.Canvas{}).Size().Y + gap
	}
	canvas := vgsvg.New(pagePlotWidth, pagePlotHeight+below)
	whole := draw.New(canvas)
	out.Draw(draw.Crop(whole, margin, -margin, below, -margin))
	if below > 0 {
		legend.Draw(draw.Crop(whole, 4*gap, 0, 0, below-whole.Max.Y-gap/2))
	}
	var text bytes.Buffer
	if _, err := canvas.WriteTo(&text); err != nil {
		return nil, err
	}
	_, svg, ok := bytes.Cut(text.Bytes(), []byte("<svg")) // without the XML header
	if !ok {
		return nil, nil
	}
	return append([]byte(`<svg role="img" aria-label="`+html.EscapeString(description(p))+`"`), svg...), nil
}

// description describes a plot in words.
func description(p *experiment.Plot) string {
	var names []string
	for _, c := range p.Curves {
		names = append(names, c.Name)
	}
	return strings.TrimPrefix(fmt.Sprintf("%s: %s over %s, of %s", p.Title, p.YLabel,
		cmp.Or(p.XLabel, strings.Join(p.Names, ", ")), strings.Join(names, ", ")), ": ")
}

// positive reports whether all values of p are at least 0.
func positive(p *experiment.Plot) bool {
	for _, c := range p.Curves {
		for _, y := range c.Y {
			if y < 0 {
				return false
			}
		}
	}
	return true
}
