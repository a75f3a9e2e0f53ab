package assess

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction/random"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// thingName identifies the ball, or another robot or an obstacle by its index in the world.
type thingName struct {
	kind  Kind
	robot bool // an obstacle that is a robot
	index int
}

// nameOf returns the name of a thing.
func (a *Assessment) nameOf(x thingName) string {
	switch {
	case x.kind == Ball:
		return "ball"
	case x.robot:
		return a.world.Robots[x.index].Name
	}
	return a.world.AllObstacles()[x.index].Name
}

// put moves a thing in a snapshot.
func (x thingName) put(s *physics.Snapshot, at mgl64.Vec2, radius float64) {
	switch pose := spatial.Planar(at[0], at[1], 0); {
	case x.kind == Ball:
		s.Ball.PosW = mgl64.Vec3{at[0], at[1], radius}
	case x.robot:
		s.Robots[x.index].PoseWB = pose
	default:
		s.Obstacles[x.index].PoseWO = pose
	}
}

// spot is a place for a thing, in W.
type spot struct {
	at, vel mgl64.Vec2
	heading float64 // of the thing, rad
}

// after returns where the thing is some seconds later.
func (s *spot) after(dt float64) mgl64.Vec2 {
	v := s.vel.Len()
	if v == 0 {
		return s.at
	}
	dt = min(dt, v/rolling)
	return s.at.Add(s.vel.Mul(dt * (1 - rolling*dt/(2*v))))
}

// place moves the things of the tour to positions around the robot. If the camera does not see all around, they are
// where it sees them, and place returns the robot's pose with a heading at which the camera sees t.watched. Otherwise
// it returns me.
func (t *tour) place(me spatial.Pose, now *physics.Snapshot) spatial.Pose {
	const tries = 100
	var taken []mgl64.Vec2
	for i := range now.Robots { // robots that move by themselves
		if p := now.Robots[i].PoseWB.Pos; i != t.a.robot && t.a.world.Robots[i].Player != nil {
			taken = append(taken, mgl64.Vec2{p[0], p[1]})
		}
	}
	now.CopyTo(&t.planned)
	for _, x := range t.things {
		x.put(&t.planned, away, 0)
	}
	things, watch := t.order()
	motion := t.motion
	for try := range tries { // the harder it is to keep things in view, the slower they and the robot move
		t.motion = motion.slower(1-float64(try)/tries, t.kind == DriveTour && t.sight.wide)
		if t.placeWatched(me, things[:watch], uint64(try*len(things)), taken, try < tries/2) {
			break
		}
	}
	me = t.planned.Robots[t.a.robot].PoseWB
	for i := range t.watched {
		taken = append(taken, t.spots[i].at)
		t.put(t.watched[i], t.spots[i])
	}
	for i, x := range things[len(t.watched):] {
		for try := range tries {
			s := t.draw(me, x, uint64(tries*(len(things)+i)+try), true)
			if !t.free(s.at, taken) {
				continue
			}
			x.put(&t.planned, s.at, t.a.world.Ball.Radius)
			if t.inView(&t.planned) {
				taken = append(taken, s.at)
				t.put(x, s)
				break
			}
			x.put(&t.planned, away, 0)
		}
	}
	return me
}

// placeWatched draws places for the things that the camera watches, and the robot's heading, and stores them in
// t.watched, t.spots and t.planned. It returns false if they would not stay in view. If inView is false, the robot has
// to turn to see them.
func (t *tour) placeWatched(me spatial.Pose, things []thingName, item uint64, taken []mgl64.Vec2, inView bool) bool {
	t.watched, t.spots = t.watched[:0], t.spots[:0]
	robot := &t.planned.Robots[t.a.robot]
	robot.PoseWB = me
	ok := true
	for i, x := range things {
		s := t.draw(robot.PoseWB, x, item+uint64(i), inView || i > 0)
		ok = ok && t.free(s.at, taken) && t.stays(me, s)
		taken = append(taken, s.at)
		x.put(&t.planned, s.at, t.a.world.Ball.Radius)
		t.watched, t.spots = append(t.watched, x), append(t.spots, s)
		if !t.sight.wide {
			robot.PoseWB = spatial.Planar(me.Pos[0], me.Pos[1], t.facing(&t.planned))
		}
	}
	if ok && t.inView(&t.planned) {
		return true
	}
	for _, x := range things {
		x.put(&t.planned, away, 0)
	}
	robot.PoseWB = me
	t.watched, t.spots = t.watched[:0], t.spots[:0]
	return false
}

// put places a thing.
func (t *tour) put(x thingName, s spot) {
	t.do(&action.Place{Name: t.a.nameOf(x), X: s.at[0], Y: s.at[1], Heading: s.heading, VX: s.vel[0], VY: s.vel[1]})
}

// away is a place that no camera sees.
var away = mgl64.Vec2{1e4, 1e4}

