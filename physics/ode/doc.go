// Package ode runs a physics.Scene on the Open Dynamics Engine (libode, through cgo). It is the only C of the physics.
//
// It knows no sensor and no clock, keeps no history, and restores no earlier state: libode's own would not be exact,
// so a replay runs again from the start.
//
// Frames are the world W (field centre, z up) and a body's own; units SI. Robots and obstacles are placed and reported
// by their frame on the floor, the ball by its centre. A velocity is the one that carried a body through the last step,
// so at level wheels it lags a turning robot by half a step (2 m/s at 2 rad/s shows 1 cm/s to the side).
//
// An Engine belongs to one goroutine at a time, on any thread; engines are independent of each other. The same scene
// and commands give the same bytes, beside other worlds and in other processes.
//
//	engine, err := ode.New(scene)
//	defer engine.Close()
//	commands := make([]physics.Command, len(scene.Robots))
//	commands[0] = physics.Command{TwistB: physics.PlanarTwist{VX: 1}, Dribble: true}
//	var truth physics.Snapshot
//	for truth.Time < time.Second {
//		err = engine.Step(commands)
//		engine.Snapshot(&truth)
//	}
//
// # Robots
//
// An upright cylinder. Its own controller limits the command and ramps from what the encoders say. At level wheels each
// wheel is a foot that holds the floor along the wheel's rim and slides freely across it (its rollers), moving at rim
// speed; what it can push is the lesser of friction and motor force. A motor too weak to spin its wheel shows the
// encoder the floor's speed, a stronger one its own. At level chassis the velocity is set, the robot stays upright, and
// pushes with its mass times its largest acceleration. Wheels have no inertia of their own.
//
// # Ball
//
// A hollow sphere. Free flight is the exact parabola. A step is divided so that the ball moves at most half its radius
// between two looks at its contacts. Boards stop it up to the field's wall height, and robots at any height; a ball that
// flies over them leaves the hall. Robots have conical tops on which none comes to rest.
//
// A held ball is part of its robot: it is put before it after every step, and what it runs into pushes the robot. It is
// lost when wedged in by more than 3 cm or when the robot falls over. Who may take it says physics.Possession, where a
// kick goes physics.Scene.Launch.
//
// # Constants
//
// World: error reduction 0.2, softness 1e-9, push-out 2 m/s, surface layer 0.1 mm; bounce threshold 0.1 m/s: measured.
// Ball against robots keeps 0.3 of its speed, against nets 0.05, and is pushed out at 0.3 m/s: guesses. A pile of
// more than 40 contacts between moving bodies gets the iterative solver: measured, BenchmarkPile.
//
// Reference: R. Smith, Open Dynamics Engine user guide, "contact joint" and "rolling friction".
package ode
