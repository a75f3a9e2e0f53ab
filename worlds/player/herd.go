package player

import (
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// Herd drives fleeing robots of the other team to a place: the robot goes around one and approaches it from the far
// side. Robots of a team that all herd share the others out, one each, the nearest first. A robot left over helps, to
// the side of the first. If there is no robot to herd, it stays.
type Herd struct {
	Limits
	To       Point   `toml:"to" doc:"place to which it drives them"`
	Home     float64 `toml:"home_m" range:"(0, 50]" doc:"distance from the place within which a robot has arrived, and is left alone"`
	Distance float64 `toml:"distance_m" range:"[0.5, 10]" doc:"distance that it keeps from the robot that it drives, between centres"`
}

// SetDefaults sets distances at which robots drive others, but do not touch them.
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
	herds []int  // for each robot of the other team, how many herd it; −1 if it has arrived
	free  []bool // teammates that herd none yet
}

// beside is the angle, seen from the herded robot, between the first robot that herds it and each helper. Guess.
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

// target returns the robot to herd, and how many teammates herd it before this one. It returns −1 if all have arrived.
// All robots of the team compute the same assignment independently: the nearest two of both teams are a pair, then the
// nearest of the rest. When each herded robot has one, they get a second one, and so on.
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

// pair returns the free teammate and the robot with this many herders that are nearest to each other; −1 if there is
// none.
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
