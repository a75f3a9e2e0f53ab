package sensors

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/abstraction/random"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// Laser is a laser scanner. Its beams lie in the x-y plane of its own frame.
type Laser struct {
	FOV         float64     `toml:"fov_deg" range:"(0, 360]" doc:"scanned angle, symmetric about x; at 360 no beam occurs twice"`
	Resolution  float64     `toml:"resolution_deg" range:"[0.05, 30]" doc:"between two beams"`
	Min         float64     `toml:"min_m" range:"[0, 10]" doc:"least measured distance"`
	Max         float64     `toml:"max_m" range:"(0, 200]" doc:"largest measured distance"`
	Step        float64     `toml:"step_mm" range:"[0, 100]" doc:"resolution of the distance; 0 for none"`
	DarkRange   float64     `toml:"dark_range_m" range:"[0, 1000]" doc:"distance at which half of the beams that meet a matt surface of 10 % reflectance at a right angle return; a darker, more mirror-like or more oblique surface returns less; 0: every surface returns every beam"`
	SignalNoise float64     `toml:"signal_noise" range:"[0, 1]" doc:"standard deviation of the light that returns, as a fraction of the weakest that is detected; beams whose light is about the weakest alternate between echo and none"`
	Bands       []LaserBand `toml:"band" doc:"errors by distance, nearest first; the last band extends to max_m"`
	PlaceNoise  float64     `toml:"place_noise_m" range:"[0, 5]" doc:"standard deviation of the position at level pose, along x and y"`
	TurnNoise   float64     `toml:"turn_noise_deg" range:"[0, 90]" doc:"standard deviation of the heading at level pose"`
}

// LaserBand gives the errors of a scanner in a band of distances. The band begins where the preceding band ends, and
// ends at UpTo.
type LaserBand struct {
	UpTo        float64 `toml:"up_to_m" required:"true" range:"(0, 200]"`
	Systematic  float64 `toml:"systematic_m" range:"[0, 1]" doc:"limit of the constant error of a device; each device has a random share of it"`
	Statistical float64 `toml:"statistical_m" range:"[0, 1]" doc:"standard deviation of the error that changes from beam to beam"`
}

// SetDefaults sets the values of a SICK LMS1xx. The method row gives their source.
func (l *Laser) SetDefaults() {
	*l = Laser{
		FOV: 270 * spatial.Degree, Resolution: 0.5 * spatial.Degree, Min: 0.5, Max: 20,
		Bands:       []LaserBand{{UpTo: 20, Systematic: 0.03, Statistical: 0.012}},
		SignalNoise: signalNoise,
		PlaceNoise:  0.03, TurnNoise: 0.5 * spatial.Degree, // guesses for indoor scan matching
	}
}

