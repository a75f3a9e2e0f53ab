package bench

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/omnipitch/omnipitch/render/backend"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/cmd/console"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/gl"
	"github.com/omnipitch/omnipitch/worlds"
)

// Render measures how long images take.
type Render struct {
	Rounds int  `default:"40" help:"How often each picture is drawn."`
	JSON   bool `help:"Print one JSON object."`
}

// Check judges the flags.
func (c *Render) Check() error { return atLeast1("--rounds", c.Rounds) }

// Run measures and prints.
func (c *Render) Run(ctx context.Context, con console.Streams) error {
	report := newReport("render")
	for _, s := range []struct {
		world string
		bench func(*tap, *Report, int) error
	}{{"nubot-attack", benchCameras}, {"ten-robots", benchTenMirrors}} {
		if err := withTap(s.world, func(t *tap) error { return s.bench(t, report, c.Rounds) }); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return errInterrupted
		}
	}
	return report.print(con.Out, c.JSON)
}

// benchCameras measures the cameras of one scene against the floor of their own images.
func benchCameras(t *tap, report *Report, rounds int) error {
	driver, err := t.Driver()
	if err != nil {
		return err
	}
	report.Machine += ", " + driver
	omni, front, kinect := t.views["cyan1.omni"], t.views["cyan1.front"], t.views["magenta1.kinect_left"]
	depth := kinect
	depth.Color = nil
	for _, x := range []struct {
		name string
		view render.View
	}{{"omni_640x640", omni}, {"front_640x480", front}, {"kinect_512x424", kinect}, {"depth_512x424", depth}} {
		frame := &render.Batch{PosesWB: t.posesWB, Views: []render.View{x.view}}
		err := report.inTurns(x.name, "floor_of_"+x.name, rounds, func() error { return t.Render(frame) }, func() error { return t.Baseline(&x.view) })
		if err != nil {
			return err
		}
	}
	if err := benchShadowless(t, report, rounds); err != nil {
		return err
	}
	return benchRays(t, report, rounds)
}

// benchShadowless measures a mirror camera where lamps cast no shadows.
func benchShadowless(t *tap, report *Report, rounds int) error {
	scene := *t.scene
	scene.Light.Shadowless = true
	r, err := gl.New(&scene)
	if err != nil {
		return err
	}
	defer r.Close()
	view := t.views["cyan1.omni"]
	frame := &render.Batch{PosesWB: t.posesWB, Views: []render.View{view}}
	return report.inTurns("omni_640x640_shadowless", "floor_of_omni_640x640", rounds, func() error { return r.Render(frame) }, func() error { return r.Baseline(&view) })
}

// benchRays measures the ray caster against OpenGL.
func benchRays(t *tap, report *Report, rounds int) error {
	rays, err := backend.RayCaster(t.scene)
	if err != nil {
		return err
	}
	defer rays.Close()
	for _, x := range []struct{ name, camera string }{{"omni_640x640", "cyan1.omni"}, {"front_640x480", "cyan1.front"}} {
		frame := &render.Batch{PosesWB: t.posesWB, Views: []render.View{t.views[x.camera]}}
		err := report.inTurns(x.name+"_raycast", x.name+"_opengl", rounds, func() error { return rays.Render(frame) }, func() error { return t.Render(frame) })
		if err != nil {
			return err
		}
	}
	return nil
}

// benchTenMirrors measures ten robots' mirror cameras, drawn by as many renderers as a run has, each its share.
func benchTenMirrors(t *tap, report *Report, rounds int) error {
	second, err := gl.New(t.scene)
	if err != nil {
		return err
	}
	defer second.Close()
	renderers := []*gl.Renderer{t.Renderer, second}
	frames := make([]render.Batch, len(renderers))
	for i, name := range slices.Sorted(maps.Keys(t.views)) {
		f := &frames[i%len(frames)]
		f.PosesWB, f.Views = t.posesWB, append(f.Views, t.views[name])
	}
	all := func() error {
		errs := make([]error, len(frames))
		var drawing sync.WaitGroup
		for i := range frames {
			drawing.Go(func() { errs[i] = renderers[i].Render(&frames[i]) })
		}
		drawing.Wait()
		return errors.Join(errs...)
	}
	times, bases, err := inTurns(rounds, all, func() error { return t.Baseline(&frames[0].Views[0]) })
	if err != nil {
		return err
	}
	report.compare("ms", "ten_omni_640x640", "floor_of_omni_640x640", times, bases)
	report.add("ten_omni_640x640_rate", 1e3/median(times), "Hz", rounds)
	return nil
}

// inTurns adds how long two things take that are done in turns.
func (r *Report) inTurns(name, base string, rounds int, a, b func() error) error {
	times, bases, err := inTurns(rounds, a, b)
	if err == nil {
		r.compare("ms", name, base, times, bases)
	}
	return err
}

// inTurns returns how long two things take that are done in turns, in ms, after a round that warms them up.
func inTurns(rounds int, a, b func() error) (msA, msB []float64, err error) {
	timed := func(f func() error) float64 {
		begun := time.Now()
		err = errors.Join(err, f())
		return time.Since(begun).Seconds() * 1e3
	}
	for range rounds + 1 {
		if msA, msB = append(msA, timed(a)), append(msB, timed(b)); err != nil {
			return nil, nil, err
		}
	}
	return msA[1:], msB[1:], nil
}

// tap keeps a renderer of a world, and what the world's cameras have drawn with it at the start.
type tap struct {
	*gl.Renderer
	scene   *render.Scene
	posesWB []spatial.Pose
	views   map[string]render.View // by ROBOT.SENSOR
	last    *render.Batch
}

// tapped is a renderer that shows its frames to a tap.
type tapped struct {
	*gl.Renderer
	tap *tap
}

func (t tapped) Render(f *render.Batch) error {
	t.tap.last = f
	return t.Renderer.Render(f)
}

// withTap opens a world, captures every camera that starts at a rendered level, and calls f.
func withTap(world string, f func(*tap) error) error {
	w, err := worlds.Load(world)
	if err != nil {
		return err
	}
	t := &tap{views: map[string]render.View{}}
	sim, err := omnipitch.New(w, omnipitch.Options{NewRenderer: func(s *render.Scene) (render.Renderer, error) {
		r, err := gl.New(s)
		if t.Renderer == nil {
			t.Renderer, t.scene = r, s
		}
		return tapped{r, t}, err
	}})
	if err != nil {
		return err
	}
	defer sim.Close()
	for i := range w.Robots {
		robot := &w.Robots[i]
		for j := range robot.Sensors {
			sensor := &robot.Sensors[j]
			if _, ok := sim.Camera(robot.Name, sensor.Name); !ok || !sensor.Level.Rendered() {
				continue
			}
			if _, err := sim.Capture(robot.Name, sensor.Name, abstraction.Ideal); err != nil {
				return err // the observation is never released, so that its images stay ours
			}
			t.posesWB, t.views[robot.Name+"."+sensor.Name] = t.last.PosesWB, t.last.Views[0]
		}
	}
	return f(t)
}
