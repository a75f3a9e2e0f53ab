package abstraction

import (
	"fmt"
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction/random"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/optics"
)

// VisionError is an entry of a table of errors by distance and bearing. Errors are normal, or have any other
// distribution given by quantiles.
type VisionError struct {
	Distance        float64   `toml:"distance_m" range:"[0, 100]" doc:"from the robot"`
	Bearing         float64   `toml:"bearing_deg" range:"[0, 180]" doc:"absolute bearing from straight ahead"`
	Bias            float64   `toml:"bias_m" range:"[-10, 10]" doc:"mean error of the distance"`
	Range           float64   `toml:"range_m" range:"[0, 10]" doc:"standard deviation of the distance"`
	Angle           float64   `toml:"angle_deg" range:"[0, 90]" doc:"standard deviation of the bearing"`
	RangeQuantiles  Quantiles `toml:"range_quantiles_m" range:"[-20, 20]" maxlen:"49" doc:"quantiles of the error of the distance, ascending, instead of bias_m and range_m: at evenly spaced standard normal scores from -3 to 3, linear between and beyond"`
	AngleQuantiles  Quantiles `toml:"angle_quantiles_deg" range:"[-180, 180]" maxlen:"49" doc:"quantiles of the error of the bearing, instead of angle_deg"`
	AcrossQuantiles Quantiles `toml:"across_quantiles_m" range:"[-20, 20]" maxlen:"49" doc:"quantiles of the error across the line of sight, positive to the left, instead of angle_deg"`
	MissRate        float64   `toml:"miss_rate" range:"[0, 1]" doc:"share of visible objects missed there, in addition to other misses"`
}

// errors returns the error of the distance in m, that of the bearing in rad, and that across the line of sight in m,
// for two standard normal scores. The error of the bearing or that across the line of sight is 0.
func (e *VisionError) errors(a, b float64) (along, angle, across float64) {
	along, angle = e.Bias+a*e.Range, b*e.Angle
	if len(e.RangeQuantiles) > 0 {
		along = e.RangeQuantiles.At(a)
	}
	switch {
	case len(e.AcrossQuantiles) > 0:
		return along, 0, e.AcrossQuantiles.At(b)
	case len(e.AngleQuantiles) > 0:
		angle = e.AngleQuantiles.At(b)
	}
	return along, angle, 0
}

// sigmas returns the standard deviations of the errors that the method errors returns.
func (e *VisionError) sigmas() (along, angle, across float64) {
	along, angle = e.Range, e.Angle
	if len(e.RangeQuantiles) > 0 {
		along = e.RangeQuantiles.Sigma()
	}
	switch {
	case len(e.AcrossQuantiles) > 0:
		return along, 0, e.AcrossQuantiles.Sigma()
	case len(e.AngleQuantiles) > 0:
		angle = e.AngleQuantiles.Sigma()
	}
	return along, angle, 0
}

// tablePlace is a position in a table of errors: the entries around the position and their weights. It has no entries
// if the table is empty.
type tablePlace struct {
	entries [4]*VisionError
	weights [4]float64
	n       int
}

func (p *tablePlace) errors(a, b float64) (along, angle, across float64) {
	for i, e := range p.entries[:p.n] {
		x, y, z := e.errors(a, b)
		along, angle, across = along+p.weights[i]*x, angle+p.weights[i]*y, across+p.weights[i]*z
	}
	return along, angle, across
}

func (p *tablePlace) sigmas() (along, angle, across float64) {
	for i, e := range p.entries[:p.n] {
		x, y, z := e.sigmas()
		along, angle, across = along+p.weights[i]*x, angle+p.weights[i]*y, across+p.weights[i]*z
	}
	return along, angle, across
}

