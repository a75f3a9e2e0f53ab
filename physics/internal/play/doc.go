// Package play is the part of the simulation that all physics engines share: commands and the robots' own controllers,
// kicking, dribbling, the goalkeeper's extension, the ball, and events. An engine adds only the motion of robots and
// obstacles (Bodies).
//
// An Engine belongs to one goroutine at a time. Frames are the world W and a robot's own B; units are SI.
//
//	engine, err := play.Open(model, newBodies) // as ode.New does
//	err = engine.Step(commands)
//	engine.Snapshot(&truth)
//
// # One step
//
// A step has five parts. It carries out kicks. It decides which robot holds the ball (physics.Possession). The robots'
// controllers set the setpoints of their drives. Bodies moves robots and obstacles. Then the ball moves among them
// (package ball). The ball's impulses on robots and obstacles act at the start of the next step.
//
// # Level walk
//
// A robot at level walk moves by its gait (package legs) and by the errors of [physics.Walk], without forces on its
// legs. Bodies moves the gait's frame R over the floor as it moves a robot on wheels. The robot's own frame B sways
// over R, and the legs reach the floor below it. When the robot falls over, B turns about an edge of the soles as an
// inverted pendulum, comes to rest where the centre of mass is lowest, and turns back when the robot gets up. Its
// lowest point touches the floor all the time. R stays at its place, and so does the hull that other bodies meet.
//
// # Holding the ball
//
// Method pose places the ball in front of the robot after every step, and bodies that the ball hits push the robot. The
// robot loses the ball if it overlaps another body by more than 3 cm. Methods secant and tangential give the ball a
// velocity at the start of every step, computed from the robot's pose and velocity then. The ball is free to hit other
// bodies or to fall behind. With method wheels, two friction wheels turn the ball (ball.Rub). With all methods the
// robot loses the ball when it is out of the dribbler's reach, or when the robot falls over.
package play
