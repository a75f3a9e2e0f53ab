// Package physics says what is simulated (Model), what drives it (Command), what comes out (Snapshot), and how an
// engine turns one into the other (Engine). It holds no engine: physics/ode wraps the Open Dynamics Engine.
//
// Units are SI, angles radians, frames those of package spatial. A Snapshot is ground truth for one instant and is
// never written again after Engine.Snapshot has filled it; everything behind the physics reads only snapshots. An
// Engine belongs to one goroutine at a time.
//
//	engine, err := ode.New(model)
//	commands := make([]physics.Command, len(model.Robots))
//	commands[0].TwistB = physics.PlanarTwist{VX: 1}
//	err = engine.Step(commands)
//	var truth physics.Snapshot
//	engine.Snapshot(&truth)
//	fmt.Println(truth.Robots[0].PoseWB.Pos, truth.Ball.PosW)
package physics
