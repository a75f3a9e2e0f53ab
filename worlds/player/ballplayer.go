package player

import (
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// ballPlayer is a driver that can fetch, carry and kick the ball.
type ballPlayer struct {
	driver
	pushes bool    // the robot is behind the ball and pushes it
	hold   float64 // distance from the robot's centre to the ball's centre when the robot holds the ball, m
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

// Parameters of ball handling. They are guesses about how well robots handle the ball.
const (
	ontoBall  = 0.03                 // m: how much closer than the hold distance the robot drives to the ball
	nearBall  = 1.0                  // m: distance within which the robot follows a ball that rolls away
	aimError  = 1.5 * spatial.Degree // rad: largest error of the robot's heading when it kicks
	pushError = 6 * spatial.Degree   // rad: the same for a robot without a dribbler
	aimTurn   = 0.3                  // rad/s: largest rate of turn when it kicks
	aimSpeed  = 0.2                  // m/s: highest speed when it kicks
	farthest  = 3.0                  // s: how far ahead the robot predicts the motion of a rolling ball
	pushSpeed = 0.8                  // m/s: speed at which it drives against a ball that it pushes
	kickReach = 0.1                  // m: largest gap at which a robot without a dribbler kicks
	kickAngle = 20 * spatial.Degree  // largest bearing at which a robot without a dribbler kicks, to either side
)

// hasBall reports whether the robot holds the ball.
func (p *ballPlayer) hasBall(now *physics.Snapshot) bool { return now.Ball.HeldBy == p.robot }

// stay makes the robot brake, stay in place and turn to a heading.
func (p *ballPlayer) stay(now *physics.Snapshot, c *physics.Command, heading float64) {
	p.drive(now, c, goal{place: p.pos(now), heading: heading, carry: p.hasBall(now)})
}

// fetch makes the robot drive to the place where it can intercept the ball, and take the ball.
func (p *ballPlayer) fetch(now *physics.Snapshot, c *physics.Command) {
	pos, ball := p.pos(now), flat(now.Ball.PosW)
	d := p.model.Robots[p.robot].Dribbler
	// method tangential keeps the ball at the distance at which it takes it
	c.Dribble = d != nil && (d.Method != physics.DribbleTangential || ball.Sub(pos).Len() <= p.hold)
	meet := p.inside(p.interception(now, pos))
	ahead := unit(meet.Sub(pos), mgl64.Vec2{1, 0})
	g := goal{place: meet.Sub(ahead.Mul(p.hold - ontoBall)), heading: p.facing(now, meet)}
	if off := ball.Sub(pos); off.Len() < nearBall {
		g.heading = p.facing(now, ball)
		ahead = unit(off, ahead)
		g.vel = ahead.Mul(max(0, flat(now.Ball.TwistInW.Lin).Dot(ahead)))
	}
	p.drive(now, c, g)
}

// interception returns the nearest place on the ball's path that the robot can reach no later than the ball does. The
// argument pos is the robot's position.
func (p *ballPlayer) interception(now *physics.Snapshot, pos mgl64.Vec2) mgl64.Vec2 {
	ball, vel := flat(now.Ball.PosW), flat(now.Ball.TwistInW.Lin)
	speed, decel := vel.Len(), p.model.Ball.RollingDecel
	at := ball
	for range 4 { // each iteration brings the result several times closer to the true place
		t := min(farthest, max(0, at.Sub(pos).Len()-p.hold)/p.speed)
		if decel > 0 {
			t = min(t, speed/decel)
		}
		at = ball.Add(vel.Mul(t)).Sub(unit(vel, mgl64.Vec2{}).Mul(decel * t * t / 2))
	}
	return at
}

// inside returns the place nearest to the given one that is between the goal lines, in front of the goal posts, and
// within the boards. The robot does not fetch a ball from outside this region.
func (p *ballPlayer) inside(place mgl64.Vec2) mgl64.Vec2 {
	f := &p.model.Field
	x, y := f.Length/2, f.Width/2+f.Border-p.model.Ball.Radius
	return mgl64.Vec2{mgl64.Clamp(place[0], -x, x), mgl64.Clamp(place[1], -y, y)}
}

// carry makes the robot take the ball that it holds to a place. It returns the distance in m that the ball still has to
// go.
func (p *ballPlayer) carry(now *physics.Snapshot, c *physics.Command, to mgl64.Vec2) float64 {
	c.Dribble = true
	ahead := unit(to.Sub(p.pos(now)), mgl64.Vec2{1, 0})
	p.drive(now, c, goal{place: to.Sub(ahead.Mul(p.hold)), heading: math.Atan2(ahead[1], ahead[0]), carry: true})
	return to.Sub(flat(now.Ball.PosW)).Len()
}

// shoot makes the robot, which holds the ball, turn towards a place and then kick the ball towards that place. The
// ball's speed is in m/s.
func (p *ballPlayer) shoot(now *physics.Snapshot, c *physics.Command, at mgl64.Vec2, speed float64) {
	c.Dribble = true
	heading := p.facing(now, at)
	p.stay(now, c, heading)
	me := &now.Robots[p.robot]
	if p.aims(me, heading) && length(flat(me.TwistWBInW.Lin)) < aimSpeed {
		c.Kick = physics.Kick{Mode: physics.FlatKick, Speed: p.strengthFor(speed)}
	}
}

func (p *ballPlayer) aims(me *physics.RobotState, heading float64) bool {
	return p.aimsWithin(me, heading, aimError)
}

func (p *ballPlayer) aimsWithin(me *physics.RobotState, heading, off float64) bool {
	return math.Abs(spatial.WrapAngle(heading-me.PoseWB.Heading())) < off &&
		math.Abs(me.TwistWBInW.Ang[2]) < aimTurn
}

// strengthFor returns the strength to ask of the robot's kicker so that the kicked ball has the given speed, in m/s.
func (p *ballPlayer) strengthFor(speed float64) float64 {
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

// push makes a robot without a dribbler go behind the ball and drive the ball towards a place. The argument kick is a
// speed in m/s. If kick is greater than 0, the robot kicks the ball towards the place as soon as it can.
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
	// the target is farther to the side than the ball, so that the robot does not push the ball to that side
	g := goal{place: ball.Add(beside.Mul(3)).Add(ahead.Mul(p.hold)), heading: heading, speed: pushSpeed,
		most: pushSpeed}
	if kick <= 0 { // the ball must stop there
		g.most = min(g.most, math.Sqrt(p.model.Ball.RollingDecel*to.Sub(ball).Len()))
	}
	p.drive(now, c, g)
	if kick > 0 && p.model.Robots[p.robot].Kicker != nil && p.aimsWithin(&now.Robots[p.robot], heading, pushError) {
		c.Kick = physics.Kick{Mode: physics.FlatKick, Speed: p.strengthFor(kick),
			Reach: physics.Reach{Distance: p.hold + kickReach, Angle: kickAngle}}
	}
}

// ChaseBall is the behaviour of a robot that goes for the ball. A robot with a dribbler takes the ball, and then
// carries it to a place or shoots. A robot without a dribbler drives the ball forward. The robot leaves the ball to a
// teammate that holds it, and does not follow a ball that has left the field.
type ChaseBall struct {
	Limits
	BringTo   *Point        `toml:"bring_to" doc:"place to which it brings the ball, and stays with it; without this and without a shot it stays where it gets the ball"`
	ShootGoal bool          `toml:"shoot_goal" doc:"shoots at the middle of the goal that its team attacks"`
	ShootAt   *Point        `toml:"shoot_at" doc:"shoots at a point"`
	ShotSpeed float64       `toml:"shot_speed_m_s" range:"(0, 30]" doc:"speed of the ball, as far as the kicker is strong enough"`
	LobFlight time.Duration `toml:"lob_flight_s" range:"[0, 10]" doc:"shoots with a lob that takes this time to the goal line, or longer, so that its speed over the floor is at most shot_speed_m_s; 0: shoots along the floor"`
	ShootFrom *Point        `toml:"shoot_from" doc:"place to which it brings the ball before it shoots from there"`
	Home      *Point        `toml:"home" doc:"place to which it drives after its first shot, and stays"`
	ShotRange float64       `toml:"shot_range_m" range:"(0, 100]" doc:"distance from the target up to which it carries the ball before it shoots, without shoot_from"`
}

// SetDefaults sets a firm shot from a usual distance.
func (b *ChaseBall) SetDefaults() {
	b.Limits.SetDefaults()
	b.ShotSpeed, b.ShotRange = 6, 4
}

func (b *ChaseBall) Validate(robot string, w World) error {
	shots := 0
	for _, s := range []bool{b.BringTo != nil, b.ShootGoal, b.ShootAt != nil} {
		if s {
			shots++
		}
	}
	if shots > 1 {
		return violation("", nil, "must have at most one of bring_to, shoot_goal and shoot_at")
	}
	if (b.BringTo != nil || shots == 0) && (b.ShootFrom != nil || b.Home != nil || b.LobFlight > 0) {
		return violation("", nil, "shoot_from, home and lob_flight_s need shoot_goal or shoot_at")
	}
	r, err := w.FindRobot(robot)
	if err != nil || b.BringTo != nil || shots == 0 || r.Kicker != nil {
		return nil
	}
	if b.ShootGoal {
		return violation("shoot_goal", true, "the robot has no kicker")
	}
	return violation("shoot_at", nil, "the robot has no kicker")
}

func (b *ChaseBall) Start(m *physics.Model, robot int) Player {
	p := &chaser{ballPlayer: newBallPlayer(m, robot, b.Limits), ChaseBall: b, kicks: -1}
	switch g := m.Robots[robot].Team.Attacks(&m.Field); {
	case b.BringTo != nil:
		p.to = b.BringTo.vec()
	case b.ShootGoal:
		p.to, p.shoots = mgl64.Vec2{g.X, 0}, true
	case b.ShootAt != nil:
		p.to, p.shoots = b.ShootAt.vec(), true
	}
	p.wants = p.shoots || b.BringTo != nil
	return p
}

type chaser struct {
	ballPlayer
	*ChaseBall
	to            mgl64.Vec2 // place to which the robot brings the ball, or at which it shoots
	wants, shoots bool       // to is given
	kicks         int        // the robot's kicks before its first step as this player; −1 before that
	there         bool       // the robot has been at ShootFrom with the ball that it holds
}

func (p *chaser) Exchange(c *keyframe.Codec) {
	p.ballPlayer.Exchange(c)
	c.Int(&p.kicks)
	c.Bool(&p.there)
}

// atPlace is the distance in m from ShootFrom at which the ball is there. NuBot's plugin has the same for the robot.
const atPlace = 0.1

// leave is the distance in m that the robot keeps from a ball that a teammate holds. The value is a guess.
const leave = 1.0

func (p *chaser) Command(now *physics.Snapshot, c *physics.Command) bool {
	holder := now.Ball.HeldBy
	ball := flat(now.Ball.PosW)
	if p.kicks < 0 {
		p.kicks = now.Robots[p.robot].Kicks
	}
	p.there = p.there && p.hasBall(now)
	switch {
	case p.Home != nil && now.Robots[p.robot].Kicks > p.kicks:
		p.drive(now, c, goal{place: p.Home.vec(), heading: now.Robots[p.robot].PoseWB.Heading()})
	case p.hasBall(now):
		p.playBall(now, c, ball)
	case holder >= 0 && p.model.Robots[holder].Team == p.model.Robots[p.robot].Team:
		away := p.pos(now).Sub(ball)
		p.drive(now, c, goal{place: ball.Add(unit(away, mgl64.Vec2{1, 0}).Mul(max(leave, away.Len()))),
			heading: p.facing(now, ball)})
	case p.model.Robots[p.robot].Dribbler == nil && p.wants:
		p.drivesBall(now, c, ball)
	default:
		p.fetch(now, c)
	}
	return true
}

// playBall makes the robot use the ball that it holds: carry the ball to the place, or shoot.
func (p *chaser) playBall(now *physics.Snapshot, c *physics.Command, ball mgl64.Vec2) {
	c.Dribble = true
	switch {
	case !p.wants:
		p.stay(now, c, p.facing(now, ball))
	case p.shoots && p.ShootFrom != nil && !p.there:
		p.there = p.carry(now, c, p.ShootFrom.vec()) < atPlace
	case p.shoots && (p.there || p.to.Sub(ball).Len() <= p.ShotRange):
		p.shoot(now, c, p.to, p.ShotSpeed)
		if c.Kick.Mode == physics.FlatKick && p.LobFlight > 0 {
			c.Kick.Mode, c.Kick.Flight, c.Kick.Absolute = physics.LobKick, p.LobFlight.Seconds(), true
		}
	default:
		p.carry(now, c, p.to)
	}
}

// drivesBall makes a robot without a dribbler drive the ball forward.
func (p *chaser) drivesBall(now *physics.Snapshot, c *physics.Command, ball mgl64.Vec2) {
	left := p.to.Sub(ball).Len()
	switch {
	case p.inside(ball).Sub(ball).Len() > 0 || !p.shoots && left < p.hold:
		p.stay(now, c, p.facing(now, ball))
	case p.shoots && left <= p.ShotRange && p.kicksPast(now, c, ball):
	case p.shoots && left <= p.ShotRange:
		p.push(now, c, p.to, p.ShotSpeed)
	default:
		p.push(now, c, p.to, 0)
	}
}

// Parameters of kicks past an opponent who is in the way of a shot. All are guesses.
const (
	inTheWay  = 0.5                 // m: distance of the opponent's centre from the ball
	wayAngle  = 60 * spatial.Degree // angle between the shot and the opponent, seen from the ball
	pastAngle = 50 * spatial.Degree // angle between the kick and the opponent
	pastError = 10 * spatial.Degree // largest error of the robot's heading
	footAngle = 70 * spatial.Degree // largest bearing of the ball at such a kick, to either side
)

// kicksPast makes a robot that has reached the ball turn to the side and kick, if an opponent is in the way of its
// shot. It returns false, and does nothing, if there is no such opponent or the robot is not behind the ball.
func (p *chaser) kicksPast(now *physics.Snapshot, c *physics.Command, ball mgl64.Vec2) bool {
	off := ball.Sub(p.pos(now))
	nearest, opponent := inTheWay, mgl64.Vec2{}
	for i := range now.Robots {
		if at := flat(now.Robots[i].PoseWB.Pos).Sub(ball); p.model.Robots[i].Team != p.model.Robots[p.robot].Team &&
			length(at) < nearest {
			nearest, opponent = length(at), at
		}
	}
	if length(off) > p.hold+kickReach || nearest == inTheWay || p.model.Robots[p.robot].Kicker == nil {
		return false
	}
	to, bearing := p.to.Sub(ball), math.Atan2(opponent[1], opponent[0])
	side := spatial.WrapAngle(math.Atan2(to[1], to[0]) - bearing)
	heading := bearing + math.Copysign(pastAngle, side)
	if math.Abs(side) > wayAngle || math.Abs(spatial.WrapAngle(math.Atan2(off[1], off[0])-heading)) > footAngle {
		return false
	}
	p.stay(now, c, heading)
	if p.aimsWithin(&now.Robots[p.robot], heading, pastError) {
		c.Kick = physics.Kick{Mode: physics.FlatKick, Speed: p.strengthFor(p.ShotSpeed),
			Reach: physics.Reach{Distance: p.hold + kickReach, Angle: footAngle}}
	}
	return true
}
