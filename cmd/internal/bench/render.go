package bench

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/sensors/imaging"
	"github.com/omnipitch/omnipitch/worlds"
)

// Render measures the time that rendering an image takes.
type Render struct {
	Rounds   int      `default:"40" help:"Largest number of repetitions of an image; a slow one is drawn for three seconds."`
	Renderer []string `default:"all" placeholder:"NAME" help:"Renderers: opengl, tile, raycast or auto, separated by commas, or all. Default: ${default}."`
	Look     string   `default:"plain" enum:"plain,natural" placeholder:"LOOK" help:"Lighting: plain; or natural, each image alternating with the plain one. Default: ${default}."`
	Many     int      `placeholder:"N" help:"Measure N cameras at once, and ten times as many with small images, instead of single ones."`
	JSON     bool     `help:"Print one JSON object."`
}

// Check validates the flags.
func (c *Render) Check() error {
	err := atLeast1("--rounds", c.Rounds)
	if c.Many < 0 {
		err = cmp.Or(err, fmt.Errorf("--many = %d: must be at least 0", c.Many))
	}
	for _, name := range c.renderers() {
		err = cmp.Or(err, checkRenderer(name))
	}
	return err
}

// renderers returns the renderers that --renderer names.
func (c *Render) renderers() []string {
	switch {
	case len(c.Renderer) == 0: // the flag is given as --renderer=, without a name
		return []string{""}
	case slices.Equal(c.Renderer, []string{"all"}):
		return backend.Plain()
	}
	return c.Renderer
}

// Run measures and prints.
func (c *Render) Run(ctx context.Context, con console.Streams) error {
	report := newReport("render")
	attack, err := openStills("nubot-attack", withFaults)
	if err != nil {
		return err
	}
	ten, err := openStills("ten-robots")
	if err != nil {
		return err
	}
	floor, err := backend.NewOpenGL(attack.scene)
	if err != nil { // there is no OpenGL driver for the constant shader
		floor = nil
		fmt.Fprintf(con.Err, "no comparison with the shortest shader: %v\n", err)
	} else {
		defer floor.Close()
		driver, err := floor.Driver()
		if err != nil {
			return err
		}
		report.Machine += ", " + driver
	}
	if err := report.addRenderer(backend.Choose(backend.Auto, attack.scene)); err != nil {
		return err
	}
	for _, name := range c.renderers() {
		b := renderBench{ctx: ctx, report: report, rounds: c.Rounds, draws: backend.Choose(name, attack.scene),
			floor: floor}
		if c.Many > 0 {
			err = b.runMany(ten, c.Many, c.Look == worlds.LookNatural)
		} else {
			err = b.run(attack, ten, c.Look == worlds.LookNatural)
		}
		if err != nil {
			return err
		}
		fmt.Fprintf(con.Notes(), "%s: measured\n", b.draws.Name)
	}
	return report.print(con.Out, c.JSON)
}

// withFaults gives cyan1 two more mirror cameras. Each simulates a fault that is off by default: a Bayer pattern, or
// chromatic aberration.
func withFaults(w *worlds.World) {
	robot := &w.Robots[slices.IndexFunc(w.Robots, func(r worlds.Robot) bool { return r.Name == "cyan1" })]
	omni := robot.Sensors[slices.IndexFunc(robot.Sensors, func(c sensors.Config) bool { return c.Name == "omni" })]
	for _, x := range []struct {
		name string
		add  func(*imaging.Imager)
	}{{"bayer", func(i *imaging.Imager) { i.Bayer = true }},
		{"chromatic", func(i *imaging.Imager) { i.Chromatic = 2 }}} {
		imager := *omni.Imager
		x.add(&imager)
		with := omni
		with.Name, with.Imager = x.name, &imager
		robot.Sensors = append(robot.Sensors, with)
	}
}

// renderBench measures one renderer.
type renderBench struct {
	ctx    context.Context
	report *Report
	rounds int
	draws  backend.Choice
	floor  *backend.OpenGLRenderer // renderer for the constant shader; nil without an OpenGL driver
}

// picture is a row of the report: the image of one camera.
type picture struct {
	name, robot, sensor string
	level               abstraction.Level
	depthAlone          bool
}

var pictures = []picture{
	{name: "omni_640x640", robot: "cyan1", sensor: "omni", level: abstraction.Ideal},
	{name: "front_640x480", robot: "cyan1", sensor: "front", level: abstraction.Ideal},
	{name: "kinect_512x424", robot: "magenta1", sensor: "kinect_left", level: abstraction.Ideal},
	{name: "depth_512x424", robot: "magenta1", sensor: "kinect_left", level: abstraction.Ideal, depthAlone: true},
	{name: "omni_640x640", robot: "cyan1", sensor: "omni", level: abstraction.Raw},
	{name: "front_640x480", robot: "cyan1", sensor: "front", level: abstraction.Raw},
	{name: "kinect_512x424", robot: "magenta1", sensor: "kinect_left", level: abstraction.Raw},
}

