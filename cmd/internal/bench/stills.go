package bench

import (
	"errors"
	"fmt"
	"sync"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/sensors/pipeline"
	"github.com/omnipitch/omnipitch/worlds"
)

// stills are the views of a world's cameras at its start. Any renderer can render them, and repeatedly.
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

// drawTogether returns the function draw, which renders all views in parallel with as many renderers as a run has, and
// the function end, which closes the renderers.
func (s *stills) drawTogether(by backend.Choice, all []render.View) (draw func() error, end func(), err error) {
	var renderers []render.Renderer
	end = func() {
		for _, r := range renderers {
			r.Close()
		}
	}
	var shares [pipeline.Drawers]render.Batch
	for range shares {
		r, err := by.New(s.scene)
		if err != nil {
			end()
			return nil, nil, err
		}
		renderers = append(renderers, r)
	}
	for i, one := range all {
		share := &shares[i%len(shares)]
		share.PosesWB, share.Views = s.posesWB, append(share.Views, one)
	}
	return func() error {
		var errs [len(shares)]error
		var drawing sync.WaitGroup
		for i := range shares {
			drawing.Go(func() { errs[i] = renderers[i].Render(&shares[i]) })
		}
		drawing.Wait()
		return errors.Join(errs[:]...)
	}, end, nil
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
