package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/omnipitch/omnipitch/cmd/internal/colortable"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/physics/experiment"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/calibration"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/sensors/imaging"
	"github.com/omnipitch/omnipitch/worlds"
)

// Colors measures how well a colour table that was made in one light, or in varied light, classifies images in other
// lights.
type Colors struct {
	World     string `default:"nubot-attack" placeholder:"WORLD" help:"Name of a shipped world, or a path. Default: ${default}."`
	Camera    string `default:"cyan1.omni" placeholder:"ROBOT.SENSOR" help:"Camera, whose images are reduced to a width of 240 pixels. Default: ${default}."`
	Varied    int    `default:"16" placeholder:"N" help:"Number of lights of the world varied-light in which the varied table's 16 images are drawn. Default: ${default}."`
	Automatic bool   `help:"Give the camera automatic exposure and white balance."`
	plotFlag
	JSON bool `help:"Print one JSON object."`
}

// Check validates the flags.
func (c *Colors) Check() error {
	switch most := colortable.Learned.N; {
	case c.World == "":
		return errors.New(`--world = "": must name a world`)
	case c.Varied < 1 || c.Varied > most:
		return fmt.Errorf("--varied = %d: must lie in [1, %d]", c.Varied, most)
	}
	return nil
}

// hallLight is the lighting of a hall, in which tables are made and tested.
type hallLight struct {
	name   string
	change func(*worlds.World) // applies the light to a world
}

// hallLights are different halls, and one hall at different hours. The lights of the world varied-light lie around
// these lights, but none is equal to any of them.
var hallLights = []hallLight{
	{"own", func(*worlds.World) {}},
	{"evening", lit(func(l *render.Lighting) {
		l.Lamp, l.LampTemperature, l.Ambient, l.AmbientTemperature = 0.4, 3000, 0.4, 3000
	})},
	{"daylight", lit(func(l *render.Lighting) {
		l.Lamp, l.Ambient, l.AmbientTemperature = 0.2, 2, 7500
	})},
	{"spots", lit(func(l *render.Lighting) {
		l.Lamp, l.Ambient = 0.3, 0.3
		for _, x := range []float64{-6, 0, 6} {
			l.Spots = append(l.Spots, render.Spot{X: x, Y: x / 3, Z: 5, Amount: 1, Temperature: 4000})
		}
	})},
	{"worn", func(w *worlds.World) {
		w.Hall.Wear, w.Hall.Roll, w.Hall.Seams, w.Hall.LineWear = 0.5, 2, 0.7, 0.7
	}},
}

// lit returns a function that gives a world the light of a common hall and then calls change to modify that light.
func lit(change func(*render.Lighting)) func(*worlds.World) {
	return func(w *worlds.World) {
		w.Light = render.DefaultLighting()
		change(&w.Light)
	}
}

// variedWorld is the world in whose light the table for varied light is made. Its light differs with each seed.
const variedWorld = "varied-light"

// colorTest is a table's name and its results, by the light of the test images.
type colorTest struct {
	madeIn string
	judged []*calibration.Confusion
}

// Run measures and prints.
func (c *Colors) Run(ctx context.Context, con console.Streams) error {
	if err := c.plotFlag.check(); err != nil {
		return err
	}
	w, err := c.load()
	if err != nil {
		return err
	}
	status := console.NewStatus(con, w.Name)
	defer status.Close()
	tests, err := c.measure(ctx, w, status.Set)
	if err != nil {
		return err
	}
	status.Close() // close the status line before anything is printed
	report := newReport("colors")
	report.addColors(c.prefix(), tests)
	if err := c.plotFlag.write(colorPlots(c.prefix(), tests)); err != nil {
		return err
	}
	if c.JSON {
		return report.print(con.Out, true)
	}
	return printColors(con.Out, tests)
}

