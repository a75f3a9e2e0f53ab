package abstraction

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction/contour"
	"github.com/omnipitch/omnipitch/abstraction/random"
	"github.com/omnipitch/omnipitch/physics/keyframe"
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
	streamSize
	streamBeside
)

// maxSwapped is the maximum number of detections among which vision can confuse robots. A match has fewer objects.
const maxSwapped = 32

// RangeSigma returns the standard deviation of a measured depth z, both in m. A camera that does not measure depth has
// none (nil).
type RangeSigma func(z float64) float64

// Vision is the vision of one camera over consecutive frames.
type Vision struct {
	cfg     *VisionConfig
	ranging RangeSigma
	errors  []random.Correlated // noise of located points for each error model, correlated over frames
	fused   bool                // whether any error model is fused
	filters []velocityFilter    // one for each target
	self    localiser
	targets *TargetViews // memory if the viewpoint has none; nil until it is needed
	found   []contour.Boxes
	pixels  FeatureList // reused for lines
}

// NewVision returns the vision of a camera with a rate in Hz. It keeps a reference to cfg.
func NewVision(cfg *VisionConfig, ranging RangeSigma, rate float64) *Vision {
	v := &Vision{cfg: cfg, ranging: ranging}
	for i := range cfg.models() {
		v.errors = append(v.errors, random.NewCorrelated(cfg.model(i).Correlation, rate))
		v.fused = v.fused || cfg.model(i).Fused
	}
	return v
}

// errorsOf returns the noise of the locations of objects of a kind.
func (v *Vision) errorsOf(k Kind) *random.Correlated { return &v.errors[v.cfg.modelIndex(k)] }

// viewsFor returns the memory for the views of the targets.
func (v *Vision) viewsFor(view *Viewpoint) *TargetViews {
	if view.Views != nil {
		return view.Views
	}
	if v.targets == nil {
		v.targets = &TargetViews{}
	}
	return v.targets
}

// Exchange saves or restores the state of the vision.
func (v *Vision) Exchange(c *keyframe.Codec) {
	keyframe.Slice(c, &v.filters, (*velocityFilter).Exchange)
	v.self.Exchange(c)
}

// Remembers reports whether the result for a frame depends on earlier frames.
func (v *Vision) Remembers() bool {
	return v.cfg.VelocityFilter > 0 || v.cfg.SelfDrift > 0 || v.cfg.SelfAmbiguous
}

// Clone returns an independent copy.
func (v *Vision) Clone() *Vision {
	c := *v
	c.filters, c.found = slices.Clone(v.filters), nil
	c.targets, c.pixels = nil, FeatureList{}
	return &c
}

// Perceive sets a list to the objects that vision detects in a frame, at the positions at which vision locates them.
// The argument noise is the source of random numbers for the frame, and stamp is the frame's capture time.
func (v *Vision) Perceive(view *Viewpoint, env *Environment, stamp time.Duration, noise random.Source,
	into *ObjectList) {
	cfg := v.cfg
	into.Clear()
	maxRange := view.MaxRange
	view.MaxRange = min(maxRange, cfg.MaxRange)
	view.prepare()
	env.prepare()
	if len(v.filters) != len(env.Targets) {
		v.filters = make([]velocityFilter, len(env.Targets))
	}
	o := v.viewsFor(view)
	view.viewTargets(env, o)
	o.detected = o.detected[:0]
	for _, i := range o.candidates {
		visible := view.visible(env, i, o)
		if visible > 0 && !cfg.misses(env, &env.Targets[i], visible, noise) {
			o.detected = append(o.detected, detectedTarget{i, visible})
		}
	}
	// A separate loop is faster: the processor mispredicts branches of the first loop, while in this loop the work on
	// several targets overlaps.
	for _, n := range o.detected {
		t := &env.Targets[n.target]
		pointW, ok := v.locate(view, env, t, noise)
		if !ok {
			continue
		}
		d := into.detect(t, n.visible)
		d.PosB = env.toB(&pointW)
		if m := cfg.modelOf(t.Kind); m.SizeNoise > 0 {
			m.misjudgeSize(d, t, noise)
		}
		if t.Kind == RobotKind && n.visible < cfg.CardVisible {
			d.Kind, d.Team = ObstacleKind, ""
		}
		v.velocity(d, env, &v.filters[n.target], t, pointW, stamp, noise)
	}
	if v.fused {
		v.fuse(env, stamp, noise, into)
	}
	cfg.swap(into.Detections, noise)
	if cfg.Lines {
		into.addGoals()
		v.perceiveLines(view, env, noise, into)
	}
	for i := range cfg.models() {
		if i == obstacleModel && cfg.Obstacles == nil {
			continue
		}
		if d, ok := cfg.model(i).falseDetection(view, env, uint64(3*i), noise); ok {
			d.Kind = cfg.falseKind(i)
			into.Detections = append(into.Detections, d)
		}
	}
	view.MaxRange = maxRange
}

