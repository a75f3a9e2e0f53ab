// Package physics defines what is simulated (Model), its input (Command), its output (Snapshot), and the interface of
// physics engines (Engine). It holds no engine: those are physics/ode, on the Open Dynamics Engine, and physics/planar.
//
// Units are SI, angles radians, frames those of package spatial. A Snapshot is ground truth at one instant; sensors and
// all other consumers read only snapshots. An Engine belongs to one goroutine at a time.
//
//	engine, err := ode.New(model)
//	commands := make([]physics.Command, len(model.Robots))
//	commands[0].TwistB = physics.PlanarTwist{VX: 1}
//	err = engine.Step(commands)
//	var truth physics.Snapshot
//	engine.Snapshot(&truth)
//	fmt.Println(truth.Robots[0].PoseWB.Pos, truth.Ball.PosW)
package physics
