// Package ode simulates robots and obstacles with the Open Dynamics Engine (libode, through cgo). It is the only C of
// the physics. Package play adds the ball, and what robots do with it.
//
// It cannot restore an earlier state, since libode's own state cannot be restored exactly: a replay runs from the
// start.
//
// Frames are the world W (field centre, z up) and a body's own; units SI. Robots and obstacles are placed and reported
// by their frame on the floor. A velocity is the one that carried a body through the last step, so at level wheels it
// lags a turning robot by half a step (2 m/s at 2 rad/s shows 1 cm/s to the side).
//
// An engine belongs to one goroutine at a time, on any thread; engines are independent of each other: each has its own
// threading implementation and random state. The same model and commands give bit-identical snapshots, also beside
// other engines and in other processes. Errors of libode become errors of Step.
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
// An upright cylinder, which may fall over.
//
// At level wheels each wheel is a foot that holds the floor along its grip and slides freely across it (its rollers),
// with the friction that the load on it gives. A motor's torque is linear in the wheel's rate over a step; wheel, motor
// and floor are solved together, as a mass with a damper that the foot's constraint carries: a stiff controller on a
// light wheel is stable at any step. Without a motor in its configuration the wheel turns at its setpoint, up to a
// force.
//
// At level rollers every wheel is a body on an axle, and every roller near the floor a body on a hinge: a barrel whose
// lowest point is computed in closed form. The step is divided into substeps of at most 2 ms.
//
// At level chassis the velocity is set, the robot stays upright, and pushes with its mass times its largest
// acceleration.
//
// # Contacts
//
// Pairs with an upright hull get two contacts of our own, one low and one high: libccd's single one tips robots over.
// Contacts begin a step before hulls overlap. Friction is dry; nothing bounces. A pile of more than 60 contacts between
// moving bodies is solved by the iterative solver: measured, BenchmarkPile. So is a step whose contacts the exact
// solver fails to solve: robots that touch exactly face to face, and a few of a hundred thousand steps of a brawl.
//
// World: error reduction 0.2, softness 1e-9, push-out 2 m/s, surface layer 0.1 mm: measured.
//
// Reference: R. Smith, Open Dynamics Engine user guide, "contact joint" and "slip".
package ode
