package player

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// ballPlayer is a driver that can fetch, carry and kick the ball.
type ballPlayer struct {
	driver
	pushes bool    // it is behind the ball and pushes it
	hold   float64 // distance of the ball's centre from the robot's when it is taken, metres
}

func newBallPlayer(m *physics.Model, robot int, l Limits) ballPlayer {
	p := ballPlayer{driver: newDriver(m, robot, l)}
	r := &m.Robots[robot]
	if p.hold = r.Body.Front() + m.Ball.Radius; r.Dribbler != nil {
		p.hold = max(p.hold, r.Dribbler.Hold)
	}
	return p
}

func (p *ballPlayer) Exchange(c *keyframe.Codec) {
	p.driver.Exchange(c)
	c.Bool(&p.pushes)
}

// Guesses about how well the ball is handled.
const (
	ontoBall  = 0.03                 // m: how much nearer the robot drives than it holds the ball
	nearBall  = 1.0                  // m: distance at which it follows a ball that rolls away
	aimError  = 1.5 * spatial.Degree // with which it kicks
	aimTurn   = 0.3                  // rad/s: fastest turn at a kick
	aimSpeed  = 0.2                  // m/s: fastest drive at a kick
	farthest  = 3.0                  // s: how far ahead it looks where a rolling ball will be
	pushSpeed = 0.8                  // m/s: with which it drives against the ball that it pushes
	kickReach = 0.1                  // m: gap up to which a robot without a dribbler kicks
	kickAngle = 20 * spatial.Degree  // to either side, the same
)

// has tells whether the robot holds the ball.
func (p *ballPlayer) has(now *physics.Snapshot) bool { return now.Ball.HeldBy == p.robot }

// stay changes a command so that the robot brakes, stays where it is and turns to a heading.
func (p *ballPlayer) stay(now *physics.Snapshot, c *physics.Command, heading float64) {
	p.drive(now, c, goal{place: p.pos(now), heading: heading, carry: p.has(now)})
}

// fetch changes a command so that the robot goes to where it can meet the ball, and takes it.
func (p *ballPlayer) fetch(now *physics.Snapshot, c *physics.Command) {
	c.Dribble = p.model.Robots[p.robot].Dribbler != nil
	pos, ball := p.pos(now), flat(now.Ball.PosW)
	meet := p.inside(p.meeting(now, pos))
	ahead := unit(meet.Sub(pos), mgl64.Vec2{1, 0})
	g := goal{place: meet.Sub(ahead.Mul(p.hold - ontoBall)), heading: p.facing(now, meet)}
	if off := ball.Sub(pos); off.Len() < nearBall {
		g.heading = p.facing(now, ball)
		ahead = unit(off, ahead)
		g.vel = ahead.Mul(max(0, flat(now.Ball.TwistInW.Lin).Dot(ahead)))
	}
	p.drive(now, c, g)
}

// meeting returns where the robot can be as soon as the ball, if it rolls on.
func (p *ballPlayer) meeting(now *physics.Snapshot, pos mgl64.Vec2) mgl64.Vec2 {
	ball, vel := flat(now.Ball.PosW), flat(now.Ball.TwistInW.Lin)
	speed, decel := vel.Len(), p.model.Ball.RollingDecel
	at := ball
	for range 4 { // each brings it several times nearer
		t := min(farthest, max(0, at.Sub(pos).Len()-p.hold)/p.speed)
		if decel > 0 {
			t = min(t, speed/decel)
		}
		at = ball.Add(vel.Mul(t)).Sub(unit(vel, mgl64.Vec2{}).Mul(decel * t * t / 2))
	}
	return at
}

// inside returns the place within the goal lines, before the posts, and within the boards, that is nearest to one: a
// ball elsewhere is not fetched.
func (p *ballPlayer) inside(place mgl64.Vec2) mgl64.Vec2 {
	f := &p.model.Field
	x, y := f.Length/2, f.Width/2+f.Border-p.model.Ball.Radius
	return mgl64.Vec2{mgl64.Clamp(place[0], -x, x), mgl64.Clamp(place[1], -y, y)}
}

