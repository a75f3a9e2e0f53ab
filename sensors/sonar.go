package sensors

import (
	"encoding/json"
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/abstraction/random"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// Sonar is an ultrasonic ranger along its x axis. It measures the distance of the nearest echo in its cone, not its
// direction.
type Sonar struct {
	Angle float64 `toml:"angle_deg" range:"[1, 60]" doc:"full angle of the cone"`
	Min   float64 `toml:"min_m" range:"[0, 10]" doc:"least measured distance"`
	Max   float64 `toml:"max_m" range:"(0, 20]" doc:"largest measured distance"`
	Noise float64 `toml:"noise_m" range:"[0, 1]" doc:"standard deviation of a distance"`
	Step  float64 `toml:"step_mm" range:"[0, 100]" doc:"resolution of the distance; 0 for none"`
}

// SetDefaults sets an HC-SR04: a cone of 15°, and 2 cm to 4 m in steps of 3 mm (ElecFreaks, data sheet). Its noise is a
// guess.
func (s *Sonar) SetDefaults() {
	*s = Sonar{Angle: 15 * spatial.Degree, Min: 0.02, Max: 4, Noise: 0.003, Step: 0.003}
}

// Validate reports violations of the rule that involves two fields.
func (s *Sonar) Validate(violate func(field string, value any, rule string)) {
	if s.Min >= s.Max {
		violate("Max", s.Max, "must be larger than {Min}")
	}
}

// row sets a rate of 16 Hz, because the data sheet demands at least 60 ms between pulses.
func (*Sonar) row() *kind { return &kind{rate: 16, reading: SonarReading{}, environment: true} }

// SonarReading is a measured distance and the sensor's limits, as in the ROS message sensor_msgs/Range.
type SonarReading struct {
	// measured distance; −Inf below and +Inf above the measuring range (REP 117)
	Range float64 `quantity:"sonar.range" unit:"m"`
	Min   float64 `quantity:"sonar.range_min" unit:"m"`
	Max   float64 `quantity:"sonar.range_max" unit:"m"`
	Angle float64 `quantity:"sonar.angle" unit:"rad"` // full angle of the cone
}

// MarshalJSON writes null in place of a distance outside of the measuring range.
func (r *SonarReading) MarshalJSON() ([]byte, error) {
	distance := &r.Range
	if math.IsInf(r.Range, 0) {
		distance = nil
	}
	return json.Marshal(map[string]*float64{"range_m": distance})
}

// scramble sets the range to a random number between the limits of the measuring range.
func (r *SonarReading) scramble(noise random.Source) {
	r.Range = (r.Max+r.Min)/2 + evenly(noise, 0, (r.Max-r.Min)/2)
}

// sonar casts rays that fill its cone in six rings around its axis. The distance between neighbouring rays is 1/6 of
// the cone's radius, so the sonar can miss objects that are smaller. All surfaces except the floor scatter sound back
// to the sonar. The floor is ignored, because the cone meets it at a grazing angle.
type sonar struct {
	device
	boards boards
	raysS  []mgl64.Vec3
	alongW []mgl64.Vec3 // the rays in W, in memory that is reused
	solid  abstraction.Raycaster
}

const sonarRings = 6

func (s *Sonar) build(d device, site Site) (Sensor, error) {
	raysS := []mgl64.Vec3{{1, 0, 0}}
	for ring := 1; ring <= sonarRings; ring++ {
		sin, cos := math.Sincos(s.Angle / 2 * float64(ring) / sonarRings)
		for i := range 6 * ring {
			up, left := math.Sincos(2 * math.Pi * float64(i) / float64(6*ring))
			raysS = append(raysS, mgl64.Vec3{cos, sin * left, sin * up})
		}
	}
	return &sonar{device: d, boards: boardsOf(&site.Model.Field), raysS: raysS,
		alongW: make([]mgl64.Vec3, len(raysS))}, nil
}

func (s *sonar) Observe(at *Instant, obs *Observation) {
	c, poseWS := s.cfg.Sonar, at.State().PoseWB.Mul(s.poseBS)
	nearest := math.Inf(1)
	poseWS.RotateAll(s.alongW, s.raysS)
	for i := range s.alongW {
		nearest = min(nearest, s.boards.raycast(&poseWS.Pos, &s.alongW[i]))
	}
	for i := range at.Environment.Targets {
		t := &at.Environment.Targets[i]
		if t != at.Environment.Self && !t.Static && !t.Drawn {
			r := t.Shape.Raycaster(&t.PoseWT, poseWS.Pos)
			nearest = s.cast(&r, nearest)
		}
	}
	for i := range at.Environment.Surfaces {
		if b := &at.Environment.Surfaces[i]; &at.Environment.Targets[b.Target] != at.Environment.Self {
			for k := range s.alongW {
				nearest = b.Cast(poseWS.Pos, s.alongW[k], nearest)
			}
		}
	}
	farthest := func(float64, float64, float64) float64 { return min(nearest, c.Max) }
	at.Environment.Solids.Cast(poseWS.Pos, math.Inf(1), &s.solid, farthest,
		func() { nearest = s.cast(&s.solid, nearest) })
	if obs.Level == abstraction.Raw {
		n, _ := s.noise.Frame(obs.Frame).Normal(random.Index(0, 0))
		nearest = quantised(nearest+n*c.Noise, c.Step)
	}
	if nearest > c.Max {
		nearest = math.Inf(1)
	} else if nearest < c.Min {
		nearest = math.Inf(-1)
	}
	*readingIn[SonarReading](obs) = SonarReading{Range: nearest, Min: c.Min, Max: c.Max, Angle: c.Angle}
}

// cast returns the least of a distance and of the distance of a shape, m.
func (s *sonar) cast(rays *abstraction.Raycaster, nearest float64) float64 {
	for k := range s.alongW {
		nearest = min(nearest, rays.Cast(&s.alongW[k]))
	}
	return nearest
}
