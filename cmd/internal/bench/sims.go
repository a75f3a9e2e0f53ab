package bench

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/cmd/internal/bench/rospeer"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/robotio"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/sensors/pipeline"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// startCircling starts a shipped world after the given changes. All robots drive in circles, and the sensors of the
// given names have listeners; if no names are given, all sensors have listeners.
func startCircling(world string, opts omnipitch.Options, names []string,
	changes ...func(*worlds.World)) (*omnipitch.Sim, error) {
	w, err := loadWorld(world, changes...)
	if err != nil {
		return nil, err
	}
	opts.RenderEarly = true // so that it is not measured
	sim, err := omnipitch.New(w, opts)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(circle(sim), listen(sim, names...)); err != nil {
		sim.Close()
		return nil, err
	}
	return sim, nil
}

// loadWorld loads a shipped world and changes it.
func loadWorld(name string, changes ...func(*worlds.World)) (*worlds.World, error) {
	w, err := worlds.Load(name)
	if err != nil {
		return nil, err
	}
	for _, change := range changes {
		change(w)
	}
	return w, nil
}

// inTurn returns a function that changes a world. It sets the level and the rate of the mirror cameras, and spreads
// their phases evenly. The rate must be so low that two cores can render the images of ten robots in real time.
func inTurn(level abstraction.Level, rate float64) func(*worlds.World) {
	return func(w *worlds.World) {
		apart := time.Duration(float64(time.Second) / rate / float64(len(w.Robots)))
		eachSensor(w, func(i int, c *sensors.Config) {
			if c.Kind == sensors.OmniKind {
				c.Level, c.Rate, c.Phase = level, rate, time.Duration(i)*apart
			}
		})
	}
}

// eachSensor calls f with each sensor's configuration and its robot's index.
func eachSensor(w *worlds.World, f func(robot int, c *sensors.Config)) {
	for i := range w.Robots {
		for j := range w.Robots[i].Sensors {
			f(i, &w.Robots[i].Sensors[j])
		}
	}
}

// listen adds a listener to every sensor with one of the given names, or to every sensor if no names are given. The
// listeners ignore their observations.
func listen(sim *omnipitch.Sim, names ...string) (err error) {
	eachSensor(sim.World(), func(robot int, c *sensors.Config) {
		if len(names) == 0 || slices.Contains(names, c.Name) {
			_, e := sim.Listen(sim.World().Robots[robot].Name, c.Name,
				omnipitch.Listener{Observe: func(*sensors.Observation) {}})
			err = errors.Join(err, e)
		}
	})
	return err
}

// publish publishes all sensors at a new ROS 1 master, and returns the master's address. The function end closes the
// master and everything else.
func publish(sim *omnipitch.Sim) (uri string, end func(), err error) {
	var opened []func() error
	end = func() {
		for _, f := range slices.Backward(opened) {
			f() // its error does not matter
		}
	}
	master, err := ros1.ListenMaster(ros1.MasterConfig{Addr: "127.0.0.1:0"})
	if err != nil {
		return "", end, err
	}
	opened = append(opened, master.Close)
	node, err := ros1.NewNode(ros1.NodeConfig{Name: "/omnipitch", MasterURI: master.URI()})
	if err != nil {
		return "", end, err
	}
	opened = append(opened, node.Close)
	bridge, err := robotio.NewBridge(sim, node, robotio.Options{})
	if err == nil {
		opened = append(opened, bridge.Close)
	}
	return master.URI(), end, err
}

// circle lets all robots drive in circles.
func circle(sim *omnipitch.Sim) error {
	for i := range sim.World().Robots {
		if err := sim.Do(&action.Drive{Robot: sim.World().Robots[i].Name, VX: 0.5, Omega: 1.5}); err != nil {
			return err
		}
	}
	return nil
}

// stepTimes are the costs of steps in several rounds.
type stepTimes struct {
	factor      []float64 // real-time factor
	cpu         []float64 // processor seconds per second of sim time
	allocations []float64 // objects per step
}

