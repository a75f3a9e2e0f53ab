package assess

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/omnipitch/omnipitch/cmd/internal/page"
	"github.com/omnipitch/omnipitch/physics/experiment"
)

//go:embed page.html
var pageText string

// dash means unknown.
const dash = "–"

// written returns a template function that formats figures.
func written(format string, unit float64) func(Figure) string {
	return func(f Figure) string {
		if !f.Known() {
			return dash
		}
		text := fmt.Sprintf(format, unit*float64(f))
		if strings.Trim(text, "-0. °%cm") == "" {
			text = strings.TrimPrefix(text, "-") // of a value rounded to 0
		}
		return text
	}
}

var resultPage = page.New(pageText, template.FuncMap{
	"cm": written("%.1f cm", 100), "deg": written("%.2f°", degrees), "percent": written("%.1f %%", 100),
	"rate": written("%.3f", 1), "hz": written("%.3g Hz", 1), "ms": written("%.0f ms", 1e3),
	"seconds":   func(d time.Duration) string { return fmt.Sprintf("%.3f s", d.Seconds()) },
	"percentOf": func(x float64) string { return fmt.Sprintf("%.0f %%", 100*x) },
	"metres":    func(x float64) string { return fmt.Sprintf("%.4g m", x) },
	"count": func(n int) string {
		if n == 0 {
			return dash
		}
		return fmt.Sprint(n)
	},
})

// pageData is the data of the page template.
type pageData struct {
	*Result
	Title    string
	Topics   []topicJSON
	Channels []pageChannel
	Worst    []pageFrame
}

type pageChannel struct {
	Channel
	Title    string
	Map      template.HTML
	MapScale string
	Charts   []page.Chart
}

type pageFrame struct {
	*WorstFrame
	Picture, Plan template.HTML
	Words         []string
}

// WritePage writes an HTML page that needs no other file.
func (r *Result) WritePage(w io.Writer) error {
	d := pageData{Result: r, Title: fmt.Sprintf("Vision of %s in %s", r.Config.Robot, r.World.Name), Topics: r.topics()}
	for i := range r.Channels {
		c := pageChannel{Channel: r.Channels[i], Title: map[Kind]string{Self: "Where the robot believes to be",
			Ball: "Ball", Obstacles: "Obstacles"}[r.Channels[i].Kind]}
		var err error
		if c.Charts, err = c.charts(); err != nil {
			return err
		}
		if c.Kind == Self {
			c.Map, c.MapScale = r.fieldMap(c.Topic)
		}
		d.Channels = append(d.Channels, c)
	}
	for i := range r.Worst {
		f := &r.Worst[i]
		picture, err := f.picture(&r.World.Field.Field)
		if err != nil {
			return err
		}
		p := pageFrame{WorstFrame: f, Picture: picture, Words: f.words()}
		if f.aboutThings() {
			p.Plan = f.plan(min(r.Config.Range, 10) + 0.5)
		}
		d.Worst = append(d.Worst, p)
	}
	return resultPage.Execute(w, d)
}

// aboutThings reports whether the vision reports anything but the robot's own pose.
func (f *WorstFrame) aboutThings() bool {
	for i := range f.Samples {
		if f.Samples[i].Kind != Self {
			return true
		}
	}
	return f.seen == nil
}

// mostTicks is the largest number of bin labels on an axis. More labels would overlap.
const mostTicks = 6

// charts plots the channel's errors and misses over each axis with at least two bins.
func (c *Channel) charts() ([]page.Chart, error) {
	var all []experiment.Plot
	for i := range c.Axes {
		x := &c.Axes[i]
		if len(x.Bins) < 2 {
			continue
		}
		label := x.Name + ", " + x.Unit
		errs := experiment.Plot{Title: fmt.Sprintf("Error of %s over %s", c.Kind.words(), x.Name), XLabel: label,
			YLabel: "cm", Names: x.ticks()}
		for _, q := range []struct {
			name string
			of   func(g *Group) Figure
		}{
			{"95 % within", func(g *Group) Figure { return g.Position.P95 }},
			{"median", func(g *Group) Figure { return g.Position.Median }},
			{biasName(c.Kind), func(g *Group) Figure { return g.Along.Mean }},
		} {
			errs.Curves = append(errs.Curves, x.curve(q.name, 100, q.of))
		}
		if anyKnown(errs.Curves) {
			all = append(all, errs)
		}
		misses := experiment.Plot{Title: fmt.Sprintf("Misses of %s over %s", c.Kind.words(), x.Name), XLabel: label,
			YLabel: "%", Names: x.ticks()}
		if misses.Curves = []experiment.Curve{x.curve("missed", 100,
			func(g *Group) Figure { return g.MissRate })}; c.Kind != Self && anyKnown(misses.Curves) {
			all = append(all, misses)
		}
	}
	return page.Charts(all)
}

// words returns a kind's name in a sentence.
func (k Kind) words() string {
	switch k {
	case Self:
		return "the robot's own position"
	case Ball:
		return "the ball"
	}
	return string(k)
}

// biasName returns a description of the mean error Group.Along for things of a kind.
func biasName(k Kind) string {
	if k == Self {
		return "mean, along its heading"
	}
	return "mean, of the distance"
}

// ticks returns labels of the bins: their intervals, or their centres if the axis has negative values. If there are
// many bins, only some have labels.
func (x *Axis) ticks() []string {
	every := (len(x.Bins) + mostTicks - 1) / mostTicks
	names := make([]string, len(x.Bins))
	for i := range x.Bins {
		switch b := &x.Bins[i]; {
		case i%every != 0:
		case x.Bins[0].From < 0: // an interval with minus signs would be hard to read
			names[i] = fmt.Sprintf("%.4g", (b.From+b.To)/2)
		default:
			names[i] = fmt.Sprintf("%.4g–%.4g", b.From, b.To)
		}
	}
	return names
}

// curve returns a curve of a quantity over the bins.
func (x *Axis) curve(name string, unit float64, of func(g *Group) Figure) experiment.Curve {
	c := experiment.Curve{Name: name}
	for i := range x.Bins {
		y := math.NaN()
		if f := of(&x.Bins[i].Group); f.Known() {
			y = unit * float64(f)
		}
		c.Add(float64(i), y)
	}
	return c
}

func anyKnown(all []experiment.Curve) bool {
	return slices.ContainsFunc(all, func(c experiment.Curve) bool {
		return slices.ContainsFunc(c.Y, func(y float64) bool { return !math.IsNaN(y) })
	})
}