func (*Laser) row() *kind {
	return &kind{
		levels: abstraction.Levels{abstraction.Raw, abstraction.Ideal, abstraction.Pose, abstraction.Truth}, rate: 25,
		reading: LaserScan{}, environment: true,
		profiles: []profile{
			// Source: SICK's product pages for the LMS1xx: 270° at 25 Hz and 0.5°, systematic error ±30 mm, statistical
			// error 12 mm.
			{"sick-lms1xx", func(c *Config) { c.scanner(25) }},
			// Source: SICK's product pages for the LMS5xx SR: 190°, systematic error ±25/35/50 mm and statistical error
			// 6/8/14 mm up to 10, 20 and 30 m. The measuring range is a guess for a hall.
			{"sick-lms5xx", func(c *Config) {
				l := c.scanner(25)
				l.FOV, l.Min, l.Max = 190*spatial.Degree, 0.7, 30
				l.Bands = []LaserBand{{10, 0.025, 0.006}, {20, 0.035, 0.008}, {30, 0.05, 0.014}}
			}},
			// The scanner of Beck et al. 2008: 360° at 10 Hz. The errors are guesses for scanners of that generation.
			{"sick-ld", func(c *Config) {
				l := c.scanner(10)
				l.FOV, l.Resolution, l.Min, l.Max = 360*spatial.Degree, spatial.Degree, 0.3, 30
				l.Bands = []LaserBand{{30, 0.025, 0.02}}
			}},
			// Sources: SICK's technical description of the LMS200: 180°, systematic error ±35 mm in steps of 10 mm,
			// range 10 m at 10 % reflectance. The statistical error is what measured scans of an LMS2xx at rest leave
			// after the steps (docs/reality.md).
			{"sick-lms200", func(c *Config) {
				l := c.scanner(37.5)
				l.FOV, l.Resolution, l.Min, l.Max, l.Step, l.DarkRange = math.Pi, 0.5*spatial.Degree, 0.1, 80, 0.01, 10
				l.Bands = []LaserBand{{80, 0.035, 0.0063}}
			}},
			// Sources: Hokuyo's data sheet of the URG-04LX: 240° at 10 Hz, 0.36°, 0.02 m to 4.095 m in steps of 1 mm,
			// accuracy ±10 mm to 1 m and 1 % beyond. The statistical errors, the range of dark surfaces and the noise
			// of the signal are fitted to measured scans (docs/reality.md).
			{"urg-04lx", func(c *Config) {
				l := c.scanner(10)
				l.FOV, l.Resolution = 240*spatial.Degree, 360./1024*spatial.Degree
				l.Min, l.Max, l.Step, l.DarkRange, l.SignalNoise = 0.02, 4.095, 0.001, 0.88, 0.16
				l.Bands = []LaserBand{{1, 0.01, 0.0027}, {2, 0.02, 0.0025}, {3, 0.03, 0.0118}, {4.095, 0.04, 0.0172}}
			}},
		},
	}
}

// scanner sets a laser with the default properties and a rate.
func (c *Config) scanner(rate float64) *Laser {
	c.Laser, c.Rate = new(Laser), rate
	c.Laser.SetDefaults()
	return c.Laser
}

// Validate reports violations of rules that involve several fields.
func (l *Laser) Validate(violate func(field string, value any, rule string)) {
	if l.Min >= l.Max {
		violate("Max", l.Max, "must be larger than {Min}")
	}
	if len(l.Bands) == 0 {
		violate("", "table", "needs a band")
	}
	for i := 1; i < len(l.Bands); i++ {
		if l.Bands[i].UpTo <= l.Bands[i-1].UpTo {
			violate(fmt.Sprintf("Bands[%d].UpTo", i), l.Bands[i].UpTo, "must be more than the one before")
		}
	}
}

// LaserScan is one scan in the scanner's frame S. The x axis of S points forward. Angles are anticlockwise, as in the
// ROS message sensor_msgs/LaserScan.
type LaserScan struct {
	// PoseWB is the robot's pose from localisation by laser. It is valid if PoseKnown is true, which is so at level
	// truth, and at level pose if the surfaces in the scan fix the position.
	PoseWB    spatial.Pose `quantity:"pose." frame:"world"`
	PoseKnown bool         `quantity:"pose.known"`

	First  float64 `quantity:"scan.first" unit:"rad"` // bearing of the first beam
	Last   float64 `quantity:"scan.last" unit:"rad"`  // bearing of the last beam
	Step   float64 `quantity:"scan.step" unit:"rad"`  // between beams
	Min    float64 `quantity:"scan.range_min" unit:"m"`
	Max    float64 `quantity:"scan.range_max" unit:"m"`
	Period float64 `quantity:"scan.period" unit:"s"` // between scans
	// Ranges are distances along the beams. They are −Inf below and +Inf above the measuring range (REP 117).
	Ranges []float64 `quantity:"scan.ranges" unit:"m"`
}

// MarshalJSON omits an unknown pose, and writes null for beams without a measurement.
func (s *LaserScan) MarshalJSON() ([]byte, error) {
	j := struct {
		Pose   *poseJSON  `json:"pose,omitempty"`
		First  float64    `json:"first_rad"`
		Step   float64    `json:"step_rad"`
		Ranges []*float64 `json:"ranges_m,omitempty"`
	}{First: s.First, Step: s.Step, Ranges: make([]*float64, len(s.Ranges))}
	if s.PoseKnown {
		j.Pose = poseOf(s.PoseWB)
	}
	for i := range s.Ranges {
		if !math.IsInf(s.Ranges[i], 0) {
			j.Ranges[i] = &s.Ranges[i]
		}
	}
	return json.Marshal(j)
}

