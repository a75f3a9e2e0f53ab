package omnipitch

import (
	"fmt"
	"sync"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/sensors/pipeline"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/scenery"
)

// Sensors is the part of a Sim's API for the robots' sensors and the rendered scene. The comment of the embedded type
// says which of its methods any goroutine may call. Any goroutine may call Scenery, NewRenderer and Renderer.
// Brightness belongs to the goroutine that steps.
type Sensors struct {
	pipeline.Sensors
	sim       *Sim
	mu        sync.Mutex
	choice    backend.Choice // the renderer for the scene chosenFor
	chosenFor *render.Scene
	made      backend.Choice // the renderer that was made last
}

// Listener receives a sensor's observations.
type Listener = pipeline.Listener

// LevelChange reports the first frame of a sensor at a new level.
type LevelChange = pipeline.LevelChange

// Farm distributes the rendering of images over several Sims of one world. Only one of these Sims runs. If all Sims
// have the same renderer, the images are bit for bit the images that the running Sim would render alone.
type Farm interface {
	pipeline.Farm
	// Begin is called with the running Sim and its world: by New, and after each restart by the goroutine that steps.
	// No image is being rendered at the time of the call.
	Begin(sim *Sim, world *worlds.World)
}

// Scenery returns the visible world: bodies, fields and light. Its Scene does not change. Its Poses and Shading belong
// to the goroutine that steps. A restart may replace the Scenery.
func (s *Sensors) Scenery() *scenery.Scenery { return s.sim.published.Load().scenery }

// Brightness returns the present brightness of the hall and of each of its lamps.
func (s *Sensors) Brightness() render.Brightness { return s.sim.light.Brightness() }

// NewRenderer makes another renderer of the same kind as the renderer of the cameras' images, for the scene of Scenery.
// The caller closes the renderer. NewRenderer fails with render.ErrNoContext if the machine lacks the driver.
func (s *Sensors) NewRenderer() (render.Renderer, error) {
	scene := s.Scenery().Scene
	return s.newRenderer(scene, s.sim.pipeline.SampleImages(scene))
}

func (s *Sensors) newRenderer(scene *render.Scene, samples func() *render.Batch) (r render.Renderer, err error) {
	opts := &s.sim.opts
	if opts.NewRenderer != nil {
		return opts.NewRenderer(scene)
	}
	c := s.choose(scene, samples)
	if c.Name == backend.Reference {
		c.New = backend.PathTracer(opts.Tracing)
	}
	if r, err = c.New(scene); err == nil {
		s.mu.Lock()
		s.made = c
		s.mu.Unlock()
	}
	return r, err
}

