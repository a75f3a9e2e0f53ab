// Package omnipitch simulates soccer robots of the RoboCup Middle Size League and their sensors. Each sensor has a
// level of abstraction, from rendered pixels to noisy or exact ground truth. Levels can be switched while the
// simulation runs.
//
// A Sim is one running world. One step of it takes the robots' commands, moves all bodies, captures the sensors that
// are due, and delivers the observations that are due. The API has four more parts: Sim.Sensors controls the sensors,
// Sim.Match the game, its teams and radios, Sim.Clock the time, and Sim.Replay saves and restores states. The package
// knows no wire format, which is the task of package robotio, and no command line.
//
// One goroutine calls Run or Step. The same goroutine calls all listeners, timers and callbacks whose comments do not
// name another goroutine. Other goroutines may send actions, add listeners and control the clock: see Sim.
//
// Units are SI and radians. Coordinate frames are those of package spatial: W is the world, B a robot's body.
//
//	world, err := worlds.Load("nubot-attack")
//	sim, err := omnipitch.New(world, omnipitch.Options{})
//	defer sim.Close()
//	sim.Listen("cyan1", "omni", omnipitch.Listener{Observe: func(o *sensors.Observation) { fmt.Println(o.Stamp) }})
//	sim.Do(&action.Drive{Robot: "cyan1", VX: 1})
//	report, err := sim.Run(ctx, omnipitch.Pace{For: 10 * time.Second, Speed: timesync.Max})
//
// A listener borrows its observations: the Sim reuses an observation after Observe has returned, unless the listener
// has called Retain.
package omnipitch