// order returns the things of the tour in the order in which they are placed, and how many of them the camera watches:
// one of each kind that is assessed. If the vision reports neither the ball nor obstacles, the camera watches the ball,
// which lies on the field like its lines.
func (t *tour) order() (things []thingName, watch int) {
	reports := t.a.reported()
	if reports[Ball] || !reports[Obstacles] || len(t.things) == 1 {
		things = append(things, t.things[0])
	}
	if others := t.things[1:]; len(others) > 0 {
		first := int(t.scene) % len(others)
		things = append(things, others[first:]...)
		things = append(things, others[:first]...)
	}
	watch = 1
	if reports[Ball] && reports[Obstacles] {
		watch = min(2, len(things))
	}
	if things[0] != t.things[0] {
		things = append(things, t.things[0])
	}
	return things, watch
}

// reported returns the kinds that the vision reports, as far as messages, or the names of topics, tell.
func (a *Assessment) reported() map[Kind]bool {
	all := map[Kind]bool{}
	for _, t := range a.topics {
		if t.form == nil {
			all[(&part{kind: Self, byName: true}).kindOn(t.Topic)] = true
			continue
		}
		for _, k := range t.form.kindsOf(t.Topic) {
			all[k] = true
		}
	}
	return all
}

// draw draws a place for a thing, up to Config.Range from the robot's pose. If inView is true, it lies in the direction
// of the camera. The ball rolls in half of the scenes.
func (t *tour) draw(me spatial.Pose, x thingName, item uint64, inView bool) (s spot) {
	uniform := func(stream uint16, k uint64) float64 { return t.now.Uniform(random.Index(stream, k)) }
	d := t.sight.near + (t.sight.far-t.sight.near)*uniform(streamThing, 3*item)
	bearing := 2 * math.Pi * uniform(streamThing, 3*item+1)
	if inView && !t.sight.wide {
		bearing = t.sight.axis + t.sight.half*(bearing/math.Pi-1)
	}
	p := me.Apply(mgl64.Vec3{d * math.Cos(bearing), d * math.Sin(bearing), 0})
	s.at, s.heading = mgl64.Vec2{p[0], p[1]}, 2*math.Pi*uniform(streamThing, 3*item+2)
	if rolls := uniform(streamRolls, 0) < 0.5; rolls && x.kind == Ball {
		sin, cos := math.Sincos(2 * math.Pi * uniform(streamVelocity, 2*item))
		s.vel = mgl64.Vec2{cos, sin}.Mul(t.motion.share * topSpeed * uniform(streamVelocity, 2*item+1))
	}
	return s
}

// free reports whether a thing may be placed at a position.
func (t *tour) free(at mgl64.Vec2, taken []mgl64.Vec2) bool {
	if !t.onField(at) {
		return false
	}
	for _, o := range taken {
		if at.Sub(o).Len() < elbowRoom {
			return false
		}
	}
	return true
}

func (t *tour) onField(at mgl64.Vec2) bool {
	f := &t.a.world.Field
	return math.Abs(at[0]) <= f.Length/2 && math.Abs(at[1]) <= f.Width/2
}

// stays reports whether a watched thing probably stays on the field, near enough to be seen, and in view together with
// the other watched thing, until the scene ends.
func (t *tour) stays(me spatial.Pose, s spot) bool {
	const samples, share = 5, 0.8
	for i := range samples {
		dt := t.length.Seconds() * float64(i+1) / samples
		robot := t.motion.after(me, dt)
		at := s.after(dt)
		to := at.Sub(robot)
		if d := to.Len(); d > t.sight.far || d < t.sight.near || !t.onField(at) {
			return false
		}
		for _, o := range t.spots {
			other := o.after(dt).Sub(robot)
			between := spatial.WrapAngle(math.Atan2(to[1], to[0]) - math.Atan2(other[1], other[0]))
			if !t.sight.wide && math.Abs(between) > share*2*t.sight.half {
				return false
			}
		}
	}
	return true
}

// motion is how the robot moves in a scene: to a goal at a speed, or, if circles is true, at constant speed and rate of
// turn.
type motion struct {
	goal    mgl64.Vec2
	speed   float64 // m/s
	circles bool
	turn    float64 // rad/s
	share   float64 // of its speed that the ball gets
}

// slower returns the motion at a share of its speed. If ballOnly is true, only the ball is slower.
func (m motion) slower(share float64, ballOnly bool) motion {
	if m.share = share; !ballOnly {
		m.speed, m.turn = m.speed*share, m.turn*share
	}
	return m
}

// after returns where the robot is some seconds after it has been at a pose.
func (m *motion) after(from spatial.Pose, dt float64) mgl64.Vec2 {
	at := mgl64.Vec2{from.Pos[0], from.Pos[1]}
	if !m.circles {
		way := m.goal.Sub(at)
		if left := way.Len(); left > 0 {
			return at.Add(way.Mul(min(1, m.speed*dt/left)))
		}
		return at
	}
	sin, cos := math.Sincos(from.Heading() + m.turn*dt/2)
	chord := m.speed * dt
	if half := m.turn * dt / 2; math.Abs(half) > 1e-9 {
		chord *= math.Sin(half) / half
	}
	return at.Add(mgl64.Vec2{cos, sin}.Mul(chord))
}
