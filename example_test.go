//go:build cgo

package omnipitch_test

import (
	"context"
	"fmt"
	"log"
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/abstraction/random"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// atObjects loads nubot-attack with all cameras at level objects, which needs no renderer.
func atObjects() *worlds.World {
	world, err := worlds.Load("nubot-attack")
	if err != nil {
		log.Fatal(err)
	}
	for i := range world.Robots {
		for j := range world.Robots[i].Sensors {
			if c := &world.Robots[i].Sensors[j]; abstraction.Objects.In(c.Kind.Levels()) {
				c.Level = abstraction.Objects
			}
		}
	}
	return world
}

// start makes a simulation of a world.
func start(world *worlds.World) *omnipitch.Sim {
	sim, err := omnipitch.New(world, omnipitch.Options{})
	check(err)
	return sim
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// Load a world, give a command, and read the ball that a camera's vision reports.
func Example() {
	sim, err := omnipitch.New(atObjects(), omnipitch.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer sim.Close()
	frames := 0
	_, err = sim.Listen("cyan1", "omni", omnipitch.Listener{Observe: func(o *sensors.Observation) {
		frames++
		for i := range o.Objects.Detections {
			if d := &o.Objects.Detections[i]; frames == 1 && d.Kind == abstraction.BallKind {
				fmt.Printf("captured at %v, seen at %v: the ball is %.1f m away\n", o.Stamp, sim.Truth().Time,
					math.Hypot(d.PosB[0], d.PosB[1]))
			}
		}
	}})
	if err != nil {
		log.Fatal(err)
	}
	if err := sim.Do(&action.Drive{Robot: "cyan1", VX: 1}); err != nil {
		log.Fatal(err)
	}
	report, err := sim.Run(context.Background(), omnipitch.Pace{For: time.Second, Speed: timesync.Max})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d steps, %d frames\n", report.Steps, frames)
	// Output:
	// captured at 0s, seen at 65ms: the ball is 2.7 m away
	// 200 steps, 29 frames
}

// Switch the level of a sensor in a running simulation. Frames captured afterwards have the new level.
func ExampleSim_Do_level() {
	sim := start(atObjects())
	defer sim.Close()
	sim.Sensors().OnLevel(func(c omnipitch.LevelChange) {
		if c.Robot == "cyan1" && c.Sensor == "omni" {
			fmt.Printf("frame %d, at %v: %s\n", c.Frame, c.Stamp, c.Level)
		}
	})
	for range 40 {
		check(sim.Step())
		if sim.Truth().Time == 100*time.Millisecond {
			check(sim.Do(&action.SetLevel{Robot: "cyan1", Sensor: "omni", Level: abstraction.Truth}))
		}
	}
	fmt.Println(sim.Do(&action.SetLevel{Robot: "cyan1", Sensor: "omni", Level: "pose"}))
	// Output:
	// frame 0, at 0s: objects
	// frame 4, at 135ms: truth
	// cyan1.omni: level = "pose": must be one of raw, ideal, features, objects, truth for kind omni
}

// whistle is a sensor that reports whether the referee's whistle has blown.
type whistle struct{ at time.Duration }

func (w whistle) Sense(at *sensors.Instant, _ abstraction.Level, noise random.Source) any {
	// One frame in a hundred is a false report.
	return at.Snapshot.Time >= w.at || noise.Uniform(0) < 0.01
}

// Add your own sensor to a robot.
func ExampleSensors_Plug() {
	sim := start(atObjects())
	defer sim.Close()
	check(sim.Sensors().Plug("cyan1", sensors.Config{Name: "ear", Rate: 10, Latency: 20 * time.Millisecond},
		whistle{300 * time.Millisecond}))
	_, err := sim.Listen("cyan1", "ear", omnipitch.Listener{Observe: func(o *sensors.Observation) {
		fmt.Println(o.Stamp, o.Reading)
	}})
	check(err)
	_, err = sim.Run(context.Background(), omnipitch.Pace{For: 450 * time.Millisecond, Speed: timesync.Max})
	check(err)
	// Output:
	// 0s false
	// 100ms false
	// 200ms false
	// 300ms true
	// 400ms true
}

// bearing is a level between features and objects: the direction of the ball without its distance.
type bearing struct{}

func (bearing) Sense(at *sensors.Instant, _ abstraction.Level, noise random.Source) any {
	ballB := at.State().PoseWB.Inverse().Apply(at.Snapshot.Ball.PosW)
	n, _ := noise.Normal(0)
	return math.Atan2(ballB[1], ballB[0]) + 0.01*n
}

// Add your own level to a camera.
func ExampleSensors_PlugLevel() {
	sim := start(atObjects())
	defer sim.Close()
	check(sim.Sensors().PlugLevel("cyan1", "omni", "bearing", bearing{}))
	check(sim.Do(&action.SetLevel{Robot: "cyan1", Sensor: "omni", Level: "bearing"}))
	first := true
	_, err := sim.Listen("cyan1", "omni", omnipitch.Listener{Observe: func(o *sensors.Observation) {
		if first {
			fmt.Printf("%s: %.2f rad\n", o.Level, o.Reading)
		}
		first = false
	}})
	check(err)
	for range 20 {
		check(sim.Step())
	}
	// Output:
	// bearing: 0.12 rad
}

// Aim a camera's head at a point in the robot's frame, at a level without images.
func ExampleSim_Do_head() {
	world := atObjects()
	front, _ := world.Sensor("cyan1", "front")
	front.Head = &sensors.HeadConfig{}
	front.Head.SetDefaults()
	sim := start(world)
	defer sim.Close()
	left := front.Mount.Pose().Apply(mgl64.Vec3{0, 2, 0})
	check(sim.Do(&action.LookAt{Robot: "cyan1", Sensor: "front", X: left[0], Y: left[1], Z: left[2]}))
	for range 100 {
		check(sim.Step())
	}
	camera, _ := sim.Sensors().Camera("cyan1", "front")
	pan, _ := camera.Head().Angles()
	fmt.Printf("%.0f degrees to the left\n", pan*180/math.Pi)
	// Output:
	// 90 degrees to the left
}

// Program a robot in the same process, with an exact timer, and predict the wall time of the run.
func ExampleClock_Every() {
	sim := start(atObjects())
	defer sim.Close()
	n := 0
	stop := sim.Clock().Every(100*time.Millisecond, func(due time.Duration) {
		n++
		check(sim.Do(&action.Drive{Robot: "cyan1", VX: 0.5, Omega: math.Sin(due.Seconds())}))
	})
	defer stop()
	sim.Clock().After(500*time.Millisecond, func(time.Duration) {
		fmt.Printf("half a second more will take %v\n",
			sim.Clock().Predict(500*time.Millisecond).Likely.Round(100*time.Millisecond))
	})
	_, err := sim.Run(context.Background(), omnipitch.Pace{For: time.Second, Speed: timesync.Factor(5)})
	check(err)
	fmt.Println(n, "commands")
	// Output:
	// half a second more will take 100ms
	// 10 commands
}
