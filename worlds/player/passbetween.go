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

// PassBetween passes the ball around among several robots, each of which has this behaviour: to the next in the world's
// order, and from the last to the first. The receiver faces the ball and waits at its place, or goes to where the ball
// will roll past. The kick is strong enough for the ball to arrive at the wanted speed. The nearest of the robots
// fetches a ball that comes to rest elsewhere.
type PassBetween struct {
	Limits
	With         []string      `toml:"with" required:"true" minlen:"1" maxlen:"20" doc:"names of the other robots"`
	Place        *Point        `toml:"place" doc:"place where it receives; left out, its place at the start"`
	ArrivalSpeed float64       `toml:"arrival_speed_m_s" range:"[0, 10]" doc:"approximate speed of the ball at the next robot: a short pass is kicked more softly"`
	Wait         time.Duration `toml:"wait_s" range:"[0, 60]" doc:"shortest time for which it keeps the ball"`
}

// SetDefaults sets passes that are easy to take.
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

// passer finds out whose turn it is from snapshots alone. All robots come to the same result.
type passer struct {
	ballPlayer
	*PassBetween
	ring   []int // indices of the robots that pass, in the model's order
	kicks  []int // last known number of kicks of each; −1 before the first step
	from   int   // place in the ring of the robot that kicked last; −1 if none did
	place  mgl64.Vec2
	placed bool
	since  time.Duration // when the robot got the ball that it has
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

// Guesses: a ball slower than ballStopped has stopped for its receiver, and a receiver goes up to stepAside for the
// ball.
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

// updateKicker records the robot that has kicked.
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

// turn returns the robot that is to get the ball: the receiver of the present pass, or the robot nearest to a ball at
// rest.
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

// receive makes the robot stand where the ball will roll past.
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

// pass makes the robot, which has the ball, pass it to the next one.
func (p *passer) pass(now *physics.Snapshot, c *physics.Command) {
	next := flat(now.Robots[p.ring[(slices.Index(p.ring, p.robot)+1)%len(p.ring)]].PoseWB.Pos)
	if now.Time-p.since < p.Wait {
		c.Dribble = true
		p.stay(now, c, p.facing(now, next))
		return
	}
	p.shoot(now, c, next, p.strength(next.Sub(flat(now.Ball.PosW)).Len()-p.hold))
}

// strength returns the speed with which a ball must leave to arrive at the wanted speed, m/s, without air. With
// friction μ, a hollow ball of speed v slides over 8/25 · v²/(μ·g) until it rolls at 3/5·v. Then it decelerates by a.
// So 9/25·v² = arrival² + 2·a·(way − slid), which gives v.
func (p *passer) strength(way float64) float64 {
	m := p.model
	a, grip := m.Ball.RollingDecel, m.Config.Contacts.BallCarpet.Friction*m.Config.Gravity
	if grip <= 0 {
		return p.ArrivalSpeed
	}
	return math.Sqrt((p.ArrivalSpeed*p.ArrivalSpeed + 2*a*max(0, way)) / (9./25 + 16./25*a/grip))
}
