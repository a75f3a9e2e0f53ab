package bench

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/cmd/console"
	"github.com/omnipitch/omnipitch/robotio"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// Levels measures how fast worlds run with every sensor at each level.
type Levels struct {
	Rounds int           `default:"5" help:"How often each level is timed."`
	Round  time.Duration `default:"500ms" help:"Wall time of a round."`
	Robots []int         `default:"1,5,10" help:"How many robots, at most ten; measured one after the other."`
	JSON   bool          `help:"Print one JSON object."`
}

// Check judges the flags.
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
	return nil
}

// Run measures and prints.
func (c *Levels) Run(ctx context.Context, con console.Streams) error {
	report := newReport("levels")
	for _, engine := range []string{"ode", "planar"} {
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
				fmt.Fprintf(con.Err, "%s: measured\n", levelsName(engine, robots, level))
			}
		}
	}
	return report.print(con.Out, c.JSON)
}

// measure times a level with robots that drive in circles and somebody who reads every sensor, and over ROS 1 if told so.
func (c *Levels) measure(ctx context.Context, report *Report, engine string, robots int, level abstraction.Level, ros bool) error {
	sim, err := startLevels(engine, robots, level)
	if err != nil {
		return err
	}
	defer sim.Close()
	name := levelsName(engine, robots, level)
	if ros {
		name += "_ros1"
		stop, err := publishToNobody(sim)
		if err != nil {
			return err
		}
		defer stop()
	}
	var factors, allocations []float64
	for range c.Rounds + 1 {
		factor, allocated, err := timeSteps(ctx, sim, c.Round)
		if err != nil {
			return err
		}
		factors, allocations = append(factors, factor), append(allocations, allocated)
	}
	// The first round warms up.
	report.add(name+"_real_time_factor", median(factors[1:]), "x", c.Rounds)
	if !ros && !level.Rendered() {
		report.add(name+"_allocations", median(allocations[1:]), "a step", c.Rounds)
	}
	return nil
}

func levelsName(engine string, robots int, level abstraction.Level) string {
	plural := "s"
	if robots == 1 {
		plural = ""
	}
	return fmt.Sprintf("%s_%d_robot%s_%s", engine, robots, plural, level)
}

// startLevels starts the first robots of ten-robots, with every sensor at a level and heard by somebody.
func startLevels(engine string, robots int, level abstraction.Level) (*omnipitch.Sim, error) {
	w, err := worlds.Load("ten-robots")
	if err != nil {
		return nil, err
	}
	w.Robots = w.Robots[:robots]
	w.Physics.Engine = engine
	for i := range w.Robots {
		for j := range w.Robots[i].Sensors {
			cfg := &w.Robots[i].Sensors[j]
			cfg.Level = abstraction.Raw
			if level.In(cfg.Kind.Levels()) {
				cfg.Level = level
			}
		}
	}
	sim, err := omnipitch.New(w, omnipitch.Options{})
	if err != nil {
		return nil, err
	}
	if err := circle(sim); err != nil {
		sim.Close()
		return nil, err
	}
	for i := range w.Robots {
		for j := range w.Robots[i].Sensors {
			if _, err := sim.Listen(w.Robots[i].Name, w.Robots[i].Sensors[j].Name, omnipitch.Listener{Observe: func(*sensors.Observation) {}}); err != nil {
				sim.Close()
				return nil, err
			}
		}
	}
	return sim, nil
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

// timeSteps steps for a while and returns the real-time factor and how much a step allocated.
func timeSteps(ctx context.Context, sim *omnipitch.Sim, round time.Duration) (factor, allocations float64, err error) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	begun, from, steps := time.Now(), sim.Time(), 0
	for time.Since(begun) < round {
		if ctx.Err() != nil {
			return 0, 0, errInterrupted
		}
		for range 20 {
			if err := sim.Step(); err != nil {
				return 0, 0, err
			}
			steps++
		}
	}
	wall := time.Since(begun)
	runtime.ReadMemStats(&after)
	return (sim.Time() - from).Seconds() / wall.Seconds(), float64(after.Mallocs-before.Mallocs) / float64(steps), nil
}

// publishToNobody publishes everything over ROS 1 to a node in this process that counts the messages.
func publishToNobody(sim *omnipitch.Sim) (stop func(), err error) {
	var ending []func() error
	stop = func() {
		for i := len(ending) - 1; i >= 0; i-- {
			ending[i]() // what could fail is over
		}
	}
	defer func() {
		if err != nil {
			stop()
		}
	}()
	master, err := ros1.ListenMaster(ros1.MasterConfig{Addr: "127.0.0.1:0"})
	if err != nil {
		return nil, err
	}
	ending = append(ending, master.Close)
	join := func(name string) (*ros1.Node, error) {
		n, err := ros1.NewNode(ros1.NodeConfig{Name: name, MasterURI: master.URI()})
		if err == nil {
			ending = append(ending, n.Close)
		}
		return n, err
	}
	listener, err := join("/listener")
	if err != nil {
		return nil, err
	}
	node, err := join("/omnipitch")
	if err != nil {
		return nil, err
	}
	bridge, err := robotio.NewBridge(sim, node, robotio.Options{})
	if err != nil {
		return nil, err
	}
	ending = append(ending, bridge.Close)
	heard := &atomic.Int64{}
	for i := range sim.World().Robots {
		if err := hear(listener, "/"+sim.World().Robots[i].Name+"/", heard); err != nil {
			return nil, err
		}
	}
	// All links stand before time is taken.
	for wanted := heard.Load() + 1; heard.Load() < wanted; {
		if err := sim.Step(); err != nil {
			return nil, err
		}
		time.Sleep(time.Millisecond)
	}
	return stop, nil
}

// hear subscribes to what a robot of ten-robots publishes at objects.
func hear(n *ros1.Node, under string, heard *atomic.Int64) error {
	return errors.Join(
		count[msg.OminiVisionInfo](n, under+"omnivision/OmniVisionInfo", "nubot_common/OminiVisionInfo", heard),
		count[msg.FrontBallInfo](n, under+"front_vision/FrontBallInfo", "nubot_common/FrontBallInfo", heard),
		count[msg.OdoInfo](n, under+"nubotdriver/odoinfo", "nubot_common/OdoInfo", heard),
		count[msg.Odometry](n, under+"odom", "nav_msgs/Odometry", heard),
		count[msg.Imu](n, under+"imu", "sensor_msgs/Imu", heard),
	)
}

func count[T any](n *ros1.Node, topic, typ string, heard *atomic.Int64) error {
	_, err := ros1.Subscribe(n, topic, typ, func(*T) { heard.Add(1) })
	return err
}
