// Package ball simulates the ball: flight, bounces, sliding, rolling, and its contacts with moving and static bodies.
// All engines share it.
//
// It knows no robots, only convex shapes with a velocity and a mass (Solid), and friction wheels (Rub). It changes no
// state but the ball's, and returns the impulses on the solids.
//
// The frame is the world W (z up, floor at 0); units are SI. A Ball belongs to one goroutine at a time. A step
// allocates memory only when it has more contacts than any step before.
//
// # Method
//
// A step is divided where the ball lands and where it hits something fast, and into substeps in which it moves by at
// most half its radius, at most 64 in all. So it passes through nothing and bounces in time. In every substep the
// ball's contacts are solved together by sequential impulses (Catto 2005) with dry friction and restitution. Substeps
// without an impact are integrated with the mean velocity, which is exact under constant acceleration: sliding, rolling
// and, without air, flight follow their closed forms.
//
//	b := ball.New(model)
//	b.Put(mgl64.Vec3{0, 0, 1}, spatial.Twist{})
//	b.Step(dt, solids, nil)
//	fmt.Println(b.Pos, b.Twist)
package ball
