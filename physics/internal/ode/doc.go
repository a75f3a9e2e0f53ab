// Package ode simulates robots and obstacles with the Open Dynamics Engine (libode, through cgo). It has the only C
// code of the physics. Package play adds the ball, and how robots handle it.
//
// The engine cannot restore an earlier state, because libode's own state cannot be restored exactly: a replay runs from
// the start.
//
// Frames are the world W (field centre, z up) and a body's own; units are SI. Robots and obstacles are placed and
// reported by their frame on the floor. A reported velocity is the one that carried a body through the last step. At
// the drive level "wheels" (physics.WheelsDrive) it therefore lags a turning robot by half a step: 2 m/s at 2 rad/s
// shows 1 cm/s to the side.
//
// An engine belongs to one goroutine at a time, on any thread. Engines are independent of each other: each has its own
// threading implementation and random state. The same model and commands give bit-identical snapshots, also while other
// engines run and in other processes. Errors of libode become errors of Step.
//
//	engine, err := ode.New(model)
//	defer engine.Close()
//	commands := make([]physics.Command, len(model.Robots))
//	commands[0] = physics.Command{TwistB: physics.PlanarTwist{VX: 1}, Dribble: true}
//	var truth physics.Snapshot
//	for truth.Time < time.Second {
//		err = engine.Step(commands)
//		engine.Snapshot(&truth)
//	}
//
// # Robots
//
// A robot is an upright cylinder or box, which may fall over.
//
// At the drive level "wheels" each wheel is a foot that holds the floor along its grip, with the friction that its load
// gives. Across the grip it slides freely, as on rollers. A motor's torque is linear in the wheel's rate over a step.
// Wheel, motor and floor are solved together, as a mass with a damper in the foot's constraint, so a stiff controller
// on a light wheel is stable at any step. Without a motor in its configuration the wheel turns at its setpoint, up to a
// force.
//
// At level rollers every wheel is a body on an axle, and every roller near the floor a body on a hinge. A roller is a
// barrel whose lowest point is computed in closed form. The step is divided into substeps of at most 2 ms.
//
// At level chassis the velocity is set, the robot stays upright, and it pushes with its mass times its largest
// acceleration.
//
// # Contacts
//
// Pairs with an upright hull get two contacts, one low and one high, because the single contact of libccd tips robots
// over. Contacts begin a step before hulls overlap. Friction is dry; nothing bounces. The iterative solver takes a pile
// of more than 60 contacts between moving bodies (measured with BenchmarkPile). It also takes a step whose contacts the
// exact solver fails to solve: robots that touch exactly face to face, and a few of a hundred thousand steps of a
// brawl.
//
// Parameters of the world: error reduction 0.2, softness 1e-9, push-out 2 m/s, surface layer 0.1 mm; all measured.
//
// Reference: R. Smith, Open Dynamics Engine user guide, "contact joint" and "slip".
package ode