// displace adds the errors for two standard normal scores to a point in W. It returns the point, and its distance
// from the robot in m, which is negative if the error moves the point past the robot to its other side.
func (p *tablePlace) displace(env *Environment, point mgl64.Vec3, a, b float64) (mgl64.Vec3, float64) {
	toX, toY := point[0]-env.PoseWB.Pos[0], point[1]-env.PoseWB.Pos[1]
	distance := math.Hypot(toX, toY)
	along, turned, across := p.errors(a, b)
	grown := distance + along
	if distance == 0 {
		return point, grown
	}
	sin, cos := math.Sincos(turned)
	factor := grown / distance
	x, y := factor*(cos*toX-sin*toY), factor*(sin*toX+cos*toY)
	if across != 0 {
		x, y = x-across*toY/distance, y+across*toX/distance
	}
	return mgl64.Vec3{env.PoseWB.Pos[0] + x, env.PoseWB.Pos[1] + y, point[2]}, grown
}

func (p *tablePlace) missRate() (rate float64) {
	for i, e := range p.entries[:p.n] {
		rate += p.weights[i] * e.MissRate
	}
	return rate
}

// tableRows returns the number of distances for each bearing in the table of errors.
func (m *ErrorModel) tableRows() int {
	n := 0
	for n < len(m.Errors) && m.Errors[n].Bearing == m.Errors[0].Bearing {
		n++
	}
	return n
}

// at returns the position in the table for a distance in m, and a bearing in rad, with bilinear weights.
func (m *ErrorModel) at(distance, bearing float64) (p tablePlace) {
	rows := m.tableRows()
	if rows == 0 {
		return p
	}
	bearing = math.Abs(bearing)
	upper := 1
	for upper < rows-1 && m.Errors[upper].Distance < distance {
		upper++
	}
	along := func(first int, weight float64) {
		near, far := &m.Errors[first+max(upper-1, 0)], &m.Errors[first+min(upper, rows-1)]
		share := 0.0
		if near != far {
			share = fraction(distance, near.Distance, far.Distance)
		}
		p.add(near, weight*(1-share))
		p.add(far, weight*share)
	}
	last := len(m.Errors) - rows
	if last == 0 {
		along(0, 1)
		return p
	}
	first := rows
	for first < last && m.Errors[first].Bearing < bearing {
		first += rows
	}
	share := fraction(bearing, m.Errors[first-rows].Bearing, m.Errors[first].Bearing)
	along(first-rows, 1-share)
	along(first, share)
	return p
}

// add adds an entry, unless the entry's weight is 0.
func (p *tablePlace) add(e *VisionError, weight float64) {
	if weight > 0 {
		p.entries[p.n], p.weights[p.n] = e, weight
		p.n++
	}
}

// fraction returns the position of x between a and b as a fraction, from 0 to 1.
func fraction(x, a, b float64) float64 { return min(max((x-a)/(b-a), 0), 1) }

// ModelledErrors are the errors of an object's position that a table has, for two standard normal scores.
type ModelledErrors struct {
	Along  float64 // of the distance from the robot, m
	Angle  float64 // of the bearing, rad
	Across float64 // across the line of sight, positive to the left, m
	// MissRate is the share of objects that are missed there. It does not depend on the scores.
	MissRate float64
}

// At returns the errors of the table at a distance in m and a bearing in rad, for two standard normal scores.
func (m *ErrorModel) At(distance, bearing, a, b float64) (e ModelledErrors) {
	at := m.at(distance, bearing)
	e.Along, e.Angle, e.Across = at.errors(a, b)
	e.MissRate = at.missRate()
	return e
}

