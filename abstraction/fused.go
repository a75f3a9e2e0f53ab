package abstraction

import (
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction/random"
)

// fuse appends the objects of the fused error models: what a team's world model has of them. It contains objects that
// the camera does not see, and each error, miss and false object lasts for about the model's time constant.
func (v *Vision) fuse(env *Environment, stamp time.Duration, noise random.Source, into *ObjectList) {
	for i := range env.Targets {
		t := &env.Targets[i]
		model := v.cfg.modelIndex(t.Kind)
		m, lasting := v.cfg.model(model), &v.errors[model]
		if !m.Fused || t == env.Self || t.PoseWT.Absent() {
			continue
		}
		distance, bearing := env.polar(t.PoseWT.Pos[0], t.PoseWT.Pos[1])
		at := m.at(distance, bearing)
		missed, _ := lasting.Normal(noise, streamMiss, t.id)
		if distance > v.cfg.MaxRange || below(missed) < 1-(1-m.MissRate)*(1-at.missRate()) {
			continue
		}
		a, b := lasting.Normal(noise, streamTable, t.id)
		pointW, _ := at.displace(env, t.PoseWT.Pos, a, b)
		d := into.detect(t, 1)
		d.PosB = env.toB(&pointW)
		if m.SizeNoise > 0 {
			m.misjudgeSize(d, t, noise)
		}
		v.velocity(d, env, &v.filters[i], t, pointW, stamp, noise)
		// of the reported objects, false ones are FalseShare if each true one has a false one at this rate
		exists, _ := lasting.Normal(noise, streamFalse, t.id)
		if below(exists) >= m.FalseShare/(1-m.FalseShare) {
			continue
		}
		x, y := lasting.Normal(noise, streamBeside, t.id)
		r := math.Hypot(x, y)
		if r == 0 {
			continue
		}
		falseW := mgl64.Vec3{t.PoseWT.Pos[0] + x + x/r*besideFrom, t.PoseWT.Pos[1] + y + y/r*besideFrom, 0}
		into.Detections = append(into.Detections, Detection{Kind: v.cfg.falseKind(model), Visible: 1,
			PosB: env.toB(&falseW)})
	}
}

// besideFrom is the least distance of a false object from the object that it accompanies, in m: a nearer one would be
// an error of the object's own position. Beyond it the distance has a Rayleigh distribution with a mode of 1 m, as when
// another robot of the team that does not know its own pose reports the object again. Both are guesses.
const besideFrom = 1.0

// below returns the probability that a standard normal number is less than z.
func below(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }

// MSL2016 is the name of the profile with the errors of MSL2016Errors.
const MSL2016 = "msl-2016"

// MSL2016Errors returns the errors of a team's world model: where that of Tech United had obstacles in a match of the
// Middle Size League, compared with where the opponents' robots reported themselves to be. So both teams' errors of
// localisation are included. Distances are from the robot to the opponent. Source: the log of the referee box, RoboCup
// 2016, Tech United against Water, first half; an opponent and an obstacle are a pair if they are at most 1 m apart.
func MSL2016Errors() ErrorModel {
	m := ErrorModel{
		Fused:       true,
		FalseShare:  0.0615,      // obstacles without an opponent within 1 m
		Correlation: time.Second, // guess: the log was summarised without autocorrelation
	}
	// Standardised errors at −3 to 3 standard normal scores. They give all pairs together the measured quantiles, which
	// are −0.742, −0.309, −0.137, 0.008, 0.188, 0.412 and 0.696 m along the line of sight, and −0.821, −0.340, −0.136,
	// 0.007, 0.139, 0.337 and 0.712 m across it, within 2 % but for the medians.
	along := [...]float64{-4.498, -1.782, -0.849, -0.080, 0.911, 2.103, 3.713}
	across := [...]float64{-4.839, -1.989, -0.831, 0.046, 0.811, 1.902, 4.100}
	scaled := func(shape [7]float64, mean, sigma float64) (q Quantiles) {
		for _, z := range shape {
			q = append(q, mean+sigma*z)
		}
		return q
	}
	const edge = 0.05 // between intervals, errors change over 10 cm
	for _, r := range [...]struct{ from, to, alongMean, alongSigma, acrossMean, acrossSigma, missed float64 }{
		{0, 1, 0.082, 0.186, 0.013, 0.211, 0.029},
		{1, 2, 0.012, 0.162, 0.017, 0.180, 0.079},
		{2, 3, -0.023, 0.183, 0.020, 0.148, 0.259},
		{3, 4.5, -0.061, 0.157, -0.021, 0.141, 0.217},
		{4.5, 7, 0.038, 0.171, -0.013, 0.158, 0.296},
		{7, 12, 0.220, 0.185, 0.008, 0.092, 0.766},
	} {
		for _, distance := range [...]float64{r.from + edge, r.to - edge} {
			m.Errors = append(m.Errors, VisionError{
				Distance:        distance,
				RangeQuantiles:  scaled(along, r.alongMean, r.alongSigma),
				AcrossQuantiles: scaled(across, r.acrossMean, r.acrossSigma),
				MissRate:        r.missed,
			})
		}
	}
	return m
}
