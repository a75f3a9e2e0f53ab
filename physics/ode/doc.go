// Package ode moves robots and obstacles on the Open Dynamics Engine (libode, through cgo). It is the only C of the
// physics. What robots do with a ball, and the ball, package play adds.
//
// It knows no sensor and no clock, keeps no history, and restores no earlier state: libode's own would not be exact,
// so a replay runs again from the start.
//
// Frames are the world W (field centre, z up) and a body's own; units SI. Robots and obstacles are placed and reported
// by their frame on the floor. A velocity is the one that carried a body through the last step, so at level wheels it
// lags a turning robot by half a step (2 m/s at 2 rad/s shows 1 cm/s to the side).
//
// An engine belongs to one goroutine at a time, on any thread; engines are independent of each other: each has its
// own threading implementation and random state. The same model and commands give the same bytes, beside other
// worlds and in other processes. What libode reports becomes an error of the step.
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
// At level wheels each wheel is a foot that holds the floor along its grip and slides freely across it (its rollers), with
// the friction that the load on it gives. A motor's torque is linear in the wheel's rate over a step; wheel, motor
// and floor are solved together, as a mass with a damper that the foot's constraint carries: a stiff controller on a light wheel is
// stable at any step. Without a motor in its configuration the wheel turns as told, up to a force.
//
// At level rollers every wheel is a body on an axle, and every roller near the floor one on a hinge: a barrel whose lowest
// point is known in closed form. The step is cut into pieces of at most 2 ms.
//
// At level chassis the velocity is set, the robot stays upright, and pushes with its mass times its largest acceleration.
//
// # Contacts
//
// Pairs with an upright hull get two contacts made by hand, one low and one high: a single one from libccd tips robots over.
// Contacts are made a step before hulls overlap. Friction is dry; nothing bounces. A pile of more than 60 contacts between
// moving bodies gets the iterative solver: measured, BenchmarkPile. So does a step on whose contacts the exact one gives up, which
// happens to robots that meet exactly face to face, and a few times in a hundred thousand steps of a brawl.
//
// World: error reduction 0.2, softness 1e-9, push-out 2 m/s, surface layer 0.1 mm: measured.
//
// Reference: R. Smith, Open Dynamics Engine user guide, "contact joint" and "slip".
package ode