// ErrorModel configures how accurately vision locates objects, and how often it misses them.
type ErrorModel struct {
	Errors      []VisionError `toml:"error" doc:"errors of located points in addition to those in pixels, as measured on a real robot; linear between the entries"`
	Correlation time.Duration `toml:"correlation_ms" range:"[0, 60000]" doc:"time constant of the correlation of an object's errors over frames; 0 for independent errors"`
	Profile     string        `toml:"profile" doc:"measured errors that are the defaults of this table: msl-2016 are those of a team's world model in a match of the Middle Size League"`
	Fused       bool          `toml:"fused" doc:"whether level objects reports what a team's world model has of these objects, visible to the camera or not; errors of pixels, visible shares and light have no effect on them then, and misses are correlated like errors"`
	FalseShare  float64       `toml:"false_share" range:"[0, 0.5]" doc:"with fused: share of the reported objects that are false; each accompanies an object 1 m to about 4 m beside it, and lasts like errors"`
	MinVisible  float64       `toml:"min_visible" range:"[0, 1]" doc:"objects with a smaller visible share are not detected"`
	FullVisible float64       `toml:"full_visible" range:"[0, 1]" doc:"objects with a larger visible share are detected like unoccluded ones; linear in between"`
	MissRate    float64       `toml:"miss_rate" range:"[0, 1]" doc:"share of visible objects missed in a frame"`
	LightStops  float64       `toml:"light_stops" range:"[0, 20]" doc:"light that is too dark or too bright by this number of stops halves the detection rate; 0 for no effect"`
	FalseRate   float64       `toml:"false_rate" range:"[0, 1]" doc:"probability of a false positive in a frame"`
	SizeNoise   float64       `toml:"size_noise" range:"[0, 1]" doc:"standard deviation of each side of the reported extent, as a share of that side"`
}

// KindErrors are the errors for objects of one kind.
type KindErrors struct {
	Kind Kind `toml:"name" required:"true" match:"name" doc:"kind as in detections: ball, robot, obstacle, goal_post, or a kind of the world's own bodies"`
	ErrorModel
}

// SetDefaults sets the errors of the vision of a good robot.
func (m *ErrorModel) SetDefaults() {
	*m = ErrorModel{
		MinVisible:  0.3,  // guess
		FullVisible: 0.6,  // guess
		MissRate:    0.02, // guess
		LightStops:  2,    // guess, for a colour table made under one kind of light
	}
}

// Prepare sets the errors of the profile, before the values of a world file's table override them. The function text
// returns the value of a key of that table.
func (m *ErrorModel) Prepare(text func(key string) string) {
	if text("profile") == MSL2016 {
		*m = MSL2016Errors()
	}
}

// Indices of error models; see modelIndex.
const (
	generalModel = iota
	obstacleModel
	firstKind
)

// modelIndex returns the index of the error model for objects of a kind: that of its row in Kinds, plus firstKind, or
// else that of the model for robots and obstacles, or the general one.
func (c *VisionConfig) modelIndex(k Kind) int {
	for i := range c.Kinds {
		if c.Kinds[i].Kind == k {
			return firstKind + i
		}
	}
	if k == BallKind || k == PostKind {
		return generalModel
	}
	return obstacleModel
}

// models returns the number of error models.
func (c *VisionConfig) models() int { return firstKind + len(c.Kinds) }

// model returns the error model with an index.
func (c *VisionConfig) model(index int) *ErrorModel {
	switch {
	case index >= firstKind:
		return &c.Kinds[index-firstKind].ErrorModel
	case index == obstacleModel && c.Obstacles != nil:
		return c.Obstacles
	}
	return &c.ErrorModel
}

// modelOf returns the error model for objects of a kind.
func (c *VisionConfig) modelOf(k Kind) *ErrorModel { return c.model(c.modelIndex(k)) }

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
	if m.Fused { // see fuse
		return true
	}
	p := m.detectionProbability(visible, env.lightOn(t))
	if len(m.Errors) > 0 {
		at := m.at(env.polar(t.PoseWT.Pos[0], t.PoseWT.Pos[1]))
		p *= 1 - at.missRate()
	}
	return p < 1 && noise.Uniform(random.Index(streamMiss, t.id)) >= p
}