// choose returns the renderer for a scene, which stays the same as long as the Sim has this scene. If samples is nil,
// the Sim has another scene already, and nothing is measured.
func (s *Sensors) choose(scene *render.Scene, samples func() *render.Batch) backend.Choice {
	if samples == nil {
		return backend.Choose(s.sim.opts.Renderer, scene)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.chosenFor != scene {
		s.choice, s.chosenFor = backend.ChooseFor(s.sim.opts.Renderer, scene, samples), scene
	}
	return s.choice
}

// ChooseRenderer returns the renderer that Options.Renderer stands for in the present world, before a renderer is made.
// backend.Auto may take a second the first time. Any goroutine may call it.
func (s *Sensors) ChooseRenderer() backend.Choice {
	scene := s.Scenery().Scene
	return s.choose(scene, s.sim.pipeline.SampleImages(scene))
}

// Renderer returns the name of the renderer that was made last, and the reason why it was chosen. The name is empty
// until the first renderer is made, and if Options.NewRenderer makes the renderers.
func (s *Sensors) Renderer() backend.Choice {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.made
}

// addSensors makes the pipeline and the sensors of all robots.
func (s *Sim) addSensors() error {
	s.sensors.sim = s
	s.pipeline = pipeline.New(s.pipelineConfig())
	s.sensors.Sensors = s.pipeline.Sensors()
	made, err := s.newSensors()
	if err != nil {
		return err
	}
	for r := range s.world.Robots {
		robot := &s.world.Robots[r]
		for range robot.Sensors {
			s.pipeline.Add(r, robot.Name, made[0])
			made = made[1:]
		}
	}
	s.pipeline.Ready()
	return nil
}

// restartSensors restarts the pipeline with new sensors in the present world.
func (s *Sim) restartSensors() error {
	made, err := s.newSensors()
	if err != nil {
		return err
	}
	s.pipeline.Restart(s.pipelineConfig(), made)
	return nil
}

// pipelineConfig returns the configuration of the pipeline for the present world.
func (s *Sim) pipelineConfig() pipeline.Config {
	scene := s.scenery.Scene
	bodies := s.scenery.Bodies(s.world.Light.Brightness())
	bodies.Cache = &s.opts.Cache.sensors
	cfg := pipeline.Config{
		State: &s.truth, Gravity: s.world.Physics.Gravity, Seed: s.world.Seed, Wall: s.clock.wall,
		NoWorker: s.opts.NoWorker, Farm: s.opts.Farm,
		Targets: sensors.NewTargets(s.model, bodies),
		Scene:   scene, Field: &scene.Bodies[s.scenery.Field()], Poses: s.scenery.Poses, Shading: s.scenery.Shading,
		NewRenderer: func(samples func() *render.Batch) (render.Renderer, error) {
			return s.sensors.newRenderer(scene, samples)
		},
		Match: backend.Match,
		Due:   s.expectAnswer, Delivered: s.commands.Observed,
	}
	for i := range s.model.Robots {
		cfg.Robots = append(cfg.Robots, s.model.Robots[i].Name)
	}
	return cfg
}

// newSensors makes the sensors of all robots, in their order.
func (s *Sim) newSensors() (made []sensors.Sensor, err error) {
	for r := range s.world.Robots {
		robot := &s.world.Robots[r]
		for i := range robot.Sensors {
			cfg := robot.Sensors[i]
			site := s.scenery.Site(r, robot.Sensors, i)
			site.Seed, site.Cache = s.world.Seed, &s.opts.Cache.sensors
			sensor, err := sensors.New(&cfg, site)
			if err != nil {
				return nil, fmt.Errorf("robot %s: %w", robot.Name, err)
			}
			made = append(made, sensor)
		}
	}
	return made, nil
}

// mayRender reports whether a camera of the world needs a renderer at its initial level, or at a level that an event of
// the world sets.
func (s *Sim) mayRender() bool {
	for i := range s.world.Robots {
		for _, c := range s.world.Robots[i].Sensors {
			if s.pipeline.Renders(s.world.Robots[i].Name, c.Name, c.Level) {
				return true
			}
		}
	}
	for i := range s.world.Events {
		if l := s.world.Events[i].SetLevel; l != nil && s.pipeline.Renders(l.Robot, l.Sensor, l.Level) {
			return true
		}
	}
	return false
}

// rendersEarly reports whether the renderers are created before the first image. There are three reasons: the Options
// ask for it, it may fail, or a Farm may need them while the run waits.
func (s *Sim) rendersEarly() bool {
	return s.opts.RenderEarly || s.opts.NewRenderer != nil || s.opts.Farm != nil ||
		backend.NeedsDriver(s.opts.Renderer, s.scenery.Scene)
}

func (e externalActions) Hang(board string, poseWB spatial.Pose) error {
	for i := range e.world.Boards {
		if e.world.Boards[i].Name == board {
			e.scenery.Hang(i, poseWB)
			return nil
		}
	}
	return fmt.Errorf("name = %q: there is no such board", board)
}

func (e externalActions) ChangeLight(change func(*render.FadingLight) error) error {
	if err := change(e.light); err != nil {
		return err
	}
	e.relight()
	return nil
}

// relight applies the present light to images and to perception without images.
func (s *Sim) relight() {
	s.scenery.SetLight(s.light.Lighting)
	s.pipeline.SetLight(s.light.Brightness())
}

func (e externalActions) PaintBall(color render.Color) error   { return e.scenery.PaintBall(color) }
func (e externalActions) PaintCarpet(color render.Color) error { return e.scenery.PaintCarpet(color) }

func (e externalActions) Sound(s sensors.Sound) {
	s.Start = e.truth.Time
	e.pipeline.Sound(s)
}

func (e externalActions) ResetOdometry(robot string) error { return e.pipeline.ResetOdometry(robot) }
