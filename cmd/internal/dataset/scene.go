package dataset

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction/random"
	"github.com/omnipitch/omnipitch/cmd/internal/output"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
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

	placed int     // number of moments so far
	drawn  setting // of the last one
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

// newScene returns the scene with the given number. Its seed, which depends on the number, determines the random values
// of the world. Scenes may share cache.
func (c *Config) newScene(ctx context.Context, number int, part string, cache *omnipitch.Cache) (*scene, error) {
	world, _, err := c.World.Draw(ctx, c.World.Seed+uint64(number))
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
		e.rays, e.labels = optics.NewRayMap(view.Model), newLabels(s.Config, width, height, len(s.things.all))
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

// run takes the scene's images, beginning with the image number first, and passes each image to the function use. It
// stops when ctx ends.
func (s *scene) run(ctx context.Context, first int, use func(*shot) error) error {
	base := s.number * s.perScene()
	for n := max(base, first); n < min(base+s.perScene(), s.Frames); n++ {
		if err := s.frame(ctx, n, use); err != nil {
			return err
		}
	}
	return nil
}

// frame takes the image with the given number, and passes it to the function use. Its moment must not precede that of
// the scene's last image.
func (s *scene) frame(ctx context.Context, number int, use func(*shot) error) error {
	within := number - s.number*s.perScene()
	moment := within / len(s.eyes)
	for ; s.placed <= moment; s.placed++ {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		var err error
		if s.drawn, err = s.place(ctx, s.placed); err != nil {
			return fmt.Errorf("scene %d, moment %d: %w", s.number, s.placed, err)
		}
	}
	if err := s.take(number, moment, &s.eyes[within%len(s.eyes)], s.drawn, use); err != nil {
		return fmt.Errorf("frame %d: %w", number, err)
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
	// A robot's head turns little in a frame period, so the earlier pose of the camera on the robot is taken to be the
	// present one.
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

// setting holds the random values of a moment.
type setting struct {
	seed   uint64
	events []Event
}

// draws is the largest number of seeds that are tried for a moment. For some seeds, the random values of a world may be
// invalid.
const draws = 20

// world returns the world with the random values of a moment. The first moment has the random values of the scene
// itself.
func (s *scene) world(ctx context.Context, moment int) (w *worlds.World, err error) {
	seed := s.World.Seed + uint64(s.number)
	if moment == 0 {
		w, _, err = s.World.Draw(ctx, seed)
		return w, err
	}
	numbers := random.New(seed, "dataset", "moment", uint64(moment))
	for try := range uint64(draws) {
		bits, _ := numbers.Bits(try)
		if w, _, err = s.World.Draw(ctx, bits>>1); err == nil || ctx.Err() != nil {
			break
		}
	}
	return w, err
}

// place moves bodies to the random positions of a moment, executes the moment's events at time 0, and advances the
// simulation by one frame period.
func (s *scene) place(ctx context.Context, moment int) (drawn setting, err error) {
	w, err := s.world(ctx, moment)
	if err != nil {
		return drawn, err
	}
	drawn.seed = w.Seed
	var actions []action.Action
	driven := map[string]physics.PlanarTwist{}
	for i := range w.Events {
		e := &w.Events[i]
		if _, a, err := e.Action(); err == nil && e.At == 0 && e.When == nil && e.After == "" && belongs(a) {
			if d, ok := a.(*action.Drive); ok {
				var c physics.Command
				d.Change(&c)
				driven[d.Robot] = c.TwistB
			}
			actions = append(actions, a)
			key, fields, err := action.Marshal(a)
			if err != nil {
				return drawn, err
			}
			drawn.events = append(drawn.events, Event{key, fields})
		}
	}
	if err := s.arrange(w, driven); err != nil {
		return drawn, err
	}
	for _, a := range actions {
		if err := s.sim.Do(a); err != nil {
			return drawn, fmt.Errorf("an event: %w", err)
		}
	}
	for i := range s.posesWB {
		if i > 0 {
			if err := s.sim.Step(); err != nil {
				return drawn, err
			}
		}
		s.posesWB[i] = s.sim.Sensors().Scenery().Poses(s.sim.Truth(), s.posesWB[i])
	}
	return drawn, nil
}

// arrange moves bodies to the random positions in the world w. A robot starts at rest, or with its velocity in driven.
func (s *scene) arrange(w *worlds.World, driven map[string]physics.PlanarTwist) error {
	m := w.Model()
	var all []action.Action
	for i := range m.Robots {
		r := &m.Robots[i]
		if r.Absent {
			continue
		}
		p := placed(r.Name, r.Pose.Pos, r.Pose.Heading())
		twist := driven[r.Name]
		v := r.Pose.Rotate(mgl64.Vec3{twist.VX, twist.VY, 0})
		p.VX, p.VY, p.WZ = v[0], v[1], twist.Omega
		all = append(all, &action.Drive{Robot: r.Name, Stop: true}, &action.Dribble{Robot: r.Name}, p)
	}
	for i := range m.Obstacles {
		o := &m.Obstacles[i]
		if o.Absent {
			continue
		}
		all = append(all, placed(o.Name, o.Pose.Pos, o.Pose.Heading()))
	}
	if !m.Ball.Absent {
		at, twist := m.Ball.Start()
		b := placed("ball", at, 0)
		b.Z, b.VX, b.VY, b.VZ = at[2], twist.Lin[0], twist.Lin[1], twist.Lin[2]
		all = append(all, b)
	}
	for _, a := range all {
		if err := s.sim.Do(a); err != nil {
			return err
		}
	}
	return nil
}

func placed(name string, pos mgl64.Vec3, heading float64) *action.Place {
	return &action.Place{Name: name, X: pos[0], Y: pos[1], Heading: heading}
}

// belongs reports whether an action is part of a moment: positions, motion, light and faults, but not control of the
// run.
func belongs(a action.Action) bool {
	if a == nil {
		return false
	}
	switch a.(type) {
	case *action.Reset, *action.ResetBodies, *action.Record, *action.SetSpeed, *action.End, *action.Pause,
		*action.Resume, *action.GameCommand, *action.Coach, *action.SetLevel:
		return false
	}
	return true
}

// sharedRenderer is one renderer for the simulation and the labels, because preparing a scene takes long.
type sharedRenderer struct {
	name string // name of the backend; the fastest if it is empty or backend.Auto

	mu    sync.Mutex
	scene *render.Scene
	render.Renderer
}

// open returns the renderer, and makes it at the first call.
func (s *sharedRenderer) open(scene *render.Scene) (render.Renderer, error) {
	if err := s.ready(scene); err != nil {
		return nil, err
	}
	return lent{s}, nil
}

// ready makes the renderer unless it exists.
func (s *sharedRenderer) ready(scene *render.Scene) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.scene == scene {
		return nil
	}
	made, err := backend.Choose(s.name, scene).New(scene)
	if err != nil {
		return err
	}
	s.end()
	s.scene, s.Renderer = scene, made
	return nil
}

// Render renders a batch of images. Concurrent calls wait for each other.
func (s *sharedRenderer) Render(f *render.Batch) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Renderer.Render(f)
}

// end closes the renderer.
func (s *sharedRenderer) end() {
	if s.Renderer != nil {
		s.Renderer.Close()
	}
}

// lent is the shared renderer with a Close that does nothing, for users that close their renderer.
type lent struct{ *sharedRenderer }

// Close does nothing, because other users still need the renderer.
func (lent) Close() {}