// carry changes a command so that the robot takes the ball, which it holds, to a place. It returns the ball's distance
// from there, metres.
func (p *ballPlayer) carry(now *physics.Snapshot, c *physics.Command, to mgl64.Vec2) float64 {
	c.Dribble = true
	ahead := unit(to.Sub(p.pos(now)), mgl64.Vec2{1, 0})
	p.drive(now, c, goal{place: to.Sub(ahead.Mul(p.hold)), heading: math.Atan2(ahead[1], ahead[0]), carry: true})
	return to.Sub(flat(now.Ball.PosW)).Len()
}

// shoot changes a command so that the robot, which holds the ball, turns to a place and then kicks the ball there with
// a speed, m/s.
func (p *ballPlayer) shoot(now *physics.Snapshot, c *physics.Command, at mgl64.Vec2, speed float64) {
	c.Dribble = true
	heading := p.facing(now, at)
	p.stay(now, c, heading)
	me := &now.Robots[p.robot]
	if p.aims(me, heading) && length(flat(me.TwistWBInW.Lin)) < aimSpeed {
		c.Kick = physics.Kick{Mode: physics.FlatKick, Speed: p.asked(speed)}
	}
}

func (p *ballPlayer) aims(me *physics.RobotState, heading float64) bool {
	return math.Abs(spatial.WrapAngle(heading-me.PoseWB.Heading())) < aimError &&
		math.Abs(me.TwistWBInW.Ang[2]) < aimTurn
}

// asked returns what the robot's kicker has to be asked for so that the ball gets a speed, m/s.
func (p *ballPlayer) asked(speed float64) float64 {
	k := p.model.Robots[p.robot].Kicker
	if len(k.Strengths) == 0 {
		return speed
	}
	low, high := 0.0, k.Strengths[len(k.Strengths)-1].Asked
	for range 40 {
		if middle := (low + high) / 2; k.Speed(middle) < speed {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

// push changes a command so that a robot without a dribbler goes behind the ball, drives it towards a place, and kicks
// it there if it is to and can.
func (p *ballPlayer) push(now *physics.Snapshot, c *physics.Command, to mgl64.Vec2, kick float64) {
	pos, ball := p.pos(now), flat(now.Ball.PosW)
	ahead := unit(to.Sub(ball), mgl64.Vec2{1, 0})
	off := ball.Sub(pos)
	behind := off.Dot(ahead)
	beside := off.Sub(ahead.Mul(behind))
	heading := math.Atan2(ahead[1], ahead[0])
	most := p.model.Ball.Radius
	if !p.pushes {
		most *= 0.3
	}
	if p.pushes = behind > p.hold/2 && beside.Len() < most; !p.pushes {
		p.round.ball = p.round.disc(ball, mgl64.Vec2{}, p.model.Ball.Radius)
		p.drive(now, c, goal{place: ball.Sub(ahead.Mul(2 * p.hold)), heading: heading})
		p.round.ball = disc{}
		return
	}
	// More to the side than the ball is, which otherwise would be pushed there.
	g := goal{place: ball.Add(beside.Mul(3)).Add(ahead.Mul(p.hold)), heading: heading, speed: pushSpeed,
		most: pushSpeed}
	if kick <= 0 { // so that the ball stops there
		g.most = min(g.most, math.Sqrt(p.model.Ball.RollingDecel*to.Sub(ball).Len()))
	}
	p.drive(now, c, g)
	if kick > 0 && p.model.Robots[p.robot].Kicker != nil && p.aims(&now.Robots[p.robot], heading) {
		c.Kick = physics.Kick{Mode: physics.FlatKick, Speed: p.asked(kick),
			Reach: physics.Reach{Distance: p.hold + kickReach, Angle: kickAngle}}
	}
}
