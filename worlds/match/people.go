package match

import (
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/worlds"
)

// walker is one person of a world. People stay upright, follow their paths, and wait while somebody is in the way.
type walker struct {
	obstacle int           // index of the person in the model's obstacles
	walk     *worlds.Walk  // the person's path; nil: the person stands
	at       int           // index of the next waypoint
	until    time.Duration // end of the pause at a waypoint, sim time
}

// Parameters of people's motion. All are guesses.
const (
	walkTurn    = 3.5  // rad/s: largest yaw rate
	walkArrived = 0.1  // m: distance at which a waypoint is reached
	walkLook    = 0.35 // m: distance ahead of its own edge at which a person stops for an obstacle
	// fallen: a person that tilts is set upright again when the z component of its own z axis, a unit vector in W, is
	// at most 1 − fallen.
	fallen = 1e-4
)

func newPeople(w *worlds.World) (p []walker) {
	for i := range w.Obstacles {
		if o := &w.Obstacles[i]; o.Person() {
			p = append(p, walker{obstacle: i, walk: o.Walk})
		}
	}
	return p
}

// WalkOn sets the poses and velocities of people for the next step. The engine then moves the people and any bodies
// that they touch.
func (d *Director) WalkOn() error {
	truth := d.sim.Truth()
	for i := range d.people {
		p := &d.people[i]
		now := &truth.Obstacles[p.obstacle]
		if now.PoseWO.Absent() {
			continue
		}
		upright := spatial.Planar(now.PoseWO.Pos[0], now.PoseWO.Pos[1], now.PoseWO.Heading())
		if p.walk == nil {
			if up := now.PoseWO.Rotate(mgl64.Vec3{0, 0, 1}); up[2] > 1-fallen {
				continue
			}
			if err := d.sim.PlaceObstacle(p.obstacle, upright, spatial.Twist{}); err != nil {
				return err
			}
			continue
		}
		if err := d.sim.PlaceObstacle(p.obstacle, upright, p.step(truth, d.model)); err != nil {
			return err
		}
	}
	return nil
}

// step returns the velocity of a walking person for the next step, in W: m/s and rad/s. It also selects the person's
// next waypoint.
func (p *walker) step(now *physics.Snapshot, m *physics.Model) (twist spatial.Twist) {
	if now.Time < p.until {
		return twist
	}
	me := &now.Obstacles[p.obstacle]
	to := mgl64.Vec2{p.walk.Points[p.at].X, p.walk.Points[p.at].Y}.Sub(me.PoseWO.Pos.Vec2())
	if to.Len() < walkArrived {
		p.at, p.until = (p.at+1)%len(p.walk.Points), now.Time+p.walk.Pause
		return twist
	}
	off := spatial.WrapAngle(math.Atan2(to[1], to[0]) - me.PoseWO.Heading())
	dt := m.Step.Seconds()
	twist.Ang[2] = mgl64.Clamp(off/dt, -walkTurn, walkTurn)
	way := to.Normalize()
	if math.Abs(off) > math.Pi/4 || p.blocked(now, m, way) {
		return twist
	}
	speed := min(p.walk.Speed, to.Len()/dt)
	twist.Lin = way.Mul(speed).Vec3(0)
	return twist
}

// blocked reports whether a robot or another obstacle stands in front of a person. The argument way is the direction of
// walking, a unit vector in W.
func (p *walker) blocked(now *physics.Snapshot, m *physics.Model, way mgl64.Vec2) bool {
	me := now.Obstacles[p.obstacle].PoseWO.Pos.Vec2()
	own := max(m.Obstacles[p.obstacle].SizeX, m.Obstacles[p.obstacle].SizeY) / 2
	stands := func(pos mgl64.Vec3, radius float64) bool {
		off := pos.Vec2().Sub(me)
		ahead := off.Dot(way)
		aside := math.Abs(off[0]*way[1] - off[1]*way[0])
		return ahead > 0 && ahead < own+radius+walkLook && aside < own+radius
	}
	for i := range now.Robots {
		if stands(now.Robots[i].PoseWB.Pos, m.Robots[i].Body.Radius) {
			return true
		}
	}
	for i := range now.Obstacles {
		if i != p.obstacle && stands(now.Obstacles[i].PoseWO.Pos, math.Hypot(m.Obstacles[i].SizeX,
			m.Obstacles[i].SizeY)/2) {
			return true
		}
	}
	return false
}

// signPeople adds the walking people to the fingerprint of key frames.
func signPeople(f *keyframe.Fingerprint, p []walker) {
	for i := range p {
		if walk := p[i].walk; walk != nil {
			f.Add("walk")
			f.AddNumber(uint64(p[i].obstacle))
			f.AddNumber(uint64(len(walk.Points)))
		}
	}
}

func (p *walker) Exchange(c *keyframe.Codec) {
	if p.walk == nil {
		return
	}
	c.Index(&p.at, 0, len(p.walk.Points))
	c.Duration(&p.until)
}
