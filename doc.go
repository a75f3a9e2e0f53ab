// Package omnipitch simulates what soccer robots of the RoboCup Middle Size League sense, each sensor at the level of
// detail that a test needs: rendered pixels, or ground truth with honest noise, switched while it runs.
//
// A Sim owns the step: commands in, one step of physics, sensors that are due, observations out. It knows no wire
// format (package robotio does) and no command line. Units are SI and radians; frames are those of package spatial; W
// is the world, B a robot's body.
//
// Step, Run, listeners and timers share one goroutine. Any goroutine may call Ask, Level, Listen, After, Every, Factor,
// Clock, Lockstep and World, and Do with actions that can be done at any time: commands of robots, and levels. The rest
// belongs to the goroutine that steps, Capture and other actions among it: others have it done by After(0, …). Plug,
// PlugLevel, OnStep, OnClock and OnLevel come before the first step.
//
//	world, err := worlds.Load("nubot-attack")
//	sim, err := omnipitch.New(world, omnipitch.Options{})
//	defer sim.Close()
//	sim.Listen("cyan1", "omni", omnipitch.Listener{Observe: func(o *sensors.Observation) { fmt.Println(o.Stamp) }})
//	sim.Do(&action.Drive{Robot: "cyan1", VX: 1})
//	report, err := sim.Run(ctx, omnipitch.Pace{For: 10 * time.Second, Speed: timesync.Max})
//
// What a listener gets is lent: it goes back when Observe returns, unless it is retained.
package omnipitch
