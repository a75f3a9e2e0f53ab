package sensors

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
	"gonum.org/v1/gonum/floats/scalar"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

func echoAt(s Sensor, level abstraction.Level, frame uint64, pose spatial.Pose,
	targets ...abstraction.Target) *SonarReading {
	state := standing()
	state.PoseWB = pose
	instant := at(state)
	instant.Environment = &abstraction.Environment{PoseWB: pose, Targets: targets}
	obs := Observation{Level: level, Frame: frame}
	s.Observe(instant, &obs)
	return obs.Reading.(*SonarReading)
}

// Closed forms: the distance of a board is that of the foot of the perpendicular if it lies in the cone, else that of
// the cone's edge. That of a ball is its nearest point; outside the cone it is not detected. The board is 10 m from the
// centre.
func TestSonarMeasuresClosedForms(t *testing.T) {
	const half = 7.5 * spatial.Degree
	between := half / sonarRings // largest angle between two rays
	s := inHall(t, "sonar", nil)
	for _, turned := range []float64{0, 0.5 * half, half, 2 * half, 4 * half} {
		want := 2 / math.Cos(max(0, turned-half))
		got := echoAt(s, abstraction.Truth, 0, spatial.Planar(8, 0, turned)).Range
		if !(got >= want-1e-9) || !(got <= 2/math.Cos(max(0, turned-half)+between)+1e-9) {
			t.Errorf("turned by %.1f°: %v m, want %v m", turned/spatial.Degree, got, want)
		}
	}
	ball := func(bearing float64) float64 {
		const radius, distance = 0.11, 2
		sphere := abstraction.Shape{Kind: abstraction.Sphere, Radius: radius}
		place := mgl64.Vec3{distance * math.Cos(bearing), distance * math.Sin(bearing), 0.3} // at its height
		target := abstraction.NewTarget(abstraction.BallKind, "ball", "", sphere, nil)
		target.Move(spatial.Translation(place), mgl64.Vec3{})
		return echoAt(s, abstraction.Truth, 0, spatial.Identity(), target).Range
	}
	for _, bearing := range []float64{0, 0.4 * half, -0.9 * half} {
		// A ray that passes the centre at an angle of up to b meets the sphere at d·cos(b) − √(r² − d²·sin²(b)).
		farthest := 2*math.Cos(between) - math.Sqrt(0.11*0.11-math.Pow(2*math.Sin(between), 2))
		if got := ball(bearing); !(got >= 1.89-1e-9) || !(got <= farthest+1e-9) {
			t.Errorf("ball at %.1f°: %v m, want %v m to %v m", bearing/spatial.Degree, got, 1.89, farthest)
		}
	}
	if got := ball(half + math.Asin(0.11/2) + 1e-3); !math.IsInf(got, 1) {
		t.Errorf("a ball beside the cone is heard %v m away", got)
	}
	near := echoAt(s, abstraction.Truth, 0, spatial.Planar(9.99, 0, 0))
	if text, err := json.Marshal(near); !math.IsInf(near.Range, -1) || string(text) != `{"range_m":null}` ||
		err != nil {
		t.Errorf("a board 1 cm away: %v m, %s, %v", near.Range, text, err)
	}
}

// At raw the mean is unchanged and the variance is that of noise and quantisation.
func TestSonarNoise(t *testing.T) {
	const frames = 4000
	s := inHall(t, "sonar", nil)
	var sum, sum2 float64
	for f := range uint64(frames) {
		e := echoAt(s, abstraction.Raw, f, spatial.Planar(8, 0, 0)).Range - 2
		sum, sum2 = sum+e, sum2+e*e
	}
	c := s.Config().Sonar
	sigma := math.Sqrt(c.Noise*c.Noise + c.Step*c.Step/12)
	if got := sum / frames; !(math.Abs(got) <= 5*sigma/math.Sqrt(frames)) {
		t.Errorf("mean error %v m", got)
	}
	if got := math.Sqrt(sum2 / frames); !scalar.EqualWithinRel(got, sigma, 5/math.Sqrt(2*frames)) {
		t.Errorf("standard deviation %v m, want %v m", got, sigma)
	}
}