// timeRounds steps simulations alternately. After a warm-up round, each simulation runs for the given wall time in each
// round.
func timeRounds(ctx context.Context, rounds int, round time.Duration, sims ...*omnipitch.Sim) ([]stepTimes, error) {
	all := make([]stepTimes, len(sims))
	for n := range rounds + 1 {
		for i, sim := range sims {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			cpu, begun, from, steps := rospeer.CPUTime(), time.Now(), sim.Truth().Time, 0
			for ; time.Since(begun) < round; steps += 20 {
				if ctx.Err() != nil {
					return nil, errInterrupted
				}
				for range 20 {
					if err := sim.Step(); err != nil {
						return nil, err
					}
				}
			}
			wall, used, simulated := time.Since(begun), rospeer.CPUTime()-cpu, sim.Truth().Time-from
			runtime.ReadMemStats(&after)
			if t := &all[i]; n > 0 {
				t.factor = append(t.factor, simulated.Seconds()/wall.Seconds())
				t.cpu = append(t.cpu, float64(used)/float64(simulated))
				t.allocations = append(t.allocations, float64(after.Mallocs-before.Mallocs)/float64(steps))
			}
		}
	}
	return all, nil
}

// stills are the views of a world's cameras at its start. Any renderer can render them, any number of times.
type stills struct {
	world   *worlds.World
	scene   *render.Scene
	posesWB []spatial.Pose
	of      map[stillOf]render.View // each view has its own image memory
}

type stillOf struct {
	robot, sensor string
	level         abstraction.Level
}

// openStills prepares the views of all cameras of a shipped world, at both levels with images. The world is in plain
// light, and the given functions have changed it. openStills renders nothing.
func openStills(world string, changes ...func(*worlds.World)) (*stills, error) {
	w, err := worlds.Load(world)
	if err != nil {
		return nil, err
	}
	w.Look = worlds.LookPlain
	for _, change := range changes {
		change(w)
	}
	var asked lastBatch
	sim, err := omnipitch.New(w, omnipitch.Options{NewRenderer: func(*render.Scene) (render.Renderer,
		error) {
		return &asked, nil
	}})
	if err != nil {
		return nil, err
	}
	defer sim.Close()
	s := &stills{world: w, scene: sim.Sensors().Scenery().Scene, of: map[stillOf]render.View{}}
	for i := range w.Robots {
		robot := &w.Robots[i]
		for j := range robot.Sensors {
			_, ok := sim.Sensors().Camera(robot.Name, robot.Sensors[j].Name)
			if !ok {
				continue
			}
			for _, level := range []abstraction.Level{abstraction.Raw, abstraction.Ideal} {
				// never released, so that its image memory stays ours
				if _, err := sim.Sensors().Capture(robot.Name, robot.Sensors[j].Name, level); err != nil {
					return nil, err
				}
				if len(asked.Views) != 1 {
					return nil, fmt.Errorf("%s.%s: its image has several exposures: must have one", robot.Name,
						robot.Sensors[j].Name)
				}
				s.posesWB = asked.PosesWB
				s.of[stillOf{robot.Name, robot.Sensors[j].Name, level}] = asked.Views[0]
			}
		}
	}
	return s, nil
}

// draw returns a function that renders one view.
func (s *stills) draw(r render.Renderer, one render.View) func() error {
	batch := &render.Batch{PosesWB: s.posesWB, Views: []render.View{one}}
	return func() error { return r.Render(batch) }
}

// drawers are as many renderers as a run has.
type drawers struct {
	by  backend.Choice
	all []render.Renderer
}

// open makes renderers for the scene. The caller closes them.
func (s *stills) open(by backend.Choice) (*drawers, error) {
	d := &drawers{by: by}
	for range pipeline.Drawers {
		r, err := by.New(s.scene)
		if err != nil {
			d.close()
			return nil, err
		}
		d.all = append(d.all, r)
	}
	return d, nil
}

func (d *drawers) close() {
	for _, r := range d.all {
		r.Close()
	}
}

// drawTogether returns a function that renders all views with all renderers in parallel.
func (s *stills) drawTogether(by *drawers, all []render.View) (draw func() error) {
	var shares [pipeline.Drawers]render.Batch
	for i, one := range all {
		share := &shares[i%len(shares)]
		share.PosesWB, share.Views = s.posesWB, append(share.Views, one)
	}
	return func() error {
		var errs [len(shares)]error
		var drawing sync.WaitGroup
		for i := range shares {
			drawing.Go(func() { errs[i] = by.all[i].Render(&shares[i]) })
		}
		drawing.Wait()
		return errors.Join(errs[:]...)
	}
}

// lastBatch is a renderer that renders nothing and remembers the last batch of views. The renderers of a Sim can share
// one lastBatch, because they are called one after the other.
type lastBatch struct{ render.Batch }

func (l *lastBatch) Render(f *render.Batch) error {
	l.Batch = *f
	l.Views = append([]render.View(nil), f.Views...)
	return nil
}

func (l *lastBatch) Close() {}
