package omnipitch

import (
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/timesync"
)

// meetings tells for forecasts of wall time how many bodies will touch if all go straight on: the time of a step grows with its contacts.
// Only forecasts know of it.
type meetings struct {
	step   time.Duration
	radius []float64 // of robots and obstacles, seen from above, metres
	fixed  []physics.FixedBox
	pos    []mgl64.Vec2 // of robots and obstacles
	vel    []mgl64.Vec2
}

const (
	contactsOfMeeting = 2    // one low and one high
	nearlyTouch       = 0.01 // m: bodies so near touch now and then. Guess
	lowest            = 0.3  // m: what hangs higher does not count. Guess: robots are taller
)

func newMeetings(scene *physics.Model) meetings {
	m := meetings{step: scene.Step}
	for i := range scene.Robots {
		b := &scene.Robots[i].Body
		r := b.Radius
		if b.Boxed() {
			r = (b.Length + b.Width) / 4
		}
		m.radius = append(m.radius, r)
	}
	for i := range scene.Obstacles {
		m.radius = append(m.radius, (scene.Obstacles[i].SizeX+scene.Obstacles[i].SizeY)/4)
	}
	for _, b := range scene.Field.Fixed() {
		if b.Min[2] < lowest {
			m.fixed = append(m.fixed, b)
		}
	}
	m.pos, m.vel = make([]mgl64.Vec2, len(m.radius)), make([]mgl64.Vec2, len(m.radius))
	return m
}

// strain implements timesync.Plan: contacts now, and in the mean over the steps ahead.
func (m *meetings) strain(now *physics.Snapshot, ahead *timesync.Spans) float64 {
	for i := range m.pos {
		if k := i - len(now.Robots); k < 0 {
			m.pos[i], m.vel[i] = now.Robots[i].PoseWB.Pos.Vec2(), now.Robots[i].TwistWBInW.Lin.Vec2()
		} else {
			m.pos[i], m.vel[i] = now.Obstacles[k].PoseWO.Pos.Vec2(), now.Obstacles[k].TwistWOInW.Lin.Vec2()
		}
	}
	*ahead = timesync.Spans{}
	horizon := float64(int(1)<<(len(ahead)-1)) * m.step.Seconds()
	add := func(after float64) {
		if after >= horizon {
			return
		}
		begins := math.Floor(after / m.step.Seconds())
		for k := range ahead {
			n := float64(int(1) << k)
			ahead[k] += contactsOfMeeting * max(n-begins, 0) / n
		}
	}
	for i := range m.pos {
		for j := range i {
			add(discs(m.pos[i].Sub(m.pos[j]), m.vel[i].Sub(m.vel[j]), m.radius[i]+m.radius[j]+nearlyTouch))
		}
		for k := range m.fixed {
			add(discBox(m.pos[i], m.vel[i], m.radius[i]+nearlyTouch, &m.fixed[k].Box))
		}
	}
	return float64(len(now.Touches))
}

// discs returns after how many seconds two discs meet that are apart by d, m, have a relative velocity v, m/s, and radii that sum up to r;
// 0 if they do now, +Inf if they never will.
func discs(d, v mgl64.Vec2, r float64) float64 {
	c := d.Dot(d) - r*r
	if c <= 0 {
		return 0
	}
	b, a := d.Dot(v), v.Dot(v)
	disc := b*b - a*c
	if b >= 0 || disc < 0 {
		return math.Inf(1)
	}
	return (-b - math.Sqrt(disc)) / a
}

// discBox returns after how many seconds a disc at p of velocity v meets a box seen from above, whose corners it takes for sharp.
func discBox(p, v mgl64.Vec2, r float64, b *physics.Box) float64 {
	enters, leaves := 0.0, math.Inf(1)
	for k := range 2 {
		lo, hi := b.Min[k]-r-p[k], b.Max[k]+r-p[k]
		if v[k] == 0 {
			if lo > 0 || hi < 0 {
				return math.Inf(1)
			}
			continue
		}
		t0, t1 := lo/v[k], hi/v[k]
		enters, leaves = max(enters, min(t0, t1)), min(leaves, max(t0, t1))
	}
	if enters > leaves {
		return math.Inf(1)
	}
	return enters
}
