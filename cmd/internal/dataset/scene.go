package dataset

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/cmd/internal/output"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
)

// scene is the world with one set of random values. Images are taken in it.
type scene struct {
	*Config
	number   int
	part     string
	sim      *omnipitch.Sim
	renderer *sharedRenderer
	things   *things
	eyes     []eye
	flowing  int // number of steps in a moment

	posesWB [][]spatial.Pose // poses of all bodies after each step of the moment, with those at its start first
	memory  []spatial.Pose
}

// eye is one of the scene's cameras.
type eye struct {
	robot, sensor string
	index         int // of the robot
	camera        *sensors.Camera
	model         *output.CameraModel
	rays          *optics.RayMap
	labels        *labels
	period        int // steps between frames
	looksUp       bool
}

// newScene returns the scene with a seed, which determines the random values of the world. Scenes may share the
// argument cache.
func (c *Config) newScene(number int, part string, cache *omnipitch.Cache) (*scene, error) {
	world, err := c.World.WithSeed(c.World.Seed + uint64(number))
	if err != nil {
		return nil, err
	}
	s := &scene{Config: c, number: number, part: part, renderer: &sharedRenderer{name: c.Renderer}}
	s.sim, err = omnipitch.New(quiet(world), omnipitch.Options{NewRenderer: s.renderer.open, NoWorker: true,
		Cache: cache})
	if err != nil {
		return nil, err
	}
	if err := s.open(); err != nil {
		s.close()
		return nil, fmt.Errorf("scene %d: %w", number, err)
	}
	return s, nil
}

// quiet returns a copy of a world without events and players. Each moment executes its own random events instead.
func quiet(w *worlds.World) *worlds.World {
	q := *w
	q.Events, q.Expect, q.Programs, q.Referee = nil, nil, nil, worlds.RefereeOff
	q.Robots = slices.Clone(w.Robots)
	for i := range q.Robots {
		q.Robots[i].Player = nil
	}
	return &q
}

// open looks up the scene's cameras and things.
func (s *scene) open() error {
	w := s.sim.World()
	step := w.Time.Step
	s.things = newThings(s.sim)
	for _, name := range s.Cameras {
		robot, sensor, _ := strings.Cut(name, ".")
		camera, ok := s.sim.Sensors().Camera(robot, sensor)
		if !ok {
			return fmt.Errorf("seed %d gives no camera %s", w.Seed, name)
		}
		e := eye{robot: robot, sensor: sensor, camera: camera, index: slices.IndexFunc(w.Robots,
			func(r worlds.Robot) bool { return r.Name == robot })}
		e.model, e.looksUp = output.ModelOf(camera), camera.Config().Mirror != nil
		e.period = max(int(time.Duration(float64(time.Second)/camera.Config().Rate)/step), 1)
		view := camera.View(s.Level, &sensors.Instant{Snapshot: s.sim.Truth(), Robot: e.index})
		width, height := view.Model.Size()
		e.rays, e.labels = optics.NewRayMap(view.Model), newLabels(width, height, len(s.things.all))
		// One step more than a period, so that each moment has its own frames with different noise.
		s.flowing = max(s.flowing, e.period+1)
		s.eyes = append(s.eyes, e)
	}
	s.posesWB = make([][]spatial.Pose, s.flowing+1)
	s.memory = make([]spatial.Pose, len(s.sim.Sensors().Scenery().Scene.Bodies))
	return s.renderer.ready(s.sim.Sensors().Scenery().Scene)
}

func (s *scene) close() {
	s.sim.Close()
	s.renderer.end()
}

// run takes the scene's images, beginning with a number, and passes each to to, until ctx ends.
func (s *scene) run(ctx context.Context, from int, to func(*shot) error) error {
	first := s.number * s.perScene()
	for moment := range s.PerScene {
		n := first + moment*len(s.eyes)
		if n >= s.Frames {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		drawn, err := s.place(moment)
		if err != nil {
			return fmt.Errorf("scene %d, moment %d: %w", s.number, moment, err)
		}
		for i := range s.eyes {
			if number := n + i; number >= from && number < s.Frames {
				if err := s.take(number, moment, &s.eyes[i], drawn, to); err != nil {
					return fmt.Errorf("frame %d: %w", number, err)
				}
			}
		}
	}
	return nil
}

// shot is an image with its ground truth. It is valid until the next image.
type shot struct {
	frame   Frame
	seen    *sensors.Observation
	scene   *scene
	eye     *eye
	numbers []int // object numbers by thing; 0: not visible
}

// take takes one image.
func (s *scene) take(number, moment int, e *eye, drawn setting, to func(*shot) error) error {
	seen, err := s.sim.Sensors().Capture(e.robot, e.sensor, s.Level)
	if err != nil {
		return err
	}
	defer seen.Release()
	now, l := s.sim.Truth(), e.labels
	poseWB := now.Robots[e.index].PoseWB
	view := e.camera.View(s.Level, &sensors.Instant{Snapshot: now, Robot: e.index})
	view.PoseWC = poseWB.Mul(seen.PoseBC)
	view.Vignetting, view.CubeFace, view.Ranging, view.Truth = 0, 0, nil, l.truth
	posesWB, before := s.posesWB[s.flowing], s.posesWB[s.flowing-e.period]
	// Heads turn little in a frame's time, and the camera's place on the robot is taken as that of now.
	view.Before = &render.Before{PosesWB: before, PoseWC: before[s.sim.Sensors().Scenery().Robot(e.index)].Mul(
		seen.PoseBC)}
	if err := s.renderer.Render(&render.Batch{PosesWB: posesWB, Views: []render.View{view}}); err != nil {
		return err
	}
	l.find(s.things, e.rays, view.PoseWC, e.index)
	x := shot{seen: seen, scene: s, eye: e, numbers: make([]int, len(s.things.all))}
	x.frame = Frame{
		Number: number, Part: s.part, Scene: s.number, Moment: moment, Seed: s.sim.World().Seed, PoseSeed: drawn.seed,
		Robot: e.robot, Sensor: e.sensor,
		Level: string(s.Level), Stamp: seen.Stamp.Seconds(),
		FlowTime: (time.Duration(e.period) * s.sim.World().Time.Step).Seconds(), Note: drawn.events,
		Width: l.width, Height: l.height, Camera: e.model, RobotPose: output.PoseOf(poseWB),
		CameraPose: output.PoseOf(view.PoseWC), Objects: []Object{},
	}
	if e.camera.Automatic() {
		x.frame.Set = &Taken{seen.Settings.Exposure, seen.Settings.Gain, seen.Settings.Balance}
	}
	poseCW := view.PoseWC.Inverse()
	for k := range s.things.all {
		if l.seen[k].pixels == 0 {
			continue
		}
		x.numbers[k] = len(x.frame.Objects) + 1
		o := l.object(s.things, k, x.numbers[k], now, e.camera.Model(), poseCW)
		if l.seen[k].maybeHidden {
			whole, err := l.count(s.renderer, s.things, k, e.rays, view, posesWB, s.memory)
			if err != nil {
				return err
			}
			if whole < o.Pixels {
				return errors.New("a thing shows more pixels than it has") // a mistake of ours
			}
			o.Visible = float64(o.Pixels) / float64(whole)
		}
		x.frame.Objects = append(x.frame.Objects, o)
	}
	return to(&x)
}
