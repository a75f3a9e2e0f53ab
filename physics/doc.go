// Package physics defines what is simulated (Model), its input (Command), its output (Snapshot), and the interface of
// physics engines (Engine). It contains no engine: package physics/engine makes engines. Units are SI, and angles are
// in radians. Package spatial defines the frames. A Snapshot is ground truth at one instant; sensors and all other
// consumers read only snapshots. An Engine belongs to one goroutine at a time.
//
//	e, err := engine.New(model)
//	commands := make([]physics.Command, len(model.Robots))
//	commands[0].TwistB = physics.PlanarTwist{VX: 1}
//	err = e.Step(commands)
//	var truth physics.Snapshot
//	e.Snapshot(&truth)
//	fmt.Println(truth.Robots[0].PoseWB.Pos, truth.Ball.PosW)
package physics
