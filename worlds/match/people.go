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

// walker is a body that moves on its own, or a person who stands. Walkers stay upright.
type walker struct {
	obstacle int            // index in the model's obstacles
	motion   *worlds.Motion // how it moves
	target   physics.BodyID // body that it follows
	at       int            // index of the next waypoint
	until    time.Duration  // end of the pause at a waypoint, sim time
}

// Parameters of people's motion. All are guesses.
const (
	walkTurn    = 3.5  // rad/s: largest yaw rate
	walkArrived = 0.1  // m: distance at which a waypoint is reached
	walkLook    = 0.35 // m: distance ahead of its own edge at which a person who avoids nothing stops for an obstacle
	// fallen: a person that tilts is set upright again when the z component of its own z axis, a unit vector in W, is
	// at most 1 − fallen.
	fallen = 1e-4
)

// newPeople returns the walkers of a world, and what they avoid.
func newPeople(w *worlds.World, m *physics.Model) (p []walker, around *obstructions) {
	for i, o := range w.AllObstacles() {
		if !o.Person() && !o.Moves() {
			continue
		}
		next := walker{obstacle: i, motion: &o.Motion}
		if o.Follow != nil {
			for next.target < m.BallID() && m.BodyName(next.target) != o.Follow.Name {
				next.target++
			}
		}
		if p = append(p, next); around == nil && (o.Follow != nil || o.Walk != nil && o.Walk.Avoid) {
			around = newObstructions(m)
		}
	}
	return p, around
}

// WalkOn sets the poses and velocities of walkers for the next step. The engine then moves them and any bodies that
// they touch.
func (d *Director) WalkOn() error {
	truth := d.sim.Truth()
	for i := range d.people {
		p := &d.people[i]
		now := &truth.Obstacles[p.obstacle]
		if now.PoseWO.Absent() {
			continue
		}
		upright := spatial.Planar(now.PoseWO.Pos[0], now.PoseWO.Pos[1], now.PoseWO.Heading())
		if !p.motion.Moves() {
			if up := now.PoseWO.Rotate(mgl64.Vec3{0, 0, 1}); up[2] > 1-fallen {
				continue
			}
			if err := d.sim.PlaceObstacle(p.obstacle, upright, spatial.Twist{}); err != nil {
				return err
			}
			continue
		}
		if err := d.sim.PlaceObstacle(p.obstacle, upright, p.step(truth, d.model, d.around)); err != nil {
			return err
		}
	}
	return nil
}

// step returns the velocity of a walker for the next step, in W: m/s and rad/s. It also selects the next waypoint.
func (p *walker) step(now *physics.Snapshot, m *physics.Model, around *obstructions) (twist spatial.Twist) {
	me := &now.Obstacles[p.obstacle].PoseWO
	heading := me.Heading()
	var to mgl64.Vec2
	var speed float64
	avoid := true
	switch {
	case p.motion.Drive != nil:
		v := p.motion.Drive
		ahead := direction(heading)
		twist.Lin = mgl64.Vec3{ahead[0]*v.VX - ahead[1]*v.VY, ahead[1]*v.VX + ahead[0]*v.VY, 0}
		twist.Ang[2] = v.Omega
		return twist
	case p.motion.Follow != nil:
		at := poseOf(now, p.target)
		to = at.Pos.Vec2().Sub(me.Pos.Vec2())
		rest := to.Len() - p.motion.Follow.Distance
		if at.Absent() || rest < walkArrived {
			return twist
		}
		to, speed = to.Normalize().Mul(rest), p.motion.Follow.Speed
	default:
		if now.Time < p.until {
			return twist
		}
		walk := p.motion.Walk
		to = mgl64.Vec2{walk.Points[p.at].X, walk.Points[p.at].Y}.Sub(me.Pos.Vec2())
		if to.Len() < walkArrived {
			p.at, p.until = (p.at+1)%len(walk.Points), now.Time+walk.Pause
			return twist
		}
		speed, avoid = walk.Speed, walk.Avoid
	}
	way := to.Normalize()
	if avoid {
		most := min(to.Len(), walkHorizon)
		if around.lookFrom(p.obstacle, now); around.free(way, speed, most) < most {
			return around.around(heading, to, speed)
		}
	}
	off := spatial.WrapAngle(math.Atan2(to[1], to[0]) - heading)
	dt := m.Step.Seconds()
	twist.Ang[2] = mgl64.Clamp(off/dt, -walkTurn, walkTurn)
	if math.Abs(off) > math.Pi/4 || !avoid && p.blocked(now, m, way) {
		return twist
	}
	twist.Lin = way.Mul(min(speed, to.Len()/dt)).Vec3(0)
	return twist
}

// poseOf returns the pose of a body in W.
func poseOf(now *physics.Snapshot, id physics.BodyID) spatial.Pose {
	switch n := len(now.Robots); {
	case int(id) < n:
		return now.Robots[id].PoseWB
	case id == now.BallID():
		return spatial.Translation(now.Ball.PosW)
	default:
		return now.Obstacles[int(id)-n].PoseWO
	}
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
		if i != p.obstacle && stands(now.Obstacles[i].PoseWO.Pos, m.Obstacles[i].Radius()) {
			return true
		}
	}
	return false
}

// signPeople adds the walking people to the fingerprint of key frames.
func signPeople(f *keyframe.Fingerprint, p []walker) {
	for i := range p {
		if walk := p[i].motion.Walk; walk != nil {
			f.Add("walk")
			f.AddNumber(uint64(p[i].obstacle))
			f.AddNumber(uint64(len(walk.Points)))
		}
	}
}

func (p *walker) Exchange(c *keyframe.Codec) {
	if p.motion.Walk == nil {
		return
	}
	c.Index(&p.at, 0, len(p.motion.Walk.Points))
	c.Duration(&p.until)
}