// run measures all pictures. In natural light, each picture alternates with the same one in plain light.
func (b *renderBench) run(attack, ten *stills, natural bool) error {
	r, err := b.draws.New(attack.scene)
	if err != nil {
		return err
	}
	defer r.Close()
	lit, litRenderer := attack.natural(), r
	if natural {
		if litRenderer, err = b.draws.New(lit.scene); err != nil {
			return err
		}
		defer litRenderer.Close()
	}
	for _, p := range pictures {
		one := attack.of[stillOf{p.robot, p.sensor, p.level}]
		if p.depthAlone {
			one.Color = nil
		}
		switch draw := attack.draw(r, one); {
		case !natural:
			err = b.againstFloor(b.name(p.name, p.level), p.name, &one, draw)
		case !p.depthAlone:
			err = b.againstPlainLook(p.name, p.level, lit.draw(litRenderer, one), draw)
		}
		if err != nil {
			return err
		}
	}
	if natural {
		return b.tenMirrors(ten, natural)
	}
	plain := attack.of[stillOf{"cyan1", "omni", abstraction.Raw}]
	for _, fault := range []string{"bayer", "chromatic"} {
		with := attack.of[stillOf{"cyan1", fault, abstraction.Raw}]
		if err := b.againstPlain(b.name("omni_640x640_"+fault, abstraction.Raw), attack.draw(r, with),
			attack.draw(r, plain)); err != nil {
			return err
		}
	}
	if err := b.shadowless(attack); err != nil {
		return err
	}
	return b.tenMirrors(ten, natural)
}

// name returns a picture's name in the report. A name without a prefix means level ideal, and a name without a suffix
// means the renderer OpenGL.
func (b *renderBench) name(picture string, level abstraction.Level) string {
	if level == abstraction.Raw {
		return "raw_" + picture + "_" + b.draws.Name
	}
	if b.draws.Name == "opengl" {
		return picture
	}
	return picture + "_" + b.draws.Name
}

// againstFloor adds the time of an image, and the time of a shader that fills the same image with a constant.
func (b *renderBench) againstFloor(name, picture string, view *render.View, draw func() error) error {
	floor := func() error { return nil }
	if b.floor != nil {
		floor = func() error { return b.floor.Baseline(view) }
	}
	drawn, floors, err := inTurns(b.ctx, b.rounds, draw, floor)
	if err != nil {
		return err
	}
	if b.floor == nil {
		b.report.add(name, median(drawn.wall), "ms", len(drawn.wall))
	} else {
		b.report.compare("ms", name, "floor_of_"+picture, drawn.wall, floors.wall)
	}
	b.report.add(name+"_cpu", median(drawn.cpu), "ms", len(drawn.cpu))
	return nil
}

// againstPlain adds the time of an image that differs from the image raw_omni_640x640_RENDERER in one respect, and the
// ratio of the two times.
func (b *renderBench) againstPlain(name string, draw, plain func() error) error {
	drawn, plains, err := inTurns(b.ctx, b.rounds, draw, plain)
	if err == nil {
		b.report.compare("ms", name, b.name("omni_640x640", abstraction.Raw), drawn.wall, plains.wall)
	}
	return err
}

// shadowless measures images of a mirror camera without shadows.
func (b *renderBench) shadowless(s *stills) error {
	scene := *s.scene
	scene.Light.Shadowless = true
	r, err := b.draws.New(&scene)
	if err != nil {
		return err
	}
	defer r.Close()
	for _, level := range []abstraction.Level{abstraction.Ideal, abstraction.Raw} {
		one := s.of[stillOf{"cyan1", "omni", level}]
		if err := b.againstFloor(b.name("omni_640x640_shadowless", level), "omni_640x640", &one,
			s.draw(r, one)); err != nil {
			return err
		}
	}
	return nil
}

// tenMirrors measures the images of ten robots' mirror cameras, with as many renderers as a run has.
func (b *renderBench) tenMirrors(s *stills, natural bool) error {
	renderers, err := s.open(b.draws)
	if err != nil {
		return err
	}
	defer renderers.close()
	for _, level := range []abstraction.Level{abstraction.Ideal, abstraction.Raw} {
		var all []render.View
		for i := range s.world.Robots {
			all = append(all, s.of[stillOf{s.world.Robots[i].Name, "omni", level}])
		}
		draw := s.drawTogether(renderers, all)
		const picture = "ten_omni_640x640"
		if natural {
			lit := s.natural()
			litRenderers, err := lit.open(b.draws)
			if err != nil {
				return err
			}
			err = b.againstPlainLook(picture, level, lit.drawTogether(litRenderers, all), draw)
			litRenderers.close()
			if err != nil {
				return err
			}
			continue
		}
		name := b.name(picture, level)
		if err := b.againstFloor(name, "omni_640x640", &all[0], draw); err != nil {
			return err
		}
		b.report.add(name+"_rate", 1e3/b.report.value(name), "Hz", b.report.Results[len(b.report.Results)-1].N)
	}
	return nil
}

// natural returns the same images in natural light.
func (s *stills) natural() *stills {
	scene := *s.scene
	scene.Natural = true
	other := *s
	other.scene = &scene
	return &other
}

// againstPlainLook adds the time of an image in natural light and the time of the same image in plain light.
func (b *renderBench) againstPlainLook(picture string, level abstraction.Level, natural, plain func() error) error {
	lit, plains, err := inTurns(b.ctx, b.rounds, natural, plain)
	if err != nil {
		return err
	}
	name := b.name(picture, level)
	b.report.compare("ms", "natural_"+name, name, lit.wall, plains.wall)
	b.report.compare("ms", "natural_"+name+"_cpu", name+"_cpu", lit.cpu, plains.cpu)
	return nil
}
