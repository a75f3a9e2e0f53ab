package abstraction

import (
	"math"
	"slices"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction/random"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// Streams of random numbers within a frame.
const (
	streamMiss uint16 = iota
	streamPixel
	streamRange
	streamVelocity
	streamFalse
	streamSelf
	streamTable
	streamSwap
	streamMirrored
	streamLines
)

// manyTargets are more than a match has.
const manyTargets = 32

// RangeSigma returns the standard deviation of a measured distance along the optical axis, both in metres. Cameras
// that measure distance have theirs; the others nil.
type RangeSigma func(z float64) float64

// Vision reports what a camera's vision makes of scenes, frame after frame.
type Vision struct {
	cfg     *VisionConfig
	ranging RangeSigma
	drawn   random.Correlated // its noise from frame to frame
	tracks  []velocityFilter  // of the scene's targets
	self    localiser
	outlook targetViews
	found   []labelBoxes
	alone   []labelBoxes
	pixels  FeatureList // of lines, on their way
}

// NewVision returns the vision of one camera that takes so many frames a second. It keeps cfg.
func NewVision(cfg *VisionConfig, ranging RangeSigma, rate float64) *Vision {
	return &Vision{cfg: cfg, ranging: ranging, drawn: random.NewCorrelated(cfg.Correlation, rate)}
}

// Clone returns a vision that goes on from here by itself.
func (v *Vision) Clone() *Vision {
	c := *v
	c.tracks, c.found, c.alone = slices.Clone(v.tracks), nil, nil
	c.outlook, c.pixels = targetViews{}, FeatureList{}
	return &c
}

// Perceive reports what the eye sees of the scene in a frame, less the misses, at the places where noise in the image puts it. The
// noise is the sensor's for that frame.
func (v *Vision) Perceive(view *Viewpoint, env *Environment, stamp time.Duration, noise random.Source, into *ObjectList) {
	cfg := v.cfg
	into.clear()
	farthest := view.MaxRange
	view.MaxRange = min(farthest, cfg.MaxRange)
	view.prepare()
	env.prepare()
	if len(v.tracks) != len(env.Targets) {
		v.tracks = make([]velocityFilter, len(env.Targets))
	}
	o := &v.outlook
	view.viewTargets(env, o)
	o.detected = o.detected[:0]
	for _, i := range o.candidates {
		visible := view.visible(env, i, o)
		if visible > 0 && !cfg.misses(&env.Targets[i], visible, env.Light, noise) {
			o.detected = append(o.detected, detectedTarget{i, visible})
		}
	}
	// Apart from the first loop, whose branches nobody can predict: here a processor has several targets in work at once.
	for _, n := range o.detected {
		t := &env.Targets[n.target]
		pointW, ok := v.locate(view, env, t, noise)
		if !ok {
			continue
		}
		d := into.detect(t, n.visible)
		d.PosB = env.toB(&pointW)
		if t.Kind == RobotKind && n.visible < cfg.CardVisible {
			d.Kind, d.Team = ObstacleKind, ""
		}
		v.velocity(d, env, &v.tracks[n.target], t, pointW, stamp, noise)
	}
	cfg.swap(into.Detections, noise)
	if cfg.Lines {
		into.addGoals()
		v.perceiveLines(view, env, noise, into)
	}
	if d, ok := cfg.falseBall(view, env, noise); ok {
		into.Detections = append(into.Detections, d)
	}
	view.MaxRange = farthest
}

// misses tells whether vision misses a target in a frame.
func (cfg *VisionConfig) misses(t *Target, visible, light float64, noise random.Source) bool {
	p := cfg.detectionProbability(visible, light)
	return p < 1 && noise.Uniform(random.Index(streamMiss, t.id)) >= p
}

// locate returns where vision believes a target's reference point to be, in the world, and false when the noise
// threw it off the floor or out of range.
func (v *Vision) locate(view *Viewpoint, env *Environment, t *Target, noise random.Source) (mgl64.Vec3, bool) {
	point, ok := v.measurePoint(view, t, noise)
	if !ok || len(v.cfg.Errors) == 0 {
		return point, ok
	}
	toX, toY := point[0]-env.PoseWB.Pos[0], point[1]-env.PoseWB.Pos[1]
	distance := math.Hypot(toX, toY)
	e := v.cfg.errorsAt(distance, spatial.WrapAngle(math.Atan2(toY, toX)-env.heading()))
	a, b := v.drawn.Normal(noise, streamTable, t.id)
	grown := distance + e.Bias + a*e.Range
	if grown <= 0 || grown > view.MaxRange {
		return mgl64.Vec3{}, false
	}
	sin, cos := math.Sincos(b * e.Angle)
	grown /= distance
	return mgl64.Vec3{
		env.PoseWB.Pos[0] + grown*(cos*toX-sin*toY), env.PoseWB.Pos[1] + grown*(sin*toX+cos*toY), point[2],
	}, true
}

// measurePoint returns where a target's reference point is believed to be by its pixel.
func (v *Vision) measurePoint(view *Viewpoint, t *Target, noise random.Source) (mgl64.Vec3, bool) {
	cfg := v.cfg
	p, o := &t.PoseWT.Pos, &view.PoseWC.Pos
	inC := spatial.TurnBack(&view.turn, p[0]-o[0], p[1]-o[1], p[2]-o[2])
	dirC := inC
	if cfg.PixelNoise > 0 {
		// The foot may lie below the image's edge while the body is seen: vision extrapolates, so Inside is not asked.
		pu, pv, ok := view.Model.Project(inC)
		if !ok {
			return mgl64.Vec3{}, false
		}
		nu, nv := v.drawn.Normal(noise, streamPixel, t.id)
		if dirC, ok = view.Model.Unproject(pu+nu*cfg.PixelNoise, pv+nv*cfg.PixelNoise); !ok {
			return mgl64.Vec3{}, false
		}
	}
	if v.ranging != nil {
		nr, _ := v.drawn.Normal(noise, streamRange, t.id)
		z := inC[2] + nr*v.ranging(inC[2])
		ray := dirC.Mul(z / dirC[2])
		return spatial.Turn(&view.turn, ray[0], ray[1], ray[2]).Add(view.PoseWC.Pos), true
	}
	plane := 0.0
	if t.Kind == BallKind {
		plane = t.Shape.Radius
	}
	return view.intersectPlane(dirC, plane)
}

// intersectPlane returns where a viewing direction meets the plane z = height, in the world, and false when it does not
// within range.
func (vp *Viewpoint) intersectPlane(dirC mgl64.Vec3, height float64) (mgl64.Vec3, bool) {
	x, y, z, m, o := dirC[0], dirC[1], dirC[2], &vp.turn, &vp.PoseWC.Pos
	down := m[2]*x + m[5]*y + m[8]*z
	if down == 0 {
		return mgl64.Vec3{}, false
	}
	t := (height - o[2]) / down
	if t <= 0 || t*t*(x*x+y*y+z*z) > vp.MaxRange*vp.MaxRange {
		return mgl64.Vec3{}, false
	}
	return mgl64.Vec3{o[0] + t*(m[0]*x+m[3]*y+m[6]*z), o[1] + t*(m[1]*x+m[4]*y+m[7]*z), height}, true
}

// swap takes robots for others beside them: they exchange names and teams.
func (cfg *VisionConfig) swap(list []Detection, noise random.Source) {
	if cfg.SwapRate == 0 {
		return
	}
	var taken [manyTargets]bool // decided by who they are, before anybody is taken for another
	for i := range list[:min(len(list), manyTargets)] {
		taken[i] = list[i].Kind == RobotKind && noise.Uniform(random.Index(streamSwap, identity(RobotKind, list[i].Name))) < cfg.SwapRate
	}
	for i := range list[:min(len(list), manyTargets)] {
		if !taken[i] {
			continue
		}
		best, nearest := -1, cfg.SwapRange
		for j := range list {
			if d := list[j].PosB.Sub(list[i].PosB).Len(); j != i && list[j].Kind == RobotKind && d <= nearest {
				best, nearest = j, d
			}
		}
		if best >= 0 {
			a, b := &list[i], &list[best]
			a.Name, b.Name, a.Team, b.Team = b.Name, a.Name, b.Team, a.Team
		}
	}
}

// falseBall returns a ball that is not there, at a random place of the image that shows the floor.
func (cfg *VisionConfig) falseBall(view *Viewpoint, env *Environment, noise random.Source) (Detection, bool) {
	if cfg.FalseRate == 0 || noise.Uniform(random.Index(streamFalse, 0)) >= cfg.FalseRate {
		return Detection{}, false
	}
	w, h := view.Model.Size()
	u, v := noise.Uniform(random.Index(streamFalse, 1))*float64(w), noise.Uniform(random.Index(streamFalse, 2))*float64(h)
	dirC, ok := view.Model.Unproject(u, v)
	if !ok {
		return Detection{}, false
	}
	p, ok := view.intersectPlane(dirC, 0)
	return Detection{Kind: BallKind, Visible: 1, PosB: env.toB(&p)}, ok
}

// velocityFilter is what a filter knows of a target: a critically damped constant-velocity (α-β) filter in the world.
type velocityFilter struct {
	pos, vel mgl64.Vec3
	stamp    time.Duration
	frames   int
}

// filterGap is the pause after which a filter starts anew. Guess.
const filterGap = 500 * time.Millisecond

// velocity fills a detection's velocity: the true one with noise, or what a filter makes of the places where it was located.
func (v *Vision) velocity(d *Detection, env *Environment, k *velocityFilter, t *Target, pointW mgl64.Vec3, stamp time.Duration, noise random.Source) {
	if v.cfg.VelocityFilter == 0 {
		d.VelB = env.velocityB(&t.VelW)
		if v.cfg.VelocityNoise > 0 {
			nx, ny := v.drawn.Normal(noise, streamVelocity, t.id)
			d.VelB[0], d.VelB[1] = d.VelB[0]+nx*v.cfg.VelocityNoise, d.VelB[1]+ny*v.cfg.VelocityNoise
		}
		if v.ranging != nil {
			env.predictTouchdown(d, pointW, spatial.Turn(&env.turn, d.VelB[0], d.VelB[1], d.VelB[2]), t.Shape.Radius)
		}
		return
	}
	k.update(pointW, stamp, v.cfg.VelocityFilter)
	d.VelB, d.VelKnown = env.velocityB(&k.vel), k.frames > 1
	if v.ranging != nil && d.VelKnown {
		env.predictTouchdown(d, k.pos, k.vel, t.Shape.Radius)
	}
}

// update takes a measured place in. Source of the gains: Kalata, "The tracking index", IEEE Trans. AES 1984, for critical damping.
func (k *velocityFilter) update(pointW mgl64.Vec3, stamp, constant time.Duration) {
	dt := (stamp - k.stamp).Seconds()
	if k.frames == 0 || stamp-k.stamp > filterGap || dt <= 0 {
		*k = velocityFilter{pos: pointW, stamp: stamp, frames: 1}
		return
	}
	theta := math.Exp(-dt / constant.Seconds())
	alpha, beta := 1-theta*theta, (1-theta)*(1-theta)
	ahead := k.pos.Add(k.vel.Mul(dt))
	off := pointW.Sub(ahead)
	k.pos, k.vel = ahead.Add(off.Mul(alpha)), k.vel.Add(off.Mul(beta/dt))
	k.stamp = stamp
	k.frames++
}
