package abstraction

import (
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction/random"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/optics"
)

// linesNeeded is how many line points localisation wants: as many as a few metres of lines have. Guess.
const linesNeeded = 8

// localiser is where a robot that localises by lines stands with it.
type localiser struct {
	started  bool
	mirrored bool   // it takes one end of the field for the other
	losses   uint64 // how often it lost the lines
	lost     bool
	drift    mgl64.Vec3   // x, y and heading off, since it lost them
	last     spatial.Pose // where it was then
	stamp    time.Duration
}

// Localise adds the robot's own pose as localisation by the lines that the eye sees would know it. While it sees too few, it
// reckons with its wheels, and errs more and more.
func (v *Vision) Localise(view *Viewpoint, env *Environment, stamp time.Duration, noise random.Source, into *ObjectList) {
	cfg, p := v.cfg, env.PoseWB
	view.prepare()
	env.prepare()
	seen := linesNeeded
	if cfg.SelfRange > 0 {
		seen = view.countLinePoints(env.Lines, cfg.SelfRange, linesNeeded)
	}
	heading := env.heading()
	v.self.update(cfg, p, heading, seen, stamp, noise)
	nx, ny := noise.Normal(random.Index(streamSelf, 0))
	nh, _ := noise.Normal(random.Index(streamSelf, 1))
	d := v.self.drift
	x, y := p.Pos[0]+nx*cfg.SelfPosNoise+d[0], p.Pos[1]+ny*cfg.SelfPosNoise+d[1]
	heading += nh*cfg.SelfAngNoise + d[2]
	if v.self.mirrored {
		x, y, heading = -x, -y, heading+math.Pi
	}
	into.Self, into.SelfKnown = spatial.Planar(x, y, heading), true
}

func (l *localiser) update(cfg *VisionConfig, p spatial.Pose, heading float64, seen int, stamp time.Duration, noise random.Source) {
	if !l.started || stamp-l.stamp > filterGap {
		// It has not watched: where it thought to be does not matter.
		*l = localiser{started: true, last: p, mirrored: cfg.SelfAmbiguous && noise.Uniform(random.Index(streamMirrored, 0)) < 0.5}
	}
	l.stamp = stamp
	if seen >= linesNeeded {
		if l.lost && cfg.SelfAmbiguous {
			l.losses++
			l.mirrored = noise.Uniform(random.Index(streamMirrored, l.losses)) < 0.5
		}
		l.lost, l.drift = false, mgl64.Vec3{}
	} else {
		l.lost = l.lost || seen == 0
		// Every stretch of the way adds its own error: the variance grows with the way.
		way := math.Hypot(p.Pos[0]-l.last.Pos[0], p.Pos[1]-l.last.Pos[1]) + 0.2*math.Abs(spatial.WrapAngle(heading-l.last.Heading()))
		missing := 1 - float64(seen)/linesNeeded
		a, b := noise.Normal(random.Index(streamSelf, 2))
		c, _ := noise.Normal(random.Index(streamSelf, 3))
		sigma := cfg.SelfDrift * missing * math.Sqrt(way)
		l.drift = l.drift.Add(mgl64.Vec3{a * sigma, b * sigma, c * sigma / 2})
	}
	l.last = p
}

// countLinePoints counts points on the field's countLinePoints that the eye sees, in range, up to so many. Bodies before them are not asked: they hide
// few of many.
func (vp *Viewpoint) countLinePoints(lines *Lines, within float64, enough int) int {
	n := 0
	view := &vp.PoseWC.Pos
	if lines == nil {
		return 0
	}
	for i := range lines.rows {
		r := &lines.rows[i]
		if r.fartherThan(view[0], view[1], within) {
			continue
		}
		for _, p := range r.points {
			dx, dy := p[0]-view[0], p[1]-view[1]
			if dx*dx+dy*dy > within*within || !vp.inImage(dx, dy, -view[2]) {
				continue
			}
			if n++; n == enough {
				return n
			}
		}
	}
	return n
}

// inImage tells whether a point is in the image, which is so far from the eye along W's axes.
func (vp *Viewpoint) inImage(dx, dy, dz float64) bool {
	// Of what is below the eye, what is farther off than the ring's lower edge lies higher.
	if in := &vp.rings.inner; vp.upright && in.to >= 0 && dz < 0 && in.from < 0 && (dx*dx+dy*dy)*in.from*in.from > dz*dz {
		return true
	}
	u, v, ok := vp.Model.Project(spatial.TurnBack(&vp.turn, dx, dy, dz))
	return ok && optics.Inside(vp.Model, u, v)
}
