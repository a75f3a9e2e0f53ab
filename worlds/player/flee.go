package player

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
)

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