// falseKind returns the kind of false positives of an error model.
func (cfg *VisionConfig) falseKind(model int) Kind {
	switch model {
	case generalModel:
		return BallKind
	case obstacleModel:
		return ObstacleKind
	}
	return cfg.Kinds[model-firstKind].Kind
}

// misjudgeSize adds errors to the reported extent. An extent is never negative.
func (m *ErrorModel) misjudgeSize(d *Detection, t *Target, noise random.Source) {
	a, b := noise.Normal(random.Index(streamSize, t.id))
	c, _ := noise.Normal(random.Index(streamSize, ^t.id))
	for k, z := range [3]float64{a, b, c} {
		d.Size[k] = max(0, d.Size[k]*(1+m.SizeNoise*z))
	}
}

// locate returns the position in W at which vision locates a target's reference point. It returns false if noise moves
// the pixel above the horizon. It also returns false if noise moves the point out of range, or past the robot to its
// other side.
func (v *Vision) locate(view *Viewpoint, env *Environment, t *Target, noise random.Source) (mgl64.Vec3, bool) {
	point, ok := v.measurePoint(view, t, noise)
	m := v.cfg.modelOf(t.Kind)
	if !ok || len(m.Errors) == 0 {
		return point, ok
	}
	at := m.at(env.polar(point[0], point[1]))
	a, b := v.errorsOf(t.Kind).Normal(noise, streamTable, t.id)
	located, distance := at.displace(env, point, a, b)
	return located, distance > 0
}

// measurePoint returns the position in W that vision computes from the noisy pixel of a target's reference point. It
// does not add the errors of the error table. It returns false if there is no such position in range.
func (v *Vision) measurePoint(view *Viewpoint, t *Target, noise random.Source) (mgl64.Vec3, bool) {
	cfg := v.cfg
	p, o := &t.PoseWT.Pos, &view.PoseWC.Pos
	inC := spatial.TurnBack(&view.rotWC, p[0]-o[0], p[1]-o[1], p[2]-o[2])
	dirC := inC
	if cfg.PixelNoise > 0 {
		// The foot may be below the image's edge while the body is visible. Vision extrapolates, so the pixel may be
		// outside of the image.
		pu, pv, ok := view.Model.Project(inC)
		if !ok {
			return mgl64.Vec3{}, false
		}
		nu, nv := v.errorsOf(t.Kind).Normal(noise, streamPixel, t.id)
		if dirC, ok = view.Model.Unproject(pu+nu*cfg.PixelNoise, pv+nv*cfg.PixelNoise); !ok {
			return mgl64.Vec3{}, false
		}
	}
	if v.ranging != nil {
		nr, _ := v.errorsOf(t.Kind).Normal(noise, streamRange, t.id)
		z := inC[2] + nr*v.ranging(inC[2])
		ray := dirC.Mul(z / dirC[2])
		return spatial.Turn(&view.rotWC, ray[0], ray[1], ray[2]).Add(view.PoseWC.Pos), true
	}
	plane := 0.0
	if t.Kind == BallKind {
		plane = t.Shape.Radius
	}
	return view.intersectPlane(dirC, plane)
}

