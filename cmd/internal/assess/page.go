package assess

import (
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"
	"time"

	"github.com/omnipitch/omnipitch/cmd/internal/page"
	"github.com/omnipitch/omnipitch/worlds/expectation"
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
	"rate": written("%.3f", 1),
	"count": func(n int) string {
		if n == 0 {
			return dash
		}
		return fmt.Sprint(n)
	},
})

// pageData is the data of the page template.
type pageData struct {
	Title, Sensor, Level, Sim, Visible, Range, Gate string
	Stopped, Nothing, Tour                          string
	Seed                                            uint64
	Frames, Judged, Failed, LeftOut                 int
	Verdicts                                        []expectation.Verdict
	Topics                                          []pageTopic
	Channels                                        []pageChannel
	Worst                                           []pageFrame
}

type pageTopic struct {
	Name, Type, Rate, Delay, DelayP95, Problem string
	Messages, LeftOut, Answered                int
}

type pageChannel struct {
	Channel
	Title    string
	Map      template.HTML
	MapScale string
	Charts   []page.Chart
}

type pageFrame struct {
	Stamp         string
	Picture, Plan template.HTML
	Words         []string
}

// WritePage writes an HTML page that needs no other file.
func (r *Result) WritePage(w io.Writer) error {
	d := pageData{
		Title: fmt.Sprintf("Vision of %s in %s", r.Config.Robot, r.World.Name), Sensor: r.Config.Sensor,
		Level: cmp.Or(r.Level, noLevel), Sim: seconds(r.Sim), Seed: r.World.Seed,
		Visible: fmt.Sprintf("%.0f %%", 100*r.Config.Visible), Range: fmt.Sprintf("%.4g m", r.Config.Range),
		Gate: fmt.Sprintf("%.4g m", r.Config.Gate), Stopped: r.Stopped,
		Nothing: r.Nothing(), Frames: r.Frames, Judged: r.Judged, Failed: len(r.Failed()), LeftOut: r.LeftOut,
		Verdicts: r.Verdicts,
	}
	if r.Tour != "" {
		d.Tour = fmt.Sprintf("%d scenes of tour %s", r.Scenes, r.Tour)
	}
	for i := range r.Topics {
		t := &r.Topics[i]
		delay, ms, hz := t.Delay(), written("%.0f ms", 1e3), written("%.3g Hz", 1)
		d.Topics = append(d.Topics, pageTopic{r.Config.Topics[i].Name, cmp.Or(t.Type, "nothing came"), hz(t.Rate()),
			ms(delay.Median), ms(delay.P95), t.Problem,
			t.Messages, t.Unread + t.Untimely + t.NotNumbers, t.Answered})
	}
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
		p := pageFrame{Stamp: seconds(f.Stamp), Picture: picture, Words: f.words()}
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

func seconds(d time.Duration) string { return fmt.Sprintf("%.3f s", d.Seconds()) }
