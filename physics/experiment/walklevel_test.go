package experiment_test

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"sync"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
	"gonum.org/v1/gonum/stat"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/engine"
	"github.com/omnipitch/omnipitch/physics/experiment"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
)

var (
	walkPairs = flag.Int("walk.pairs", 0, "number of walks at levels walk and joints for each velocity; 0: one of the kid")
	walkRuns  = flag.Int("walk.runs", 0, "number of walks to a point at levels walk and joints")
)

// humanoid returns a model with one humanoid of a size at a drive level, on the engine that suits the level.
func humanoid(t testing.TB, size, level string, seed uint64) *physics.Model {
	t.Helper()
	name := map[string]string{"walk": "planar", "joints": "mujoco"}[level]
	w := must.Get(worlds.Load(must.File(t, "humanoid.toml", fmt.Sprintf("name = \"humanoid\"\nseed = %d\n"+
		"field = \"hsl-9x6\"\nball = false\nphysics = { engine = %q }\n[[robot]]\nname = \"a\"\nmodel = \"humanoid-%s\"\n"+
		"drive = { level = %q }\n", seed, name, size, level))))(t)
	return w.Model()
}

// pairs runs a function n times for each level, on two cores, and returns the results of joints and of walk.
func pairs[T any](t testing.TB, size string, n int, run func(m *physics.Model, i int) (T, error)) (joints, walk []T) {
	t.Helper()
	if e, err := engine.New(humanoid(t, size, "joints", 1)); errors.Is(err, physics.ErrNoMuJoCo) {
		t.Skip(err)
	} else {
		must.Do(t, err)
		e.Close()
	}
	all, errs, room := [2][]T{make([]T, n), make([]T, n)}, make([]error, 2*n), make(chan struct{}, 2)
	var group sync.WaitGroup
	for k := range 2 * n {
		m := humanoid(t, size, [2]string{"joints", "walk"}[k%2], uint64(k/2+1))
		room <- struct{}{}
		group.Go(func() {
			all[k%2][k/2], errs[k] = run(m, k/2)
			<-room
		})
	}
	group.Wait()
	must.Do(t, errors.Join(errs...))
	return all[0], all[1]
}

// mean returns the mean of a figure and the standard deviation.
func mean[T any](all []T, of func(*T) float64) (mean, sigma float64) {
	var list []float64
	for i := range all {
		list = append(list, of(&all[i]))
	}
	if len(list) == 1 {
		return list[0], 0
	}
	return stat.MeanStdDev(list, nil)
}

func number(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// The level walk moves and sways as the level joints does: at the same command, velocity, frequency and amplitudes
// agree within 15 %, or within a small number: 0.02 m/s, 0.03 rad/s, 2 mm, and 0.009 rad (0.5°).
func TestWalkMovesAsJointsDo(t *testing.T) {
	type figures = experiment.WalkFigures
	sizes, commands := []string{"kid", "adult"}, []physics.PlanarTwist{{VX: 0.2}, {VX: 0.1}, {VX: -0.1}, {VY: 0.1},
		{Omega: 0.5}, {VX: 0.15, Omega: 0.25}}
	if *walkPairs == 0 {
		sizes, commands = sizes[:1], commands[:1]
	}
	for _, size := range sizes {
		for _, c := range commands {
			joints, walk := pairs(t, size, max(1, *walkPairs), func(m *physics.Model, i int) (figures, error) {
				return experiment.Walk(m, experiment.WalkTrial{Twist: c, Way: 5, Seconds: 20})
			})
			t.Logf("%s at %.2f m/s, %.2f m/s, %.2f rad/s", size, c.VX, c.VY, c.Omega)
			for _, f := range []struct {
				name  string
				of    func(*figures) float64
				small float64
			}{
				{"vx, m/s", func(f *figures) float64 { return f.Twist.VX }, 0.02},
				{"vy, m/s", func(f *figures) float64 { return f.Twist.VY }, 0.02},
				{"turn, rad/s", func(f *figures) float64 { return f.Twist.Omega }, 0.03},
				{"frequency, Hz", func(f *figures) float64 { return f.Frequency }, 0},
				{"lateral, m", func(f *figures) float64 { return f.Lateral }, 0.002},
				{"vertical, m", func(f *figures) float64 { return f.Vertical }, 0.002},
				{"roll, rad", func(f *figures) float64 { return f.Roll }, 0.009},
				{"pitch, rad", func(f *figures) float64 { return f.Pitch }, 0.009},
				{"falls", func(f *figures) float64 { return number(f.Fell) }, 0},
			} {
				m, s := mean(joints, f.of)
				m2, s2 := mean(walk, f.of)
				t.Logf("  %-14s joints %8.4f ± %.4f  walk %8.4f ± %.4f", f.name, m, s, m2, s2)
				must.Near(t, size+": "+f.name, m2, m, max(0.15*math.Abs(m), f.small))
			}
		}
	}
}

// A robot that walks to points 3 m away arrives at both levels after the same time, comes to rest at the same distance
// from the point, and falls as often: the means at walk are within the 95 % intervals of those at joints.
func TestWalkArrivesAsAtJoints(t *testing.T) {
	if *walkRuns == 0 {
		t.Skip("takes minutes: make verify-walk")
	}
	type arrival = experiment.Arrival
	n := float64(*walkRuns)
	joints, walk := pairs(t, "kid", *walkRuns, func(m *physics.Model, i int) (arrival, error) {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / n)
		return experiment.WalkTo(m, mgl64.Vec2{3 * cos, 3 * sin}, 0.2, 90)
	})
	for _, f := range []struct {
		name string
		of   func(*arrival) float64
		none float64 // half width of the interval if no run differs from the others
	}{
		{"time, s", func(a *arrival) float64 { return a.Seconds }, 0},
		{"distance, m", func(a *arrival) float64 { return a.Error }, 0},
		{"falls", func(a *arrival) float64 { return number(a.Fell) }, 3 / n}, // rule of three
	} {
		m, s := mean(joints, f.of)
		m2, s2 := mean(walk, f.of)
		half := max(1.96*s/math.Sqrt(n), f.none)
		t.Logf("%-12s joints %8.4f ± %.4f, the mean ± %.4f; walk %8.4f ± %.4f", f.name, m, s, half, m2, s2)
		must.Near(t, f.name, m2, m, half)
	}
}
