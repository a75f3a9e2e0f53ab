package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/physics/experiment"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
)

// Levels measures the speed of worlds whose sensors are all at one level, for each level.
type Levels struct {
	Rounds   int           `default:"5" help:"Number of measurements of each level."`
	Round    time.Duration `default:"500ms" help:"Wall time of a round."`
	Robots   []int         `default:"1,5,10" help:"Numbers of robots, at most ten; measured one after the other."`
	Renderer string        `default:"auto" placeholder:"NAME" help:"Renderer: opengl, tile, raycast or auto. Default: ${default}."`
	plotFlag
	JSON bool `help:"Print one JSON object."`
}

// levelEngines are the physics engines.
var levelEngines = []string{"ode", "planar"}

// Check validates the flags.
func (c *Levels) Check() error {
	if err := atLeast1("--rounds", c.Rounds); err != nil {
		return err
	}
	if c.Round <= 0 {
		return fmt.Errorf("--round = %v: must be positive", c.Round)
	}
	for _, n := range c.Robots {
		if n < 1 || n > 10 {
			return fmt.Errorf("--robots = %d: must lie in [1, 10]", n)
		}
	}
	return checkRenderer(c.Renderer)
}

// Run measures and prints.
func (c *Levels) Run(ctx context.Context, con console.Streams) error {
	if err := c.plotFlag.check(); err != nil {
		return err
	}
	report := newReport("levels")
	if err := report.settleRenderer(&c.Renderer); err != nil {
		return err
	}
	for _, engine := range levelEngines {
		for _, robots := range c.Robots {
			for _, level := range sensors.OmniKind.Levels() {
				if err := c.measure(ctx, report, engine, robots, level, false); err != nil {
					return err
				}
				if level == abstraction.Objects {
					if err := c.measure(ctx, report, engine, robots, level, true); err != nil {
						return err
					}
				}
				fmt.Fprintf(con.Notes(), "%s: measured\n", levelsName(engine, robots, level))
			}
		}
	}
	if err := c.measureCameras(ctx, report, con); err != nil {
		return err
	}
	if err := c.measureLasers(ctx, report); err != nil {
		return err
	}
	if err := c.measureCrowds(ctx, report); err != nil {
		return err
	}
	if err := c.plotFlag.write(c.plots(report)); err != nil {
		return err
	}
	return report.print(con.Out, c.JSON)
}

// plots plots the real-time factor over the levels, one plot per engine.
func (c *Levels) plots(report *Report) (all []experiment.Plot) {
	for _, engine := range levelEngines {
		p := experiment.Plot{Name: "levels-" + engine, Title: "Engine " + engine + ", every sensor at a level",
			XLabel: "level", YLabel: "real-time factor", LogY: true}
		for _, level := range sensors.OmniKind.Levels() {
			p.Names = append(p.Names, string(level))
		}
		for _, robots := range c.Robots {
			curve := experiment.Curve{Name: robotCount(robots)}
			for i, level := range sensors.OmniKind.Levels() {
				curve.Add(float64(i), report.value(levelsName(engine, robots, level)+"_real_time_factor"))
			}
			p.Curves = append(p.Curves, curve)
		}
		all = append(all, p)
	}
	return all
}

// measure measures the speed of the world ten-robots in plain light with the given number of robots, whose sensors are
// all at one level. Its robots drive in circles, and every
// sensor has a listener. If ros is true, a ROS 1 node subscribes to all topics of the robots.
func (c *Levels) measure(ctx context.Context, report *Report, engine string, robots int, level abstraction.Level,
	ros bool) error {
	sim, err := startCircling("ten-robots", omnipitch.Options{Renderer: c.Renderer}, nil, func(w *worlds.World) {
		w.Robots, w.Physics.Engine, w.Look = w.Robots[:robots], engine, worlds.LookPlain
		setLevels(w, level)
	})
	if err != nil {
		return err
	}
	defer sim.Close()
	name := levelsName(engine, robots, level)
	if ros {
		name += "_ros1"
		uri, end, err := publish(sim)
		defer end()
		if err != nil {
			return err
		}
		node, err := subscribe(sim, uri)
		if err != nil {
			return err
		}
		defer node.Close()
	}
	t, err := timeRounds(ctx, c.Rounds, c.Round, sim)
	if err != nil {
		return err
	}
	report.add(name+"_real_time_factor", median(t[0].factor), "x", c.Rounds)
	switch {
	case level.Rendered():
		report.add(name+"_cpu", median(t[0].cpu), "s/s", c.Rounds)
	case !ros:
		report.add(name+"_allocations", median(t[0].allocations), "a step", c.Rounds)
	}
	return nil
}

// setLevels sets the level of all sensors that have it, and level raw for the others.
func setLevels(w *worlds.World, level abstraction.Level) {
	eachSensor(w, func(_ int, c *sensors.Config) {
		c.Level = abstraction.Raw
		if level.In(c.Kind.Levels()) {
			c.Level = level
		}
	})
}

func levelsName(engine string, robots int, level abstraction.Level) string {
	return fmt.Sprintf("%s_%s_%s", engine, strings.ReplaceAll(robotCount(robots), " ", "_"), level)
}

func robotCount(n int) string {
	if n == 1 {
		return "1 robot"
	}
	return fmt.Sprintf("%d robots", n)
}

