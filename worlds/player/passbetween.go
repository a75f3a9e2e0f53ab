package player

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/keyframe"
)

// PassBetween is the behaviour of several robots that pass the ball around among themselves. Each robot passes to the
// next in the world's order, and the last robot passes to the first. The receiver faces the ball and waits at its
// place, or goes to the point where the ball will roll past. The kick is strong enough for the ball to arrive at the
// wanted speed. If the ball comes to rest elsewhere, the robot that is nearest to it fetches it.
type PassBetween struct {
	Limits
	With         []string      `toml:"with" required:"true" minlen:"1" maxlen:"20" doc:"names of the other robots"`
	Place        *Point        `toml:"place" doc:"place where it receives; left out, its place at the start"`
	ArrivalSpeed float64       `toml:"arrival_speed_m_s" range:"[0, 10]" doc:"approximate speed of the ball at the next robot: a short pass is kicked more softly"`
	Wait         time.Duration `toml:"wait_s" range:"[0, 60]" doc:"shortest time for which it keeps the ball"`
}

// SetDefaults sets passes that are easy to receive.
func (b *PassBetween) SetDefaults() {
	b.Limits.SetDefaults()
	b.ArrivalSpeed, b.Wait = 1.5, 500*time.Millisecond
}

func (b *PassBetween) Validate(robot string, w World) error {
	r, err := w.FindRobot(robot)
	if err == nil && (r.Kicker == nil || r.Dribbler == nil) {
		return violation("", nil, "the robot needs a kicker and a dribbler")
	}
	for i, name := range b.With {
		key := fmt.Sprintf("with[%d]", i)
		if _, err := w.FindRobot(name); err != nil {
			return violation(key, name, err.Error())
		}
		if name == robot {
			return violation(key, name, "must be another robot")
		}
		if slices.Contains(b.With[:i], name) {
			return violation(key, name, "is named twice")
		}
	}
	return nil
}

func (b *PassBetween) Start(m *physics.Model, robot int) Player {
	p := &passer{ballPlayer: newBallPlayer(m, robot, b.Limits), PassBetween: b, ring: []int{robot}, from: -1}
	for _, name := range b.With {
		p.ring = append(p.ring, indexOf(m, name))
	}
	slices.Sort(p.ring)
	p.kicks = slices.Repeat([]int{-1}, len(p.ring))
	if b.Place != nil {
		p.place, p.placed = b.Place.vec(), true
	}
	return p
}

// passer finds out, from snapshots alone, which robot is to get the ball. All robots come to the same result.
type passer struct {
	ballPlayer
	*PassBetween
	ring   []int // indices of the robots that pass, in the model's order
	kicks  []int // last known count of kicks of each robot; −1 before the first step
	from   int   // position in the ring of the robot that kicked last; −1 if no robot has kicked
	place  mgl64.Vec2
	placed bool
	since  time.Duration // sim time at which the robot got the ball that it now holds
}

func (p *passer) Exchange(c *keyframe.Codec) {
	p.ballPlayer.Exchange(c)
	for i := range p.kicks {
		c.Int(&p.kicks[i])
	}
	c.Index(&p.from, -1, len(p.ring))
	c.Floats(p.place[:])
	c.Bool(&p.placed)
	c.Duration(&p.since)
}

// Parameters of passing, both of them guesses. A ball slower than ballStopped counts as stopped for its receiver. A
// receiver leaves its place by up to stepAside to get the ball.
const (
	ballStopped = 0.3 // m/s
	stepAside   = 1.5 // m
)

func (p *passer) Command(now *physics.Snapshot, c *physics.Command) bool {
	if !p.placed {
		p.place, p.placed = p.pos(now), true
	}
	p.updateKicker(now)
	if !p.hasBall(now) {
		p.since = now.Time
	}
	ball := flat(now.Ball.PosW)
	switch turn := p.turn(now); {
	case p.hasBall(now):
		p.pass(now, c)
	case turn == p.robot && p.rolls(now):
		p.receive(now, c, ball)
	case turn == p.robot:
		p.fetch(now, c)
	default:
		c.Dribble = false
		p.drive(now, c, goal{place: p.place, heading: p.facing(now, ball)})
	}
	return true
}

// updateKicker records which robot has kicked the ball.
func (p *passer) updateKicker(now *physics.Snapshot) {
	for i, r := range p.ring {
		if n := now.Robots[r].Kicks; n != p.kicks[i] {
			if p.kicks[i] >= 0 && n > p.kicks[i] {
				p.from = i
			}
			p.kicks[i] = n
		}
	}
}

// rolls reports whether the ball moves faster than ballStopped.
func (p *passer) rolls(now *physics.Snapshot) bool {
	return length(flat(now.Ball.TwistInW.Lin)) > ballStopped
}

// turn returns the index of the robot that is to get the ball: the receiver of the present pass, or the robot nearest
// to a ball at rest.
func (p *passer) turn(now *physics.Snapshot) int {
	if slices.Contains(p.ring, now.Ball.HeldBy) {
		return now.Ball.HeldBy
	}
	if p.from >= 0 && p.rolls(now) {
		return p.ring[(p.from+1)%len(p.ring)]
	}
	nearest, least := -1, math.Inf(1)
	for _, r := range p.ring {
		if d := flat(now.Robots[r].PoseWB.Pos).Sub(flat(now.Ball.PosW)).Len(); d < least {
			nearest, least = r, d
		}
	}
	return nearest
}

// receive makes the robot stand at the point where the ball will roll past.
func (p *passer) receive(now *physics.Snapshot, c *physics.Command, ball mgl64.Vec2) {
	c.Dribble = true
	along := unit(flat(now.Ball.TwistInW.Lin), mgl64.Vec2{1, 0})
	way := p.place.Sub(ball).Dot(along)
	past := ball.Add(along.Mul(max(0, way)))
	if way < p.hold || past.Sub(p.place).Len() > stepAside {
		p.fetch(now, c) // the ball has rolled past
		return
	}
	p.drive(now, c, goal{place: past, heading: p.facing(now, ball)})
}

// pass makes the robot, which holds the ball, pass it to the next robot.
func (p *passer) pass(now *physics.Snapshot, c *physics.Command) {
	next := flat(now.Robots[p.ring[(slices.Index(p.ring, p.robot)+1)%len(p.ring)]].PoseWB.Pos)
	if now.Time-p.since < p.Wait {
		c.Dribble = true
		p.stay(now, c, p.facing(now, next))
		return
	}
	p.shoot(now, c, next, p.strength(next.Sub(flat(now.Ball.PosW)).Len()-p.hold))
}

// strength returns the speed, in m/s, with which a ball must leave the robot to arrive at the wanted speed. It ignores
// the resistance of the air. With friction μ, a hollow ball of speed v slides over the distance 8/25 · v²/(μ·g) until
// it rolls at 3/5·v. Then it decelerates by a. So 9/25·v² = arrival² + 2·a·(way − slid), which gives v.
func (p *passer) strength(way float64) float64 {
	m := p.model
	a, grip := m.Ball.RollingDecel, m.Config.Contacts.BallCarpet.Friction*m.Config.Gravity
	if grip <= 0 {
		return p.ArrivalSpeed
	}
	return math.Sqrt((p.ArrivalSpeed*p.ArrivalSpeed + 2*a*max(0, way)) / (9./25 + 16./25*a/grip))
}
