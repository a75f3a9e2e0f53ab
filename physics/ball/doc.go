// Package ball moves the ball: flight, bounces, sliding, rolling, and its meetings with whatever else moves or stands.
// All engines share it, so that they agree about the ball.
//
// It knows no robot, only convex shapes with a velocity and a mass (Solid), and wheels that rub on the ball
// (Rub). It writes no state but the ball's, and reports the impulses that the solids get in return.
//
// Frame is the world W (z up, floor at 0); units SI. A State belongs to one goroutine at a time; a step allocates nothing
// once it has seen as many contacts as it will.
//
// # Method
//
// A step is cut where the ball lands and where it runs into something fast, at most 32 times, and into pieces in which it
// moves by no more than half its radius, so that nothing is passed through and nothing bounces late. In every piece
// the ball's contacts are solved together by sequential impulses (Catto 2005) with dry friction and restitution. Pieces
// without an impact are integrated with the mean velocity, which is exact under constant acceleration: sliding, rolling
// and, without air, flight follow their closed forms.
//
//	b := ball.New(model)
//	b.Put(mgl64.Vec3{0, 0, 1}, spatial.Twist{})
//	b.Step(dt, solids, nil)
//	fmt.Println(b.Pos, b.Twist)
package ball
