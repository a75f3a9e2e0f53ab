package sensors

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/omnipitch/omnipitch/abstraction/random"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/beams"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// detector returns a lidar that can only measure returns.
func detector(change func(*Lidar)) *lidar {
	l := &lidar{spec: &Lidar{}, frame: random.New(1, "cyan1", "lidar", 0)}
	l.spec.SetDefaults()
	if change != nil {
		change(l.spec)
	}
	return l
}

// surface returns what a ray of a beam meets.
func surface(distance, reflectance float32) beams.Echo {
	return beams.Echo{Range: distance, Reflectance: reflectance}
}

// several returns what the five rays of a beam meet: n of them a far surface, and the others a near one.
func several(near, far beams.Echo, n int) []beams.Echo {
	met := []beams.Echo{near, near, near, near, near}
	for i := range n {
		met[i] = far
	}
	return met
}

// Half of the beams return from a dark surface at dark_range_m. At other distances and reflectances, the light that
// returns decides: it is proportional to the reflectance and decreases with the square of the distance.
func TestLidarMissesDarkSurfaces(t *testing.T) {
	l := detector(nil)
	const n = 20_000
	for _, c := range []struct{ distance, reflectance float32 }{{60, 0.1}, {30, 0.1}, {55, 0.1}, {65, 0.1}, {30, 0.025},
		{85, 0.2}, {90, 0.2}, {10, 0.003}} {
		detected := 0
		for beam := range uint64(n) {
			if l.measure(beam, []beams.Echo{surface(c.distance, c.reflectance)})[0].distance > 0 {
				detected++
			}
		}
		signal := float64(c.reflectance) / 0.1 * 60 * 60 / float64(c.distance*c.distance)
		want := distuv.UnitNormal.CDF((signal - 1) / signalNoise)
		sigma := math.Sqrt(want*(1-want)/n) + 1e-9
		if got := float64(detected) / n; !(math.Abs(got-want) <= 5*sigma+1e-6) {
			t.Errorf("%v m, reflectance %v: %v are detected, want %v ± %v", c.distance, c.reflectance, got, want,
				5*sigma)
		}
	}
}

// Distances have the configured noise and resolution.
func TestLidarNoise(t *testing.T) {
	l := detector(nil)
	var all []float64
	for beam := range uint64(20_000) {
		r := float64(l.measure(beam, []beams.Echo{surface(7, 0.5)})[0].distance)
		if steps := r / 0.002; !(math.Abs(steps-math.Round(steps)) <= 1e-3) {
			t.Fatalf("distance = %v m, want a multiple of 2 mm", r)
		}
		all = append(all, r)
	}
	mean, sigma := stat.MeanStdDev(all, nil)
	must.Near(t, "mean", mean, 7, 5*0.01/math.Sqrt(20_000))
	must.Near(t, "standard deviation", sigma, 0.01, 5*0.01/math.Sqrt(2*20_000)+1e-4)
}

// A beam at an edge returns from both surfaces, or from a place between them if they are close to each other.
func TestLidarReturns(t *testing.T) {
	exact := func(returns string) *lidar {
		return detector(func(l *Lidar) { l.Returns, l.Noise, l.Step, l.DarkRange = returns, 0, 0, 1000 })
	}
	near, far, none := surface(2, 0.5), surface(5, 0.5), beams.Echo{Range: float32(math.Inf(1)), Body: beams.None}
	for _, c := range []struct {
		returns string
		met     []beams.Echo
		want    [2]response
	}{
		{"strongest", several(near, far, 2), [2]response{{2, 30}}},
		{"last", several(near, far, 2), [2]response{{5, 20}}},
		{"dual", several(near, far, 2), [2]response{{2, 30}, {5, 20}}},
		{"dual", several(near, surface(8, 100), 1), [2]response{{8, 255}, {2, 40}}}, // the last is the strongest
		{"dual", several(near, none, 2), [2]response{{2, 30}}},
		{"dual", several(near, near, 2), [2]response{{2, 50}}},
		{"last", several(near, surface(0.3, 0.5), 4), [2]response{{2, 10}}}, // too near is not measured
		{"last", several(near, surface(200, 100), 4), [2]response{{2, 10}}}, // nor too far
		{"strongest", several(none, none, 0), [2]response{}},
	} {
		got := exact(c.returns).measure(0, c.met)
		must.Equal(t, got, c.want, "%s of %+v", c.returns, c.met)
	}
	// three fifths at 2 m, and two fifths at 2.5 m with (2/2.5)² of the energy
	between := float64(exact("dual").measure(0, several(near, surface(2.5, 0.5), 2))[0].distance)
	must.Near(t, "common return", between, (3*2/4.0+2*2.5/6.25)/(3/4.0+2/6.25), 1e-6)
}

// A broken lidar keeps the directions of its points, and reports random distances within its range.
func TestLidarScrambles(t *testing.T) {
	p := PointCloud{Min: 1, Max: 30, PoseKnown: true}
	for range 1000 {
		p.Points = append(p.Points, LidarPoint{X: 3, Y: -4, Z: 12})
	}
	p.scramble(random.New(1, "cyan1", "lidar", 0))
	least, most := math.Inf(1), 0.0
	for _, q := range p.Points {
		r := float64(q.Z) * 13 / 12
		least, most = min(least, r), max(most, r)
		must.Near(t, "x / z", float64(q.X/q.Z), 3/12.0, 1e-5)
	}
	if !(least >= 1 && least < 2 && most > 29 && most <= 30) || p.PoseKnown {
		t.Errorf("distances from %v to %v m, pose known: %v, want from 1 to 30 m, and no pose", least, most,
			p.PoseKnown)
	}
}

// A turn takes at most a second, since the poses of all its steps are kept.
func TestLidarTurnsFastEnough(t *testing.T) {
	for rate, want := range map[float64]bool{0.99: false, 1: true} {
		c := Config{Name: "lidar", Kind: "lidar", Rate: rate}
		c.Complete()
		if err := c.Validate(); (err == nil) != want {
			t.Errorf("%v Hz: error %v, want one: %v", rate, err, !want)
		}
	}
}

// Rings lie evenly between the lowest and the highest, or where they are listed.
func TestLidarRings(t *testing.T) {
	l := Lidar{}
	l.SetDefaults()
	for i, e := range l.elevations() {
		must.Near(t, "elevation", e/spatial.Degree, float64(2*i-15), 1e-9)
	}
	l.Elevations = []float64{-0.4, 0.1}
	must.Equal(t, l.elevations(), []float64{-0.4, 0.1}, "listed elevations")
}