// load returns the world, with the measured camera configured for the measurement.
func (c *Colors) load() (*worlds.World, error) {
	w, err := worlds.Load(c.World)
	if err != nil {
		return nil, console.BadInput(err)
	}
	robot, sensor := c.camera()
	cfg, ok := w.Sensor(robot, sensor)
	if !ok || !cfg.Kind.TakesImages() {
		return nil, console.BadInputf("--camera = %q: must be a camera of %s, as cyan1.omni", c.Camera, c.World)
	}
	reduce(cfg)
	if c.Automatic {
		cfg.AutoExposure, cfg.AutoWhiteBalance = new(imaging.AutoExposure), new(imaging.AutoWhiteBalance)
		cfg.AutoExposure.SetDefaults()
		cfg.AutoWhiteBalance.SetDefaults()
	}
	return w, nil
}

// reduce reduces the size of a camera's images, with the same field of view, unless its model is given in pixels.
func reduce(cfg *sensors.Config) {
	const width = 240
	m := cfg.Mirror
	if cfg.Image.Width <= width || cfg.Lens != nil || m != nil && (m.B != 0 || m.Scale != 0) {
		return
	}
	image := *cfg.Image
	image.Width, image.Height = width, cfg.Image.Height*width/cfg.Image.Width
	cfg.Image = &image
}

// prefix returns the prefix of result names.
func (c *Colors) prefix() string {
	if c.Automatic {
		return "automatic_"
	}
	return ""
}

// measure makes a table in each light, and one table from as many images in varied light. It tests every table in every
// light, with the same images.
func (c *Colors) measure(ctx context.Context, w *worlds.World, status func(string)) ([]colorTest, error) {
	var made, seen []*calibration.ColorHistogram
	for _, l := range hallLights {
		learn, judge := new(calibration.ColorHistogram), new(calibration.ColorHistogram)
		err := c.draw(w, l.change, func(text string) { status(l.name + ": " + text) },
			func(d *colortable.Drawing) error {
				if err := d.Count(ctx, colortable.Learned, learn); err != nil {
					return err
				}
				return d.Count(ctx, colortable.Judged, judge)
			})
		if err == nil {
			err = colortable.CheckSeen(learn, colortable.Learned.N, calibration.BallColor, calibration.GreenColor)
		}
		if errors.Is(err, colortable.ErrUnseen) {
			return nil, console.BadInputf("--camera = %q: %w", c.Camera, err)
		}
		if err != nil {
			return nil, err
		}
		made, seen = append(made, learn), append(seen, judge)
	}
	varied, err := c.countVaried(ctx, w, status)
	if err != nil {
		return nil, err
	}
	robot, sensor := c.camera()
	cfg, _ := w.Sensor(robot, sensor)
	space := colortable.Space(cfg)
	var tests []colorTest
	for i, h := range append(made, varied) {
		t := colorTest{madeIn: "varied"}
		if i < len(hallLights) {
			t.madeIn = hallLights[i].name
		}
		table := h.Table(space)
		for _, in := range seen {
			t.judged = append(t.judged, in.Judge(table))
		}
		tests = append(tests, t)
	}
	return tests, nil
}

// countVaried counts the colours of images in the lights that the world varied-light has with the seeds 1, 2 and so on.
func (c *Colors) countVaried(ctx context.Context, w *worlds.World, status func(string)) (*calibration.ColorHistogram,
	error) {
	lights, err := worlds.Load(variedWorld)
	if err != nil {
		return nil, err
	}
	h := new(calibration.ColorHistogram)
	for i := range c.Varied {
		drawn, err := lights.WithSeed(uint64(i) + 1)
		if err != nil {
			return nil, err
		}
		first, next := i*colortable.Learned.N/c.Varied, (i+1)*colortable.Learned.N/c.Varied
		share := colortable.Images{First: colortable.Learned.First + first, N: next - first}
		tell := func(text string) { status(fmt.Sprintf("varied, light %d of %d: %s", i+1, c.Varied, text)) }
		err = c.draw(w, func(w *worlds.World) { w.Light = drawn.Light }, tell, func(d *colortable.Drawing) error {
			return d.Count(ctx, share, h)
		})
		if err != nil {
			return nil, err
		}
	}
	return h, nil
}