// scramble sets random ranges between the limits of the measuring range. It makes the pose unknown, because
// localisation is impossible with such ranges.
func (s *LaserScan) scramble(noise random.Source) {
	for i := range s.Ranges {
		s.Ranges[i] = (s.Max+s.Min)/2 + evenly(noise, uint64(i), (s.Max-s.Min)/2)
	}
	s.PoseWB, s.PoseKnown = spatial.Identity(), false
}

// laser computes ranges in closed form. Its beams hit the hulls of robots, obstacles, the ball, goal posts, boards and
// the floor. Of people, and of robots whose joints move links, they hit the meshes that images show.
type laser struct {
	device
	spec   *Laser
	beams  fan
	boards boards
	share  float64 // factor of the systematic error of every band, from −1 to 1
	solid  abstraction.Raycaster
	light  *laserLight // nil if every surface returns every beam
}

const (
	streamLaserShare uint16 = iota
	streamLaserBeam
	streamLaserPlace
)

func (l *Laser) build(d device, site Site) (Sensor, error) {
	s := &laser{device: d, spec: l, boards: boardsOf(&site.Model.Field),
		beams: newFan(l.FOV, l.Resolution)}
	s.share = 2*d.noise.Uniform(random.Index(streamLaserShare, 0)) - 1
	if l.DarkRange > 0 {
		light, err := newLaserLight(l, &s.beams, d, &site)
		if err != nil {
			return nil, err
		}
		s.light = light
	}
	return s, nil
}

func (l *laser) Observe(at *Instant, obs *Observation) {
	poseWB := at.State().PoseWB
	poseWS := poseWB.Mul(l.poseBS)
	scan := readingIn[LaserScan](obs)
	beams := len(l.beams.alongW)
	*scan = LaserScan{
		First: l.beams.first, Last: l.beams.first + float64(beams-1)*l.beams.step, Step: l.beams.step,
		Min: l.spec.Min, Max: l.spec.Max, Period: 1 / l.cfg.Rate, Ranges: slices.Grow(scan.Ranges[:0], beams)[:beams],
	}
	l.measure(at.Environment, &poseWS, scan.Ranges)
	fixed := obs.Level == abstraction.Pose && l.fixesPosition(scan.Ranges)
	noise := l.noise.Frame(obs.Frame)
	faulty := obs.Level == abstraction.Raw || obs.Level == abstraction.Pose
	if faulty && l.light != nil {
		l.light.measure(at, &poseWS, l.spec.Max)
	}
	for i, r := range scan.Ranges {
		if faulty {
			r = l.spoil(r, noise, uint64(i))
		}
		switch {
		case r > l.spec.Max:
			r = math.Inf(1)
		case r < l.spec.Min:
			r = math.Inf(-1)
		}
		scan.Ranges[i] = r
	}
	switch obs.Level {
	case abstraction.Truth:
		scan.PoseWB, scan.PoseKnown = poseWB, true
	case abstraction.Pose:
		if !fixed {
			scan.PoseWB = spatial.Identity()
			break
		}
		a, b := noise.Normal(random.Index(streamLaserPlace, 0))
		c, _ := noise.Normal(random.Index(streamLaserPlace, 1))
		sigma := l.spec.PlaceNoise
		scan.PoseWB = spatial.Planar(poseWB.Pos[0]+a*sigma, poseWB.Pos[1]+b*sigma, poseWB.Heading()+c*l.spec.TurnNoise)
		scan.PoseKnown = true
	}
}

const (
	// leastSurface is the least length of surfaces in a scan across any direction, m, with which localisation finds the
	// position along this direction. It is a guess.
	leastSurface = 0.5
	// surfaceGap is the largest distance of the points of two neighbouring beams on the same surface, m. It is a guess.
	surfaceGap = 0.5
)

