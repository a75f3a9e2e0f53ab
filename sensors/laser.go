package sensors

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/abstraction/random"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// Laser is a scanner that turns in its own x-y plane.
type Laser struct {
	FOV        float64     `toml:"fov_deg" range:"(0, 360]" doc:"angle that is scanned, half of it to either side of x; 360 has no beam twice"`
	Resolution float64     `toml:"resolution_deg" range:"[0.05, 30]" doc:"between two beams"`
	Min        float64     `toml:"min_m" range:"[0, 10]" doc:"nothing nearer is measured"`
	Max        float64     `toml:"max_m" range:"(0, 200]" doc:"and nothing farther"`
	Bands      []LaserBand `toml:"band" doc:"errors by distance, nearest first; the last one reaches to max_m"`
	PlaceNoise float64     `toml:"place_noise_m" range:"[0, 5]" doc:"standard deviation of the place that level pose gives, along x and y"`
	TurnNoise  float64     `toml:"turn_noise_deg" range:"[0, 90]" doc:"and of its heading"`
}

// LaserBand is how wrong a scanner is up to a distance.
type LaserBand struct {
	UpTo        float64 `toml:"up_to_m" required:"true" range:"(0, 200]"`
	Systematic  float64 `toml:"systematic_m" range:"[0, 1]" doc:"limit of the device's own error, which stays: each device has its share of it"`
	Statistical float64 `toml:"statistical_m" range:"[0, 1]" doc:"standard deviation of what changes from beam to beam"`
}

// SetDefaults is a SICK LMS1xx; see its profiles.
func (l *Laser) SetDefaults() {
	*l = Laser{
		FOV: 270 * spatial.Degree, Resolution: 0.5 * spatial.Degree, Min: 0.5, Max: 20,
		Bands:      []LaserBand{{UpTo: 20, Systematic: 0.03, Statistical: 0.012}},
		PlaceNoise: 0.03, TurnNoise: 0.5 * spatial.Degree, // guesses: scan matching indoors
	}
}

func (*Laser) row() *kind {
	return &kind{
		levels: abstraction.Levels{abstraction.Raw, abstraction.Ideal, abstraction.Pose, abstraction.Truth}, rate: 25,
		reading: LaserScan{}, environment: true,
		profiles: []profile{
			// SICK's product pages of the families: 270° at 25 Hz and 0.5°, systematic error ±30 mm, statistical 12 mm.
			{"sick-lms1xx", func(c *Config) { c.scanner(25) }},
			// The same of the LMS5xx SR: 190°, errors ±25/35/50 mm and 6/8/14 mm to 10, 20 and 30 m. Range: guess for a hall.
			{"sick-lms5xx", func(c *Config) {
				l := c.scanner(25)
				l.FOV, l.Min, l.Max = 190*spatial.Degree, 0.7, 30
				l.Bands = []LaserBand{{10, 0.025, 0.006}, {20, 0.035, 0.008}, {30, 0.05, 0.014}}
			}},
			// The scanner of Beck et al. 2008, all around at 10 Hz. Errors: guesses for its generation.
			{"sick-ld", func(c *Config) {
				l := c.scanner(10)
				l.FOV, l.Resolution, l.Min, l.Max = 360*spatial.Degree, spatial.Degree, 0.3, 30
				l.Bands = []LaserBand{{30, 0.025, 0.02}}
			}},
		},
	}
}

// scanner makes the sensor a laser with the default's properties and a rate.
func (c *Config) scanner(rate float64) *Laser {
	c.Laser, c.Rate = new(Laser), rate
	c.Laser.SetDefaults()
	return c.Laser
}

// Validate reports the rules that span several fields.
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

// LaserScan is one turn of a laser scanner, in its own frame S: x forward, angles anticlockwise, as sensor_msgs/LaserScan has it.
type LaserScan struct {
	// PoseWB is where the robot is, as localisation by laser would say, and PoseKnown whether it does: at pose and truth.
	PoseWB    spatial.Pose `quantity:"pose." frame:"world"`
	PoseKnown bool         `quantity:"pose.known"`

	First  float64 `quantity:"scan.first" unit:"rad"` // bearing of the first beam
	Last   float64 `quantity:"scan.last" unit:"rad"`  // and of the last
	Step   float64 `quantity:"scan.step" unit:"rad"`  // from beam to beam
	Min    float64 `quantity:"scan.range_min" unit:"m"`
	Max    float64 `quantity:"scan.range_max" unit:"m"`
	Period float64 `quantity:"scan.period" unit:"s"` // from scan to scan
	// Ranges are distances along the beams; −Inf nearer and +Inf farther than measured (REP 117).
	Ranges []float64 `quantity:"scan.ranges" unit:"m"`
}