// validate reports violations of rules that involve several fields. The argument prefix precedes the fields' names in
// the reports.
func (m *ErrorModel) validate(prefix string, violate func(field string, value any, rule string)) {
	if m.FullVisible < m.MinVisible {
		violate(prefix+"FullVisible", m.FullVisible, "must be at least {"+prefix+"MinVisible}")
	}
	if m.Profile != "" && m.Profile != MSL2016 {
		violate(prefix+"Profile", m.Profile, "must be "+MSL2016)
	}
	if m.FalseShare > 0 && !m.Fused {
		violate(prefix+"FalseShare", m.FalseShare, "needs {"+prefix+"Fused}")
	}
	rows := m.tableRows()
	for i := range m.Errors {
		e := &m.Errors[i]
		field := fmt.Sprintf("%sErrors[%d]", prefix, i)
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
		names := [...]string{".RangeQuantiles", ".AngleQuantiles", ".AcrossQuantiles"}
		for k, q := range []Quantiles{e.RangeQuantiles, e.AngleQuantiles, e.AcrossQuantiles} {
			if !q.valid() {
				violate(field+names[k], fmt.Sprintf("%d numbers", len(q)),
					fmt.Sprintf("must be %d numbers at least, none less than the one before", leastQuantiles))
			}
		}
	}
	if rows > 0 && len(m.Errors)%rows != 0 {
		violate(prefix+"Errors", len(m.Errors), "must be the same distances at every bearing, one bearing after the "+
			"other")
	}
}

// LocationCovariance returns the covariance of the position at which vision locates an object's reference point, in the
// robot's axes, m², to first order. It includes the errors in pixels, the errors of the table without their biases, and
// the errors of the measured range if ranging is not nil. The robot stands upright, and poseBC is the pose of the
// camera's optical frame on it. For a point that the camera does not image, the errors in pixels are left out.
func (c *VisionConfig) LocationCovariance(kind Kind, model optics.Model, poseBC spatial.Pose, ranging RangeSigma,
	posB mgl64.Vec3) mgl64.Mat3 {
	var sum mgl64.Mat3
	add := func(axis mgl64.Vec3, sigma float64) {
		axis = axis.Mul(sigma)
		sum = sum.Add(axis.OuterProd3(axis))
	}
	inC := poseBC.Inverse().Apply(posB)
	located := func(u, v float64) (mgl64.Vec3, bool) {
		dirC, ok := model.Unproject(u, v)
		if !ok {
			return mgl64.Vec3{}, false
		}
		if ranging != nil {
			return poseBC.Apply(dirC.Mul(inC[2] / dirC[2])), dirC[2] > 0
		}
		dirB := poseBC.Rotate(dirC)
		along := (posB[2] - poseBC.Pos[2]) / dirB[2]
		return poseBC.Pos.Add(dirB.Mul(along)), along > 0 && !math.IsInf(along, 0)
	}
	m := c.modelOf(kind)
	if u, v, ok := model.Project(inC); ok && c.PixelNoise > 0 && !m.Fused {
		// pixels; small compared with the curvature of a mirror's image, and large compared with rounding errors
		const h = 0.25
		for _, d := range [2][2]float64{{h, 0}, {0, h}} {
			after, okAfter := located(u+d[0], v+d[1])
			before, okBefore := located(u-d[0], v-d[1])
			if okAfter && okBefore {
				add(after.Sub(before).Mul(1/(2*h)), c.PixelNoise)
			}
		}
	}
	if ranging != nil && inC[2] > 0 && !m.Fused {
		add(poseBC.Rotate(inC.Mul(1/inC[2])), ranging(inC[2]))
	}
	if distance := math.Hypot(posB[0], posB[1]); distance > 0 {
		at := m.at(distance, math.Atan2(posB[1], posB[0]))
		along, angle, across := at.sigmas()
		ahead := mgl64.Vec3{posB[0] / distance, posB[1] / distance, 0}
		add(ahead, along)
		add(mgl64.Vec3{-ahead[1], ahead[0], 0}, angle*distance+across)
	}
	return sum
}