// intersectPlane returns the point in W where a viewing direction meets the plane z = height. The direction is in the
// optical frame, and the height in m. It returns false if there is no such point in range.
func (vp *Viewpoint) intersectPlane(dirC mgl64.Vec3, height float64) (mgl64.Vec3, bool) {
	x, y, z, m, o := dirC[0], dirC[1], dirC[2], &vp.rotWC, &vp.PoseWC.Pos
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

// swap exchanges the names and teams of robots that vision confuses with a neighbour.
func (cfg *VisionConfig) swap(list []Detection, noise random.Source) {
	if cfg.SwapRate == 0 {
		return
	}
	var mistaken [maxSwapped]bool // decided for all robots by name before any exchange
	for i := range list[:min(len(list), maxSwapped)] {
		mistaken[i] = list[i].Kind == RobotKind &&
			noise.Uniform(random.Index(streamSwap, identity(RobotKind, list[i].Name))) < cfg.SwapRate
	}
	for i := range list[:min(len(list), maxSwapped)] {
		if !mistaken[i] {
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

// falseDetection returns a false positive at a random pixel that shows the floor. It returns false if this frame has no
// false positive. It uses the three random numbers that start at the given index.
func (m *ErrorModel) falseDetection(view *Viewpoint, env *Environment, index uint64, noise random.Source) (Detection,
	bool) {
	if m.FalseRate == 0 || noise.Uniform(random.Index(streamFalse, index)) >= m.FalseRate {
		return Detection{}, false
	}
	w, h := view.Model.Size()
	u, v := noise.Uniform(random.Index(streamFalse, index+1))*float64(w),
		noise.Uniform(random.Index(streamFalse, index+2))*float64(h)
	dirC, ok := view.Model.Unproject(u, v)
	if !ok {
		return Detection{}, false
	}
	p, ok := view.intersectPlane(dirC, 0)
	return Detection{Visible: 1, PosB: env.toB(&p)}, ok
}

// velocityFilter estimates a target's velocity: a critically damped constant-velocity (α-β) filter in W.
type velocityFilter struct {
	pos, vel mgl64.Vec3
	stamp    time.Duration
	frames   int
}

func (k *velocityFilter) Exchange(c *keyframe.Codec) {
	c.Floats(k.pos[:])
	c.Floats(k.vel[:])
	c.Duration(&k.stamp)
	c.Int(&k.frames)
}

// filterGap is the time without measurements after which a filter restarts. The value is a guess.
const filterGap = 500 * time.Millisecond

// velocity sets the velocity of a detection. Without a configured filter, this is the true velocity plus noise. With a
// filter, it is the estimate of the target's filter k, after the located point has been added to the filter.
func (v *Vision) velocity(d *Detection, env *Environment, k *velocityFilter, t *Target, pointW mgl64.Vec3,
	stamp time.Duration, noise random.Source) {
	if v.cfg.VelocityFilter == 0 {
		d.VelB = env.velocityB(&t.VelW)
		if v.cfg.VelocityNoise > 0 {
			nx, ny := v.errorsOf(t.Kind).Normal(noise, streamVelocity, t.id)
			d.VelB[0], d.VelB[1] = d.VelB[0]+nx*v.cfg.VelocityNoise, d.VelB[1]+ny*v.cfg.VelocityNoise
		}
		if v.ranging != nil {
			env.predictTouchdown(d, pointW, spatial.Turn(&env.rotWB, d.VelB[0], d.VelB[1], d.VelB[2]), t.Shape.Radius)
		}
		return
	}
	k.update(pointW, stamp, v.cfg.VelocityFilter)
	d.VelB, d.VelKnown = env.velocityB(&k.vel), k.frames > 1
	if v.ranging != nil && d.VelKnown {
		env.predictTouchdown(d, k.pos, k.vel, t.Shape.Radius)
	}
}

// update adds a measurement to the filter. Source of the gains for critical damping: Kalata, "The tracking index", IEEE
// Trans. AES 1984.
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

// VisionConfig configures the errors of simulated vision, which replaces real vision at the levels of abstraction
// without images.
//
// Errors arise in the image, as in a real robot. A camera locates an object by the pixel of the object's reference
// point, and by the plane in which the reference point moves: the floor, or a ball radius above it. So a constant error
// in pixels becomes an error that grows with distance, and a flying ball is located farther away than it is.
type VisionConfig struct {
	ErrorModel
	Obstacles *ErrorModel  `toml:"obstacles" doc:"errors for robots, obstacles and bodies of other kinds, if they differ from those for the ball, goal posts and lines"`
	Kinds     []KindErrors `toml:"kind" maxlen:"100" doc:"errors for objects of single kinds, instead of the errors above"`

	PixelNoise  float64 `toml:"pixel_noise_px" range:"[0, 100]" doc:"standard deviation of a located point in the image, in u and v each"`
	MaxRange    float64 `toml:"max_range_m" range:"(0, 100]" doc:"range of detection of objects, goal posts and points of lines, at levels features and objects"`
	CardVisible float64 `toml:"card_visible" range:"[0, 1]" doc:"a robot with a smaller visible share is reported as an obstacle, because its team's colour is not visible"`
	SwapRate    float64 `toml:"swap_rate" range:"[0, 1]" doc:"probability of confusing a robot with a neighbour in a frame"`
	SwapRange   float64 `toml:"swap_range_m" range:"[0, 20]" doc:"largest distance between robots that are confused"`

	Lines bool `toml:"lines" doc:"whether levels objects and truth also report whole goals, lines, crossings and the circle, which takes an omni camera 15 times as long; goal posts are always reported, and level features always reports posts, bars, lines and the circle"`

	FeaturesFromPixels bool `toml:"features_from_pixels" doc:"whether level features casts rays through the pixels of the image instead of computing in closed form what each body covers: exact for every pixel, at a hundred times the cost"`

	VelocityNoise  float64       `toml:"velocity_noise_m_s" range:"[0, 10]" doc:"standard deviation of estimated velocities without a filter, in x and y each"`
	VelocityFilter time.Duration `toml:"velocity_filter_ms" range:"[0, 5000]" doc:"time constant of a filter that estimates velocities from located positions; 0 reports true velocities with noise"`
	Delay          time.Duration `toml:"delay_ms" range:"[0, 2000]" doc:"processing time of vision, added to the sensor's latency"`
	Segmentation   time.Duration `toml:"segmentation_ms" range:"[0, 2000]" doc:"processing time of segmentation, added to the latency at level features"`

	Localises     bool    `toml:"localises" doc:"whether vision also finds the robot's own pose, with the keys below; omni cameras always do"`
	SelfPosNoise  float64 `toml:"self_position_noise_m" range:"[0, 10]" doc:"standard deviation of the robot's own position, in x and y each"`
	SelfAngNoise  float64 `toml:"self_heading_noise_deg" range:"[0, 180]" doc:"standard deviation of the robot's own heading"`
	SelfRange     float64 `toml:"self_lines_range_m" range:"[0, 100]" doc:"range within which lines serve for localisation; 0 localises without lines"`
	SelfDrift     float64 `toml:"self_drift" range:"[0, 1]" doc:"error per metre driven while too few lines are visible"`
	SelfAmbiguous bool    `toml:"self_ambiguous" doc:"the field is symmetric: with probability 1/2 the robot starts mirrored, and again each time it has lost the lines"`
}

// SetDefaults sets the errors of the vision of a good robot.
func (c *VisionConfig) SetDefaults() { *c = DefaultVision() }

// DefaultVision returns the errors of the vision of a good robot.
func DefaultVision() VisionConfig {
	c := VisionConfig{
		PixelNoise:    0.7,  // guess: sub-pixel accuracy of centroids, with segmentation errors of one pixel
		VelocityNoise: 0.15, // guess: velocity is the difference of positions over a few frames
		MaxRange:      8,    // guess: at this distance the ball is about 4 px wide in a 640 px omni image
		CardVisible:   0.3,  // guess
		SwapRange:     1,
		Delay:         30 * time.Millisecond, // Xiao et al. 2017: omni vision takes less than 30 ms a frame
		Segmentation:  20 * time.Millisecond, // guess: most of Delay
		SelfPosNoise:  0.035,                 // Xiao et al. 2017: mean localisation error below 6 cm
		SelfAngNoise:  0.6 * spatial.Degree,  // guess
		SelfRange:     5,                     // guess: at this distance a line is about 3 px wide
		SelfDrift:     0.05,                  // guess: odometry with slip
	}
	c.ErrorModel.SetDefaults()
	return c
}

// Validate reports violations of rules that involve several fields.
func (c *VisionConfig) Validate(violate func(field string, value any, rule string)) {
	c.validate("", violate)
	if c.Obstacles != nil {
		c.Obstacles.validate("Obstacles.", violate)
	}
	for i := range c.Kinds {
		k := &c.Kinds[i]
		k.validate(fmt.Sprintf("Kinds[%d].", i), violate)
		if slices.ContainsFunc(c.Kinds[:i], func(o KindErrors) bool { return o.Kind == k.Kind }) {
			violate(fmt.Sprintf("Kinds[%d].Kind", i), string(k.Kind), "has a row already")
		}
	}
}
