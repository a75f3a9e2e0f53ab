package player

import (
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// Herd is the behaviour of a robot that drives fleeing robots of the other team to a place. The robot goes around a
// fleeing robot and approaches it from the side that is away from the place. Teammates with this behaviour divide the
// fleeing robots among themselves: each takes one, and the nearest pairs are formed first. If there are more teammates
// than fleeing robots, the remaining teammates each help another one, at its side. If all fleeing robots have arrived,
// the robot stays where it is.
type Herd struct {
	Limits
	To       Point   `toml:"to" doc:"place to which it drives them"`
	Home     float64 `toml:"home_m" range:"(0, 50]" doc:"distance from the place within which a robot has arrived, and is left alone"`
	Distance float64 `toml:"distance_m" range:"[0.5, 10]" doc:"distance that it keeps from the robot that it drives, between centres"`
}

// SetDefaults sets distances at which robots make others flee, but do not touch them.
func (h *Herd) SetDefaults() {
	h.Limits.SetDefaults()
	h.Home, h.Distance = 2, 1
}

func (*Herd) Validate(string, World) error { return nil }

func (h *Herd) Start(m *physics.Model, robot int) Player {
	return &herder{
		driver: newDriver(m, robot, h.Limits), Herd: h, to: h.To.vec(),
		herds: make([]int, len(m.Robots)), free: make([]bool, len(m.Robots)),
	}
}

type herder struct {
	driver
	*Herd
	to    mgl64.Vec2
	herds []int  // for each robot of the other team, the number of robots that herd it; −1 if it has arrived
	free  []bool // for each teammate, whether it does not yet herd any robot
}

// beside is the angle, seen from the herded robot, between the first robot that herds it and each helper. The value is
// a guess.
const beside = 50 * spatial.Degree

func (p *herder) Command(now *physics.Snapshot, c *physics.Command) bool {
	target, before := p.target(now)
	if target < 0 {
		p.drive(now, c, goal{place: p.pos(now), heading: now.Robots[p.robot].PoseWB.Heading()})
		return true
	}
	at := flat(now.Robots[target].PoseWB.Pos)
	off := at.Sub(p.to)
	angle := math.Atan2(off[1], off[0])
	switch before {
	case 0:
	case 1:
		angle += beside
	default:
		angle -= beside
	}
	sin, cos := math.Sincos(angle)
	place := at.Add(mgl64.Vec2{cos, sin}.Mul(p.Distance))
	p.drive(now, c, goal{place: place, vel: limited(flat(now.Robots[target].TwistWBInW.Lin), p.speed),
		heading: p.facing(now, at)})
	return true
}

// target returns the index of the robot to herd, and the number of teammates that were assigned to the same robot
// before this one. If all robots have arrived, the index is −1. All robots of the team compute the same assignment
// independently. The two nearest robots of different teams form a pair, then the two nearest of the remaining robots,
// and so on. When each herded robot has one herder, each gets a second one, and so on.
func (p *herder) target(now *physics.Snapshot) (target, before int) {
	for i := range p.herds {
		p.herds[i] = 0
		p.free[i] = p.model.Robots[i].Team == p.model.Robots[p.robot].Team
		if !p.free[i] && length(flat(now.Robots[i].PoseWB.Pos).Sub(p.to)) <= p.Home {
			p.herds[i] = -1
		}
	}
	for before = 0; ; {
		chaser, target := p.pair(now, before)
		switch {
		case target >= 0:
			p.free[chaser], p.herds[target] = false, before+1
			if chaser == p.robot {
				return target, before
			}
		case !slices.Contains(p.herds, before+1):
			return -1, 0 // there is no robot to herd
		default:
			before++
		}
	}
}

// pair returns the two robots that are nearest to each other: a free teammate, and a robot of the other team that has
// the given number of herders. It returns −1 if there is no such pair.
func (p *herder) pair(now *physics.Snapshot, herd int) (chaser, target int) {
	least := math.Inf(1)
	chaser, target = -1, -1
	for j := range now.Robots {
		if p.model.Robots[j].Team == p.model.Robots[p.robot].Team || p.herds[j] != herd {
			continue
		}
		at := flat(now.Robots[j].PoseWB.Pos)
		for i := range now.Robots {
			if !p.free[i] {
				continue
			}
			if off := at.Sub(flat(now.Robots[i].PoseWB.Pos)); off.Dot(off) < least {
				chaser, target, least = i, j, off.Dot(off)
			}
		}
	}
	return chaser, target
}

// Flee is the behaviour of a robot that keeps away from the robots of the other team, and stays within the lines of the
// field. If no robot of the other team is close, the robot stays where it is.
type Flee struct {
	Limits
	Within float64 `toml:"within_m" range:"[0.5, 50]" doc:"distance between centres at which it starts to flee from a robot of the other team"`
}

// SetDefaults sets the smallest distance to an opponent at which the robot can still evade it.
func (f *Flee) SetDefaults() {
	f.Limits.SetDefaults()
	f.Within = 2.5
}

func (*Flee) Validate(string, World) error { return nil }

func (f *Flee) Start(m *physics.Model, robot int) Player {
	inset := m.Robots[robot].Body.Radius
	p := &fugitive{
		driver: newDriver(m, robot, f.Limits), Flee: f,
		half: mgl64.Vec2{m.Field.Length/2 - inset, m.Field.Width/2 - inset},
	}
	p.round.lines = true
	return p
}

type fugitive struct {
	driver
	*Flee
	half mgl64.Vec2 // half lengths of the sides of the rectangle in which the robot stays, m
}

// Parameters of fleeing. They are guesses: the robot turns away from a line when it is one metre from the line. It
// flees at full speed from a robot at half the distance at which it starts to flee.
const (
	lineGap  = 1.0 // m: distance from a line at which the robot turns away from the line
	runAhead = 1.0 // m
	// fear at which the robot flees at full speed; fear is 1 when the robots touch, and 0 at the distance at which the
	// robot starts to flee
	fullFear = 0.5
)

func (p *fugitive) Command(now *physics.Snapshot, c *physics.Command) bool {
	away := p.threat(now)
	fear := min(1, length(away)/fullFear)
	if fear < 1e-6 {
		p.drive(now, c, goal{place: p.inside(p.pos(now)), heading: now.Robots[p.robot].PoseWB.Heading()})
		return true
	}
	pos := p.pos(now)
	way := unit(away.Add(p.lines(pos)), away)
	place := p.inside(pos.Add(way.Mul(runAhead)))
	p.drive(now, c, goal{place: place, heading: math.Atan2(way[1], way[0]), most: p.speed * fear})
	return true
}

// threat returns a vector that points away from the close robots of the other team. The closer these robots are, the
// longer the vector is.
func (p *fugitive) threat(now *physics.Snapshot) (sum mgl64.Vec2) {
	pos, team := p.pos(now), p.model.Robots[p.robot].Team
	for i := range now.Robots {
		if p.model.Robots[i].Team == team {
			continue
		}
		off := pos.Sub(flat(now.Robots[i].PoseWB.Pos))
		if d := length(off); d < p.Within {
			sum = sum.Add(unit(off, mgl64.Vec2{1, 0}).Mul(1 - d/p.Within))
		}
	}
	return sum
}

// lines returns a vector that points away from close lines of the field. The argument pos is the robot's position.
func (p *fugitive) lines(pos mgl64.Vec2) (sum mgl64.Vec2) {
	for axis, half := range p.half {
		if gap := half - math.Abs(pos[axis]); gap < lineGap {
			sum[axis] = -math.Copysign(min(1, 1-gap/lineGap), pos[axis])
		}
	}
	return sum
}

// inside returns the place nearest to the given one at which the robot is within the lines of the field.
func (p *fugitive) inside(place mgl64.Vec2) mgl64.Vec2 {
	return mgl64.Vec2{mgl64.Clamp(place[0], -p.half[0], p.half[0]), mgl64.Clamp(place[1], -p.half[1], p.half[1])}
}
