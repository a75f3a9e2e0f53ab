// Package play is what all physics engines share: commands and the robots' own controllers, kicking, dribbling, the
// goalkeeper's frame, the ball, and events. An engine brings only what moves robots and obstacles (Bodies).
//
// An Engine belongs to one goroutine at a time. Frames are the world W and a robot's own B; units SI.
//
//	engine, err := play.New(model, bodies) // what ode.New and planar.New return
//	err = engine.Step(commands)
//	engine.Snapshot(&truth)
//
// # One step
//
// Kicks; who holds the ball (physics.Possession); what each controller asks of its drive; then Bodies moves robots and
// obstacles, and the ball moves among them (package ball). What the ball gives them in return they get at the start of the
// next step.
//
// # Holding the ball
//
// At pose the ball is put before the robot after every step, and what it runs into pushes the robot; it is lost when
// wedged in by more than 3 cm. At secant and tangential it gets a velocity at the start of every step, from where the robot
// is and moves then, and is free to run into things or to stay behind. At wheels two friction wheels turn it (ball.Rub).
// It is lost, too, out of the dribbler's reach or when the robot falls over.
package play