// subscribe subscribes a node in this process to a simulation's topics, and waits until messages arrive.
func subscribe(sim *omnipitch.Sim, uri string) (*ros1.Node, error) {
	node, err := ros1.NewNode(ros1.NodeConfig{Name: "/subscriber", MasterURI: uri})
	if err != nil {
		return nil, err
	}
	received := &atomic.Int64{}
	for i := range sim.World().Robots {
		err = errors.Join(err, subscribeRobot(node, "/"+sim.World().Robots[i].Name+"/", received))
	}
	for err == nil && received.Load() == 0 {
		err = sim.Step()
		time.Sleep(time.Millisecond)
	}
	if err != nil {
		node.Close()
	}
	return node, err
}

// subscribeRobot subscribes to the topics of a robot of ten-robots at level objects.
func subscribeRobot(n *ros1.Node, namespace string, received *atomic.Int64) error {
	return errors.Join(
		count[msg.OminiVisionInfo](n, namespace+"omnivision/OmniVisionInfo", "nubot_common/OminiVisionInfo", received),
		count[msg.FrontBallInfo](n, namespace+"front_vision/FrontBallInfo", "nubot_common/FrontBallInfo", received),
		count[msg.OdoInfo](n, namespace+"nubotdriver/odoinfo", "nubot_common/OdoInfo", received),
		count[msg.Odometry](n, namespace+"odom", "nav_msgs/Odometry", received),
		count[msg.Imu](n, namespace+"imu", "sensor_msgs/Imu", received),
	)
}

func count[T any](n *ros1.Node, topic, typ string, received *atomic.Int64) error {
	_, err := ros1.Subscribe(n, topic, typ, func(*T) { received.Add(1) })
	return err
}

// cameraLoad is a world with listeners to the named cameras of all robots. These cameras are at one level.
type cameraLoad struct {
	name, world string
	cameras     []string
	level       abstraction.Level
}

// cameraLoads are worlds that spend most of their time on rendering. Robots drive in circles and some cameras have
// listeners.
var cameraLoads = []cameraLoad{
	{"ten_omni_cameras_raw", "ten-robots", []string{"omni"}, abstraction.Raw},
	{"ten_front_cameras_ideal", "ten-robots", []string{"front"}, abstraction.Ideal},
	{"ten_robots_raw", "ten-robots", []string{"omni", "front"}, abstraction.Raw},
	{"nubot_attack_raw", "nubot-attack", []string{"omni", "front", "kinect_left", "kinect_right"}, abstraction.Raw},
}

// measureCameras times the loads alternately in plain and in natural light.
func (c *Levels) measureCameras(ctx context.Context, report *Report, con console.Streams) error {
	for i := range cameraLoads {
		load := &cameraLoads[i]
		if err := c.measureLoad(ctx, report, load); err != nil {
			return err
		}
		fmt.Fprintf(con.Notes(), "%s: measured\n", load.name)
	}
	return nil
}

func (c *Levels) measureLoad(ctx context.Context, report *Report, load *cameraLoad) error {
	plain, images, err := load.start(c.Renderer, worlds.LookPlain)
	if err != nil {
		return err
	}
	defer plain.Close()
	natural, _, err := load.start(c.Renderer, worlds.LookNatural)
	if err != nil {
		return err
	}
	defer natural.Close()
	t, err := timeRounds(ctx, c.Rounds, c.Round, plain, natural)
	if err != nil {
		return err
	}
	report.compare("x", "natural_"+load.name+"_real_time_factor", load.name+"_real_time_factor", t[1].factor,
		t[0].factor)
	report.compare("s/s", "natural_"+load.name+"_cpu", load.name+"_cpu", t[1].cpu, t[0].cpu)
	report.add(load.name+"_images", images*median(t[0].factor), "1/s", c.Rounds)
	return nil
}

// start starts the load's world. The argument look selects plain or natural light. It returns the simulation and the
// number of images per second of sim time.
func (l *cameraLoad) start(renderer, look string) (sim *omnipitch.Sim, images float64, err error) {
	sim, err = startCircling(l.world, omnipitch.Options{Renderer: renderer}, l.cameras, func(w *worlds.World) {
		w.Look = look
		eachSensor(w, func(_ int, s *sensors.Config) {
			if slices.Contains(l.cameras, s.Name) {
				s.Level = l.level
				images += s.Rate
			}
		})
	})
	return sim, images, err
}

const (
	scanRate = 20  // Hz
	scanRays = 181 // number of rays, over half a turn
)

// measureLasers times ten robots that drive in circles, each with only a laser, on the planar engine.
func (c *Levels) measureLasers(ctx context.Context, report *Report) error {
	sim, err := startCircling("ten-robots", omnipitch.Options{}, nil, func(w *worlds.World) {
		w.Physics.Engine = "planar"
		for i := range w.Robots {
			laser := sensors.Config{Name: "laser", Kind: "laser", Level: abstraction.Raw, Rate: scanRate,
				Mount: sensors.Mount{Z: 0.28}}
			laser.Complete()
			laser.Laser.FOV, laser.Laser.Resolution = (scanRays-1)*spatial.Degree, spatial.Degree
			w.Robots[i].Sensors = []sensors.Config{laser}
		}
	})
	if err != nil {
		return err
	}
	defer sim.Close()
	t, err := timeRounds(ctx, c.Rounds, c.Round, sim)
	if err != nil {
		return err
	}
	const name = "laser_10_robots_181_rays"
	scans := scanRate * float64(len(sim.World().Robots)) * median(t[0].factor)
	report.add(name+"_scans_per_s", scans, "1/s", c.Rounds)
	report.add(name+"_allocations", median(t[0].allocations), "a step", c.Rounds)
	return nil
}
