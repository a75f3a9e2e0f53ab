package player

import (
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
)

// ChaseBall is the behaviour of a robot that goes for the ball. A robot with a dribbler takes the ball, and then
// carries it to a place or shoots. A robot without a dribbler drives the ball forward. The robot leaves the ball to a
// teammate that holds it, and does not follow a ball that has left the field.
type ChaseBall struct {
	Limits
	BringTo   *Point  `toml:"bring_to" doc:"place to which it brings the ball, and stays with it; without this and without a shot it stays where it gets the ball"`
	ShootGoal bool    `toml:"shoot_goal" doc:"shoots at the middle of the goal that its team attacks"`
	ShootAt   *Point  `toml:"shoot_at" doc:"shoots at a point"`
	ShotSpeed float64 `toml:"shot_speed_m_s" range:"(0, 30]" doc:"speed of the ball, as far as the kicker is strong enough"`
	ShotRange float64 `toml:"shot_range_m" range:"(0, 100]" doc:"distance from the target up to which it carries the ball before it shoots"`
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
	p := &chaser{ballPlayer: newBallPlayer(m, robot, b.Limits), ChaseBall: b}
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
}

// leave is the distance in m that the robot keeps from a ball that a teammate holds. The value is a guess.
const leave = 1.0

func (p *chaser) Command(now *physics.Snapshot, c *physics.Command) bool {
	holder := now.Ball.HeldBy
	ball := flat(now.Ball.PosW)
	switch {
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
	case p.shoots && p.to.Sub(ball).Len() <= p.ShotRange:
		p.shoot(now, c, p.to, p.ShotSpeed)
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
	case p.shoots && left <= p.ShotRange:
		p.push(now, c, p.to, p.ShotSpeed)
	default:
		p.push(now, c, p.to, 0)
	}
}