// MarshalJSON leaves out a pose that is not known, and says null where nothing is measured.
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

// scramble has every beam measure anything between the limits, by which nothing can be localised.
func (s *LaserScan) scramble(noise random.Source) {
	for i := range s.Ranges {
		s.Ranges[i] = (s.Max+s.Min)/2 + evenly(noise, uint64(i), (s.Max-s.Min)/2)
	}
	s.PoseWB, s.PoseKnown = spatial.Identity(), false
}

// laser measures closed forms: hulls, boxes, the ball, posts, boards and the floor.
type laser struct {
	device
	spec   *Laser
	poseBS spatial.Pose
	beams  int
	first  float64
	boards boards
	share  float64 // of every band's systematic error, −1 to 1
}

const (
	streamLaserShare uint16 = iota
	streamLaserBeam
	streamLaserPlace
)

func (l *Laser) build(d device, site Site) (Sensor, error) {
	s := &laser{device: d, spec: l, poseBS: d.cfg.Mount.Pose(), boards: boardsOf(&site.Model.Field)}
	s.beams = int(math.Floor(l.FOV/l.Resolution+1e-9)) + 1
	s.first = -float64(s.beams-1) / 2 * l.Resolution
	if l.FOV > 2*math.Pi-l.Resolution/2 {
		s.beams, s.first = int(math.Round(2*math.Pi/l.Resolution)), -math.Pi
	}
	s.share = 2*d.noise.Uniform(random.Index(streamLaserShare, 0)) - 1
	return s, nil
}

func (l *laser) Observe(at *Instant, obs *Observation) {
	poseWB := at.State().PoseWB
	poseWS := poseWB.Mul(l.poseBS)
	scan := readingIn[LaserScan](obs)
	*scan = LaserScan{
		First: l.first, Last: l.first + float64(l.beams-1)*l.spec.Resolution, Step: l.spec.Resolution,
		Min: l.spec.Min, Max: l.spec.Max, Period: 1 / l.cfg.Rate, Ranges: slices.Grow(scan.Ranges[:0], l.beams)[:l.beams],
	}
	noise := l.noise.Frame(obs.Frame)
	faulty := obs.Level == abstraction.Raw || obs.Level == abstraction.Pose
	for i := range scan.Ranges {
		sin, cos := math.Sincos(scan.First + float64(i)*scan.Step)
		along := poseWS.Rotate(mgl64.Vec3{cos, sin, 0})
		r := l.boards.raycast(at.Environment, poseWS.Pos, along)
		if along[2] < 0 {
			r = min(r, -poseWS.Pos[2]/along[2]) // the floor
		}
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
		a, b := noise.Normal(random.Index(streamLaserPlace, 0))
		c, _ := noise.Normal(random.Index(streamLaserPlace, 1))
		sigma := l.spec.PlaceNoise
		scan.PoseWB = spatial.Planar(poseWB.Pos[0]+a*sigma, poseWB.Pos[1]+b*sigma, poseWB.Heading()+c*l.spec.TurnNoise)
		scan.PoseKnown = true
	}
}

// spoil adds a beam's errors.
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
	n, _ := noise.Normal(random.Index(streamLaserBeam, beam))
	return r + l.share*band.Systematic + n*band.Statistical
}

// boards are the inner faces of the four around the field, off which rays are cast back as off targets. Nets and what is above boards
// let them through.
type boards [4]slab

// slab is a board's inner face: a vertical rectangle.
type slab struct {
	axis  int // 0: x = at, 1: y = at
	at    float64
	reach float64 // to either side along the other axis
	top   float64
}

func boardsOf(field *physics.Field) boards {
	x, y, z := field.Length/2+field.Border, field.Width/2+field.Border, field.WallHeight
	return boards{{0, x, y, z}, {0, -x, y, z}, {1, y, x, z}, {1, -y, x, z}}
}

// raycast returns how far a ray goes from a point along a unit vector, both in W, to a board or a target; +Inf if it meets nothing.
func (b *boards) raycast(env *abstraction.Environment, from, along mgl64.Vec3) float64 {
	nearest := math.Inf(1)
	for i := range b {
		nearest = min(nearest, b[i].raycast(from, along))
	}
	for i := range env.Targets {
		if t := &env.Targets[i]; t != env.Self {
			nearest = min(nearest, t.Shape.Raycast(t.PoseWT, from, along))
		}
	}
	return nearest
}

func (s *slab) raycast(from, along mgl64.Vec3) float64 {
	r := (s.at - from[s.axis]) / along[s.axis]
	other, z := from[1-s.axis]+r*along[1-s.axis], from[2]+r*along[2]
	if !(r > 0) || math.Abs(other) > s.reach || z > s.top || z < 0 {
		return math.Inf(1)
	}
	return r
}