// draw opens a Drawing of the world in the light that the function change sets, and passes it to f.
func (c *Colors) draw(w *worlds.World, change func(*worlds.World), status func(string),
	f func(*colortable.Drawing) error) error {
	other := *w
	change(&other)
	robot, sensor := c.camera()
	d, err := colortable.Open(&other, robot, sensor, status)
	if err != nil {
		return err
	}
	defer d.Close()
	return f(d)
}

// camera returns the names of the robot and the sensor of the measured camera.
func (c *Colors) camera() (robot, sensor string) {
	robot, sensor, _ = strings.Cut(c.Camera, ".")
	return robot, sensor
}

// colorFigures are the figures derived from a Confusion.
var colorFigures = []struct {
	name, title string
	of          func(*calibration.Confusion) float64
}{
	{"right", "pixels called what they show, in the mean of ball, black, carpet, other and lines",
		(*calibration.Confusion).Balanced},
	{"ball", "the ball's pixels that are found", found(calibration.BallColor)},
	{"ball_precision", "of what is called the ball, what shows it",
		func(c *calibration.Confusion) float64 { return c.Precision(calibration.BallColor) }},
	{"black", "pixels of black robots and obstacles that are found", found(calibration.BlackColor)},
	{"carpet", "the carpet's pixels that are found", found(calibration.GreenColor)},
}

// found returns a function that computes the recall of a class: the fraction of the class's pixels that a table
// classifies as that class.
func found(class calibration.ColorClass) func(*calibration.Confusion) float64 {
	return func(c *calibration.Confusion) float64 { return c.Share(int(class), class) }
}

// addColors adds every figure of every table in every light, in per cent.
func (r *Report) addColors(prefix string, tests []colorTest) {
	for _, t := range tests {
		for i, in := range hallLights {
			for _, f := range colorFigures {
				r.add(fmt.Sprintf("%smade_in_%s_judged_in_%s_%s", prefix, t.madeIn, in.name, f.name),
					100*f.of(t.judged[i]), "%", colortable.Judged.N)
			}
		}
	}
}

// colorPlots plots each figure over the light of the test images, one curve per table.
func colorPlots(prefix string, tests []colorTest) (all []experiment.Plot) {
	for _, f := range colorFigures {
		p := experiment.Plot{Name: "colors-" + prefix + f.name, Title: f.title, XLabel: "judged in", YLabel: "%"}
		for _, in := range hallLights {
			p.Names = append(p.Names, in.name)
		}
		for _, t := range tests {
			curve := experiment.Curve{Name: "made in " + t.madeIn}
			for i := range hallLights {
				curve.Add(float64(i), 100*f.of(t.judged[i]))
			}
			p.Curves = append(p.Curves, curve)
		}
		all = append(all, p)
	}
	return all
}

// printColors prints a table of numbers for each figure. A row stands for the light in which a colour table was made, a
// column for the light of the test images.
func printColors(out io.Writer, tests []colorTest) error {
	for _, f := range colorFigures {
		fmt.Fprintf(out, "%s, %%\n", f.title)
		tw := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
		fmt.Fprint(tw, "made in\t")
		for _, in := range hallLights {
			fmt.Fprintf(tw, "%s\t", in.name)
		}
		fmt.Fprintln(tw, "worst\t")
		for _, t := range tests {
			fmt.Fprintf(tw, "%s\t", t.madeIn)
			worst := 100.0
			for i := range hallLights {
				percent := 100 * f.of(t.judged[i])
				worst = min(worst, percent)
				fmt.Fprintf(tw, "%.1f\t", percent)
			}
			fmt.Fprintf(tw, "%.1f\t\n", worst)
		}
		if err := tw.Flush(); err != nil {
			return err
		}
	}
	return nil
}