// fixesPosition reports whether the surfaces that a scan shows fix the scanner's position in every direction. A wall
// fixes it across the wall, but not along: a corridor whose ends are out of range does not fix it.
func (l *laser) fixesPosition(ranges []float64) bool {
	var xx, xy, yy float64 // sums over surfaces, m: the length times the square of the normal
	var last mgl64.Vec2
	seen := false
	for i, r := range ranges {
		along := &l.beams.alongS[i]
		at, inRange := mgl64.Vec2{r * along[0], r * along[1]}, r >= l.spec.Min && r <= l.spec.Max
		if d := at.Sub(last); seen && inRange {
			if length := d.Len(); length > 0 && length <= surfaceGap {
				xx, xy, yy = xx+d[1]*d[1]/length, xy-d[0]*d[1]/length, yy+d[0]*d[0]/length
			}
		}
		last, seen = at, inRange
	}
	return (xx+yy)/2-math.Hypot((xx-yy)/2, xy) >= leastSurface // the smaller eigenvalue
}

// measure computes for each beam the distance, in m, to the first surface that the beam hits. The distance is +Inf if
// the beam hits nothing.
func (l *laser) measure(env *abstraction.Environment, poseWS *spatial.Pose, ranges []float64) {
	l.beams.aim(poseWS)
	for i := range ranges {
		along := &l.beams.alongW[i]
		r := l.boards.raycast(&poseWS.Pos, along)
		if along[2] < 0 {
			r = min(r, -poseWS.Pos[2]/along[2]) // the floor
		}
		ranges[i] = r
	}
	for i := range env.Targets {
		t := &env.Targets[i]
		if t != env.Self && !t.Static && !t.Drawn {
			rays := t.Shape.Raycaster(&t.PoseWT, poseWS.Pos)
			l.cast(&rays, ranges)
		}
	}
	for i := range env.Surfaces {
		if s := &env.Surfaces[i]; &env.Targets[s.Target] != env.Self {
			l.meet(s, poseWS.Pos, ranges)
		}
	}
	env.Solids.Cast(poseWS.Pos, l.beams.steepest(), &l.solid, func(x, y, radius float64) float64 {
		if math.IsInf(radius, 1) {
			l.beams.reach(ranges, l.spec.Max)
		}
		return l.beams.farthest(x, y, radius)
	}, func() { l.cast(&l.solid, ranges) })
}

// cast shortens the ranges of the beams that hit a shape.
func (l *laser) cast(rays *abstraction.Raycaster, ranges []float64) {
	nearest := rays.Nearest()
	for _, part := range l.beams.towards(rays.Box()) {
		for k := part.first; k < part.end; k++ {
			if ranges[k] > nearest {
				ranges[k] = min(ranges[k], rays.Cast(&l.beams.alongW[k]))
			}
		}
	}
}

// meet shortens the ranges of the beams that hit a surface.
func (l *laser) meet(s *abstraction.Surface, from mgl64.Vec3, ranges []float64) {
	for _, part := range l.beams.towards(s.Box(from)) {
		for k := part.first; k < part.end; k++ {
			ranges[k] = s.Cast(from, l.beams.alongW[k], ranges[k])
		}
	}
}

// spoil returns a distance with the errors of a beam whose exact distance is r, in m. It returns +Inf if too little
// light returns.
func (l *laser) spoil(r float64, noise random.Source, beam uint64) float64 {
	if math.IsInf(r, 1) {
		return r
	}
	band := l.spec.Bands[len(l.spec.Bands)-1]
	for _, b := range l.spec.Bands {
		if r <= b.UpTo {
			band = b
			break
		}
	}
	n, signal := noise.Normal(random.Index(streamLaserBeam, beam))
	if l.light != nil {
		energy := float64(l.light.reflectance[beam]) / (r * r)
		if !detected(energy, l.spec.DarkRange, signal*l.spec.SignalNoise) {
			return math.Inf(1)
		}
	}
	return quantised(r+l.share*band.Systematic+n*band.Statistical, l.spec.Step)
}
