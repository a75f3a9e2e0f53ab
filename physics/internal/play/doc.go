// Package play is the part of the simulation that all physics engines share: commands and the robots' own controllers,
// kicking, dribbling, the goalkeeper's extension, the ball, and events. An engine adds only what moves robots and
// obstacles (Bodies).
//
// An Engine belongs to one goroutine at a time. Frames are the world W and a robot's own B; units SI.
//
//	engine, err := play.New(model, bodies) // what ode.New and planar.New return
//	err = engine.Step(commands)
//	engine.Snapshot(&truth)
//
// # One step
//
// Kicks are carried out; it is decided which robot holds the ball (physics.Possession); controllers set the setpoints
// of drives; Bodies moves robots and obstacles; the ball moves among them (package ball). The ball's impulses on them
// act at the start of the next step.
//
// # Holding the ball
//
// With method pose the ball is placed in front of the robot after every step, and what it hits pushes the robot; it is
// lost if it overlaps another body by more than 3 cm. With secant and tangential it gets a velocity at the start of
// every step, by the robot's pose and velocity then, and is free to hit other bodies or to fall behind. With wheels two
// friction wheels turn it (ball.Rub). With all methods it is lost out of the dribbler's reach, or when the robot falls
// over.
package play
