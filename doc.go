// Package omnipitch simulates what soccer robots of the RoboCup Middle Size League sense, each sensor at the level of
// detail that a test needs: rendered pixels, or ground truth with honest noise, switched while it runs.
//
// A Sim owns the step: commands in, one step of physics, sensors that are due, observations out. Sim.Sensors returns
// what its sensors can do, Sim.Match the game and its teams, Sim.Clock the time, and Sim.Replay what recordings need.
// The package knows no wire format (package robotio does) and no command line. Units are SI and radians; frames are
// those of package spatial; W is the world, B a robot's body.
//
//	world, err := worlds.Load("nubot-attack")
//	sim, err := omnipitch.New(world, omnipitch.Options{})
//	defer sim.Close()
//	sim.Listen("cyan1", "omni", omnipitch.Listener{Observe: func(o *sensors.Observation) { fmt.Println(o.Stamp) }})
//	sim.Do(&action.Drive{Robot: "cyan1", VX: 1})
//	report, err := sim.Run(ctx, omnipitch.Pace{For: 10 * time.Second, Speed: timesync.Max})
//
// Listeners borrow observations: an observation is reused when Observe returns, unless the listener retains it.
package omnipitch
