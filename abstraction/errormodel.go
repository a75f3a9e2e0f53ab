package abstraction

import (
	"fmt"
	"math"
	"time"

	"github.com/omnipitch/omnipitch/abstraction/random"
)

// ErrorModel configures how accurately vision locates objects, and how often it misses them.
type ErrorModel struct {
	Errors      []VisionError `toml:"error" doc:"errors of located points in addition to those in pixels, as measured on a real robot; linear between the entries"`
	Correlation time.Duration `toml:"correlation_ms" range:"[0, 60000]" doc:"time constant of the correlation of an object's errors over frames; 0 for independent errors"`
	MinVisible  float64       `toml:"min_visible" range:"[0, 1]" doc:"objects with a smaller visible share are not detected"`
	FullVisible float64       `toml:"full_visible" range:"[0, 1]" doc:"objects with a larger visible share are detected like unoccluded ones; linear in between"`
	MissRate    float64       `toml:"miss_rate" range:"[0, 1]" doc:"share of visible objects missed in a frame"`
	LightStops  float64       `toml:"light_stops" range:"[0, 20]" doc:"light that is too dark or too bright by this number of stops halves the detection rate; 0 for no effect"`
	FalseRate   float64       `toml:"false_rate" range:"[0, 1]" doc:"probability of a false positive in a frame"`
}

// SetDefaults sets the errors of a good robot.
func (m *ErrorModel) SetDefaults() {
	*m = ErrorModel{
		MinVisible:  0.3,  // guess
		FullVisible: 0.6,  // guess
		MissRate:    0.02, // guess
		LightStops:  2,    // guess, for a colour table made in one light
	}
}

// modelOf returns the error model for objects of a kind.
func (c *VisionConfig) modelOf(k Kind) *ErrorModel {
	if c.Obstacles != nil && (k == RobotKind || k == ObstacleKind) {
		return c.Obstacles
	}
	return &c.ErrorModel
}

// detectionProbability returns the probability that vision detects an object. It depends on the visible fraction of the
// object and on the light, relative to the light in a common hall.
func (m *ErrorModel) detectionProbability(visible, light float64) float64 {
	if visible < m.MinVisible {
		return 0
	}
	p := 1 - m.MissRate
	if visible < m.FullVisible {
		p *= (visible - m.MinVisible) / (m.FullVisible - m.MinVisible)
	}
	if m.LightStops > 0 && light > 0 && light != 1 {
		stops := math.Log2(light) / m.LightStops
		p *= math.Exp2(-stops * stops)
	}
	return p
}

// misses reports whether vision misses a target with the given visible fraction in a frame. The argument noise is the
// frame's source of random numbers.
func (c *VisionConfig) misses(env *Environment, t *Target, visible float64, noise random.Source) bool {
	m := c.modelOf(t.Kind)
	p := m.detectionProbability(visible, env.lightOn(t))
	if len(m.Errors) > 0 {
		at := m.at(env.polar(t.PoseWT.Pos[0], t.PoseWT.Pos[1]))
		p *= 1 - at.missRate()
	}
	return p < 1 && noise.Uniform(random.Index(streamMiss, t.id)) >= p
}

// validate reports violations of rules that involve several fields. before is a prefix of their names.
func (m *ErrorModel) validate(before string, violate func(field string, value any, rule string)) {
	if m.FullVisible < m.MinVisible {
		violate(before+"FullVisible", m.FullVisible, "must be at least {"+before+"MinVisible}")
	}
	rows := m.tableRows()
	for i := range m.Errors {
		e := &m.Errors[i]
		field := fmt.Sprintf("%sErrors[%d]", before, i)
		first := m.Errors[i%rows]
		switch {
		case i%rows > 0 && e.Distance <= m.Errors[i-1].Distance:
			violate(field+".Distance", e.Distance, "must be more than the one before at the same bearing")
		case i >= rows && i%rows == 0 && e.Bearing <= m.Errors[i-1].Bearing:
			violate(field+".Bearing", e.Bearing, "must be more than the one before")
		case i%rows > 0 && e.Bearing != m.Errors[i-1].Bearing, i >= rows && e.Distance != first.Distance:
			violate(field+".Distance", e.Distance, "must be the same distances at every bearing, one bearing after "+
				"the other")
		}
		for k, q := range []Quantiles{e.RangeQuantiles, e.AngleQuantiles} {
			if !q.valid() {
				violate(field+[]string{".RangeQuantiles", ".AngleQuantiles"}[k], fmt.Sprintf("%d numbers", len(q)),
					fmt.Sprintf("must be %d numbers at least, none less than the one before", leastQuantiles))
			}
		}
	}
	if rows > 0 && len(m.Errors)%rows != 0 {
		violate(before+"Errors", len(m.Errors), "must be the same distances at every bearing, one bearing after the "+
			"other")
	}
}
