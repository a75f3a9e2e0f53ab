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

// Distances in m at which a way point counts as reached. The first is for way points where the robot stops or turns
// around, the second for those that it drives through. The values are guesses: the first is the error with which robots
// come to rest; the second is half the width of a robot, so that a robot need not brake in a bend.
const (
	arrived = 0.03
	passed  = 0.25
)

// route drives a robot along the way points of a Way.
type route struct {
	driver
	*Way
	at int // index of the way point that the robot drives to
	// returns the index of the way point that follows the one with the given index, or −1 at the end of the way; points
	// is the number of way points
	next func(at, points int) (next int)
}

func newRoute(m *physics.Model, robot int, w *Way, next func(at, points int) int) route {
	return route{driver: newDriver(m, robot, w.Limits), Way: w, next: next}
}

// follow drives along the way. It returns false once the robot has reached the end.
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

// Plan implements Planner. It appends the remaining way points. For a way without an end it appends one round.
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

// Follow is the behaviour of a robot that drives along way points once, and stops at the last of them.
type Follow struct{ Way }

func (*Follow) Validate(string, World) error { return nil }

// Start returns a player that ends at the last way point.
func (f *Follow) Start(m *physics.Model, robot int) Player {
	r := newRoute(m, robot, &f.Way, func(at, points int) int {
		if at == points-1 {
			return -1
		}
		return at + 1
	})
	return &follower{r}
}

type follower struct{ route }

func (f *follower) Command(now *physics.Snapshot, c *physics.Command) bool {
	before := *c
	if f.follow(now, c) {
		return true
	}
	*c = before
	return false
}

// Patrol is the behaviour of a robot that drives from way point to way point without end. After the last way point it
// goes on to the first, or it drives back and forth.
type Patrol struct {
	Way
	BackAndForth bool `toml:"back_and_forth" doc:"returns the same way; otherwise it goes from the last way point to the first"`
}

func (*Patrol) Validate(string, World) error { return nil }

func (p *Patrol) Start(m *physics.Model, robot int) Player {
	t := &patroller{}
	next := func(at, points int) int { return (at + 1) % points }
	if p.BackAndForth {
		next = t.backAndForth
	}
	t.route = newRoute(m, robot, &p.Way, next)
	return t
}

type patroller struct {
	route
	from int // index of the previous way point
}

// Command drives along the way.
func (t *patroller) Command(now *physics.Snapshot, c *physics.Command) bool {
	if at := t.at; t.follow(now, c) && t.at != at {
		t.from = at
	}
	return true
}

// backAndForth returns the index of the way point that follows the one with the given index. The robot goes on in its
// present direction, and turns round at both ends of the way.
func (t *patroller) backAndForth(at, points int) int {
	onwards := at >= t.from
	switch {
	case points == 1:
		return 0
	case at == points-1 || !onwards && at > 0:
		return at - 1
	}
	return at + 1
}

func (t *patroller) Exchange(c *keyframe.Codec) {
	t.route.Exchange(c)
	c.Index(&t.from, 0, len(t.Points))
}
