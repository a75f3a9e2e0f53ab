package assess

import (
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/omnipitch/omnipitch/cmd/internal/page"
)

//go:embed photographs.html
var photographsText string

var photographsPage = page.New(photographsText, template.FuncMap{
	"percent": written("%.1f %%", 100), "rate": written("%.3f", 1),
	"rates": func() []float64 { return falseRates },
	"color": func(of string) template.CSS {
		return template.CSS(map[string]string{"truth": truthColor, "belief": beliefColor, "miss": missColor,
			"false": falseColor}[of])
	},
})

// worstPhotograph is a photograph of the page.
type worstPhotograph struct {
	*Photograph
	Missed, False int
	Picture       template.HTML
	samples       []*BoxSample
}

// WritePage writes an HTML page that needs no other file, with the photographs that have the most errors.
func (r *BoxResult) WritePage(w io.Writer) error {
	all := make([]worstPhotograph, len(r.all))
	for i := range r.samples {
		s := &r.samples[i]
		p := &all[s.Photograph]
		switch {
		case s.Outcome == Miss, s.Outcome == Hit && !s.Counts:
			p.Missed++
		case s.Outcome == False && s.Counts:
			p.False++
		case s.Outcome == False:
			continue
		}
		p.samples = append(p.samples, s)
	}
	for i := range all {
		all[i].Photograph = &r.all[i]
	}
	slices.SortStableFunc(all, func(a, b worstPhotograph) int { return b.Missed + b.False - a.Missed - a.False })
	d := struct {
		*BoxResult
		Worst []worstPhotograph
	}{BoxResult: r}
	for _, p := range all[:min(len(all), mostWorst)] {
		if p.Missed+p.False == 0 {
			break
		}
		if err := p.draw(r.names()); err != nil {
			return err
		}
		d.Worst = append(d.Worst, p)
	}
	return photographsPage.Execute(w, d)
}

// names returns the name of each class.
func (r *BoxResult) names() map[int]string {
	names := map[int]string{}
	for i := range r.Classes {
		names[r.Classes[i].Class] = r.Classes[i].Name
	}
	return names
}

// draw draws the boxes of a photograph into it.
func (p *worstPhotograph) draw(names map[int]string) error {
	data, err := os.ReadFile(p.path)
	if err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="frame" viewBox="0 0 %d %d" xmlns="http://www.w3.org/2000/svg">`+
		`<image width="%d" height="%d" href="data:%s;base64,%s"/>`, p.Width, p.Height, p.Width, p.Height,
		http.DetectContentType(data), base64.StdEncoding.EncodeToString(data))
	box := func(x Box, color, format string, values ...any) {
		fmt.Fprintf(&b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="none" stroke="%s" stroke-width="%.2g">`+
			`<title>%s</title></rect>`, x.X, x.Y, x.Width, x.Height, color, 2*float64(p.Width)/640,
			template.HTMLEscapeString(fmt.Sprintf(format, values...)))
	}
	for _, s := range p.samples {
		name := names[s.class()]
		switch {
		case s.Outcome == False:
			box(s.Found, falseColor, "no %s: %.2f", name, s.Found.Confidence)
		case s.Outcome == Hit && s.Counts:
			box(s.Label, truthColor, "%s", name)
			box(s.Found, beliefColor, "%s: %.2f", name, s.Found.Confidence)
		default:
			box(s.Label, missColor, "missed %s", name)
		}
	}
	b.WriteString("</svg>")
	p.Picture = template.HTML(b.String())
	return nil
}
