package player

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/keyframe"
)

// Way is a list of way points, and how a robot drives along it.
type Way struct {
	Limits
	Points  []Point  `toml:"way_points" required:"true" minlen:"1" maxlen:"1000" doc:"points in order; if a body is on one, the robot goes as close to it as it can"`
	Heading *float64 `toml:"heading_deg" range:"[-360, 360]" doc:"heading that the robot keeps, anticlockwise from x; left out, it faces its direction"`
}

// Distances at which a way point counts as reached, metres: where the robot stops or turns around, and where it drives
// through. Guesses: the error at which robots come to rest, and half a robot, so that they need not brake in a bend.
const (
	arrived = 0.03
	passed  = 0.25
)

// route drives a robot along a way.
type route struct {
	driver
	*Way
	at   int                             // index of the point that it drives to
	next func(at, points int) (next int) // index of the point after it; −1 at the end
}

func newRoute(m *physics.Model, robot int, w *Way, next func(at, points int) int) route {
	return route{driver: newDriver(m, robot, w.Limits), Way: w, next: next}
}

// follow drives along the way. It returns false at the end.
func (r *route) follow(now *physics.Snapshot, c *physics.Command) bool {
	point := r.Points[r.at].vec()
	next, through := r.next(r.at, len(r.Points)), 0.0
	if next >= 0 {
		way, onwards := point.Sub(r.pos(now)), r.Points[next].vec().Sub(point)
		through = r.speed * max(0, unit(way, mgl64.Vec2{}).Dot(unit(onwards, mgl64.Vec2{})))
	}
	g := goal{place: point, heading: r.facing(now, point), speed: through}
	if r.Heading != nil {
		g.heading = *r.Heading
	}
	near := arrived + (passed-arrived)*math.Min(1, through/r.speed)
	if left := r.drive(now, c, g); left > near {
		return true
	}
	if next < 0 {
		return false
	}
	r.at = next
	return true
}

// Plan implements Planner. It appends the remaining way points, or one round of a way without an end.
func (r *route) Plan(now *physics.Snapshot, into []mgl64.Vec2) []mgl64.Vec2 {
	if r.aim.step != now.Step {
		return into
	}
	for i, at := 0, r.at; i < len(r.Points) && at >= 0; i++ {
		into = append(into, r.Points[at].vec())
		at = r.next(at, len(r.Points))
	}
	return into
}

func (r *route) Exchange(c *keyframe.Codec) {
	r.driver.Exchange(c)
	c.Index(&r.at, 0, len(r.Points))
}
