package abstraction

import (
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction/random"
	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/optics"
)

// linesNeeded is the number of line points that localisation needs. The value is a guess: 8 points are a few metres of
// lines.
const linesNeeded = 8

// localiser is the state of localisation by lines.
type localiser struct {
	started  bool
	mirrored bool         // localisation has mistaken one half of the field for the other
	losses   uint64       // number of times that localisation was lost
	lost     bool         // there was a frame without any line point since there were last enough of them
	drift    mgl64.Vec3   // errors of x and y in m, and of heading in rad, since there were last enough line points
	last     spatial.Pose // true pose at stamp, W
	stamp    time.Duration
}

func (l *localiser) Exchange(c *keyframe.Codec) {
	c.Bools(&l.started, &l.mirrored, &l.lost)
	c.Uint(&l.losses)
	c.Floats(l.drift[:])
	c.Pose(&l.last.Pos, &l.last.Rot)
	c.Duration(&l.stamp)
}

// Localise sets the robot's estimate of its own pose in an object list. It simulates localisation by the visible lines.
// If too few lines are visible, localisation continues by odometry, and the estimate drifts.
func (v *Vision) Localise(view *Viewpoint, env *Environment, stamp time.Duration, noise random.Source,
	into *ObjectList) {
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

func (l *localiser) update(cfg *VisionConfig, p spatial.Pose, heading float64, seen int, stamp time.Duration,
	noise random.Source) {
	if !l.started || stamp-l.stamp > filterGap {
		// The first frame, or the first frame after a pause.
		*l = localiser{started: true, last: p, mirrored: cfg.SelfAmbiguous &&
			noise.Uniform(random.Index(streamMirrored, 0)) < 0.5}
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
		// The errors of parts of the path are independent, so the variance grows in proportion to the distance.
		way := math.Hypot(p.Pos[0]-l.last.Pos[0], p.Pos[1]-l.last.Pos[1]) +
			0.2*math.Abs(spatial.WrapAngle(heading-l.last.Heading()))
		missing := 1 - float64(seen)/linesNeeded
		a, b := noise.Normal(random.Index(streamSelf, 2))
		c, _ := noise.Normal(random.Index(streamSelf, 3))
		sigma := cfg.SelfDrift * missing * math.Sqrt(way)
		l.drift = l.drift.Add(mgl64.Vec3{a * sigma, b * sigma, c * sigma / 2})
	}
	l.last = p
}

// countLinePoints returns the number of line points that are in the image and not farther than a distance, in m. It
// stops counting when it reaches limit. It ignores occlusion, which affects only few points.
func (vp *Viewpoint) countLinePoints(lines *Lines, within float64, limit int) int {
	n := 0
	from := &vp.PoseWC.Pos
	if lines == nil {
		return 0
	}
	for i := range lines.rows {
		r := &lines.rows[i]
		if r.fartherThan(from[0], from[1], within) {
			continue
		}
		for _, p := range r.points {
			dx, dy := p[0]-from[0], p[1]-from[1]
			if dx*dx+dy*dy > within*within || !vp.inImage(dx, dy, -from[2]) {
				continue
			}
			if n++; n == limit {
				return n
			}
		}
	}
	return n
}

// inImage reports whether a point at an offset from the viewpoint, along W's axes, is in the image.
func (vp *Viewpoint) inImage(dx, dy, dz float64) bool {
	// The point is below the viewpoint, with a larger slope than the lower end of the inner ring.
	if in := &vp.rings.inner; vp.upright && in.to >= 0 && dz < 0 && in.from < 0 &&
		(dx*dx+dy*dy)*in.from*in.from > dz*dz {
		return true
	}
	u, v, ok := vp.Model.Project(spatial.TurnBack(&vp.rotWC, dx, dy, dz))
	return ok && optics.Inside(vp.Model, u, v)
}
