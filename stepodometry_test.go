package omnipitch_test

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/testdata/simtest"
	"github.com/omnipitch/omnipitch/worlds/action"
)

var odometrySeeds = flag.Int("odometry.seeds", 1, "number of robots of each size that walk at level joints with odometry")

// countedWalk is a walk whose way odometry counts.
type countedWalk struct {
	sim *omnipitch.Sim
	m   sensors.OdometryReading
}

// newCountedWalk returns nil if the engine of the drive level is not installed.
func newCountedWalk(t *testing.T, size, level string, seed int) *countedWalk {
	engine := map[string]string{"joints": "mujoco", "walk": "planar"}[level]
	w := simtest.Parse(t, fmt.Sprintf("name = 'counted'\nseed = %d\nfield = false\nball = false\n"+
		"physics = { engine = '%s' }\n[[robot]]\nname = 'a'\nmodel = 'humanoid-%s'\ndrive = { level = '%s' }\n",
		seed, engine, size, level))
	sim, err := omnipitch.New(w, omnipitch.Options{NewRenderer: simtest.Grey})
	if errors.Is(err, physics.ErrNoMuJoCo) {
		return nil
	}
	must.Do(t, err)
	c := &countedWalk{sim: sim, m: sensors.OdometryReading{PoseOB: spatial.Identity()}}
	must.Get(sim.Listen("a", "odometry", omnipitch.Listener{Observe: func(o *sensors.Observation) {
		c.m = *o.Reading.(*sensors.OdometryReading)
	}}))(t)
	return c
}

// steps is a part of a countedWalk: true and counted.
type steps struct {
	way [2]float64    // m, as the sum of the distances after each second
	to  [2]mgl64.Vec3 // x, y and heading, from the beginning of the part
}

// walk walks for some seconds with a velocity, and stops.
func (c *countedWalk) walk(t *testing.T, vx, omega, seconds float64) (s steps) {
	poses := func() [2]spatial.Pose {
		p := c.sim.Truth().Robots[0].PoseWB
		return [2]spatial.Pose{spatial.Planar(p.Pos[0], p.Pos[1], p.Heading()), c.m.PoseOB}
	}
	first, last := poses(), poses()
	must.Do(t, c.sim.Do(&action.Drive{Robot: "a", VX: vx, Omega: omega}))
	start := c.sim.Truth().Time.Seconds()
	for second := 1.0; second <= seconds+3; second++ {
		if second > seconds {
			must.Do(t, c.sim.Do(&action.Drive{Robot: "a"}))
		}
		for c.sim.Truth().Time.Seconds() < start+second {
			must.Do(t, c.sim.Step())
		}
		now := poses()
		for i := range now {
			s.way[i] += now[i].Pos.Sub(last[i].Pos).Len()
			d := first[i].Inverse().Mul(now[i])
			s.to[i] = mgl64.Vec3{d.Pos[0], d.Pos[1], d.Heading()}
		}
		last = now
	}
	return s
}

// Humanoids know where they have walked. After 5 m ahead, they have counted 96 % to 104 % of the way, and their heading
// is off by at most 0.7 rad (kid) or 0.2 rad (adult): about three standard deviations. After a circle, they are off by
// at most 0.35 m, and as much in heading. At both drive levels, the shares of the way that they count agree within 3 %.
// With at least ten robots of each size, the means agree within 1.5 %, and the standard deviations of the headings
// within a factor of 2.
func TestHumanoidsCountSteps(t *testing.T) {
	for size, turn := range map[string]float64{"kid": 0.7, "adult": 0.2} {
		shares, headings := map[string][]float64{}, map[string][]float64{}
		for _, level := range []string{"joints", "walk"} {
			for seed := range *odometrySeeds {
				c := newCountedWalk(t, size, level, seed+1)
				if c == nil {
					t.Skip(physics.ErrNoMuJoCo)
				}
				at := fmt.Sprintf("%s %d at %s: ", size, seed+1, level)
				ahead := c.walk(t, 0.2, 0, 22)
				if !(ahead.way[0] > 4.8) {
					t.Errorf("%s walks %v m: must walk 5 m", at, ahead.way[0])
				}
				share, off := ahead.way[1]/ahead.way[0], ahead.to[1].Sub(ahead.to[0])
				must.Near(t, at+"share of 5 m", share, 1, 0.04)
				must.Near(t, at+"error of the heading after 5 m", off[2], 0, turn)
				shares[level], headings[level] = append(shares[level], share), append(headings[level], off[2])
				circle := c.walk(t, 0.15, 0.3, 2*math.Pi/0.3)
				off = circle.to[1].Sub(circle.to[0])
				must.Near(t, at+"error after a circle", math.Hypot(off[0], off[1]), 0, 0.35)
				must.Near(t, at+"error of the heading after a circle", off[2], 0, turn)
				c.sim.Close()
			}
		}
		limit := 0.03
		joints, walk := stat.StdDev(headings["joints"], nil), stat.StdDev(headings["walk"], nil)
		if *odometrySeeds >= 10 {
			limit = 0.015
			if !(walk < 2*joints && joints < 2*walk) {
				t.Errorf("%s: heading off by %v rad at joints and %v rad at walk: must agree", size, joints, walk)
			}
		}
		meanJoints, meanWalk := stat.Mean(shares["joints"], nil), stat.Mean(shares["walk"], nil)
		must.Near(t, size+": share at walk", meanWalk, meanJoints, limit)
		t.Logf("%s: counted share %.4f at joints, %.4f at walk; standard deviations of the heading after 5 m %.3f rad, "+
			"%.3f rad", size, meanJoints, meanWalk, joints, walk)
	}
}

// At drive level walk, the errors of poses agree with their covariances: the sum of the normalised squared errors lies
// within the 99.9 % limits of χ².
func TestCountedStepsAgreeWithTheirCovariances(t *testing.T) {
	const runs = 12
	sum := 0.0
	for seed := range runs {
		c := newCountedWalk(t, "kid", "walk", seed+1)
		c.walk(t, 0.2, 0.05, 6)
		c.walk(t, -0.15, -0.3, 4)
		off := c.m.PoseOB.Pos.Sub(c.sim.Truth().Robots[0].PoseWB.Pos)
		off[2] = spatial.WrapAngle(c.m.PoseOB.Heading() - c.sim.Truth().Robots[0].PoseWB.Heading())
		sum += planarError(off, &c.m.PoseCov)
		c.sim.Close()
	}
	chi := distuv.ChiSquared{K: 3 * runs}
	if least, most := chi.Quantile(0.0005), chi.Quantile(0.9995); !(sum >= least && sum <= most) {
		t.Errorf("sum of the normalised squared errors %.1f, want %.1f to %.1f", sum, least, most)
	}
}

// A robot that lies, or that somebody puts elsewhere, counts nothing.
func TestLyingRobotsCountNothing(t *testing.T) {
	c := newCountedWalk(t, "kid", "walk", 1)
	defer c.sim.Close()
	before := c.m.PoseOB
	must.Do(t, c.sim.Do(&action.Place{Name: "a", X: 2, Y: 1, Heading: 1},
		&action.Push{Name: "a", FX: 60, For: 100 * time.Millisecond}))
	fell := false
	for c.sim.Truth().Time < 12*time.Second {
		must.Do(t, c.sim.Step())
		fell = fell || c.sim.Truth().Robots[0].Motion == physics.Fallen
	}
	if now := c.sim.Truth().Robots[0].Motion; !fell || now != physics.Controllable {
		t.Fatalf("the robot has fallen: %v, and is %v: must fall and get up", fell, now)
	}
	if way := c.m.PoseOB.Pos.Sub(before.Pos).Len(); !(way < 0.2) {
		t.Errorf("counts %v m: must count nothing", way)
	}
}

// After action reset_odometry, odometry counts from about the place at which the robot was, with no error.
func TestResetOdometry(t *testing.T) {
	for robot, world := range map[string]string{
		"wheels": "physics.engine = 'ode'\n[[robot]]\nmodel = 'nubot'\n",
		"walk":   "physics.engine = 'planar'\n[[robot]]\nmodel = 'humanoid-kid'\ndrive = { level = 'walk' }\n",
		"joints": "physics.engine = 'mujoco'\n[[robot]]\nmodel = 'humanoid-kid'\ndrive = { level = 'joints' }\n",
	} {
		w := simtest.Parse(t, "name = 'reset'\nfield = false\nball = false\n"+world+"name = 'a'\npose = { x_m = 1 }\n")
		sim, err := omnipitch.New(w, omnipitch.Options{NewRenderer: simtest.Grey})
		if errors.Is(err, physics.ErrNoMuJoCo) {
			continue
		}
		must.Do(t, err)
		defer sim.Close()
		must.Do(t, sim.Do(&action.SetLevel{Robot: "a", Sensor: "odometry", Level: "raw"}))
		var m sensors.OdometryReading
		must.Get(sim.Listen("a", "odometry", omnipitch.Listener{Observe: func(o *sensors.Observation) {
			m = *o.Reading.(*sensors.OdometryReading)
		}}))(t)
		must.Do(t, sim.Do(&action.Drive{Robot: "a", VX: 0.2, Omega: 0.2}))
		run := func(d time.Duration) {
			for until := sim.Truth().Time + d; sim.Truth().Time < until; {
				must.Do(t, sim.Step())
			}
		}
		run(3 * time.Second)
		variance := m.PoseCov[0]
		if x := m.PoseOB.Pos[0]; !(x > 0.3) || !(variance > 0) {
			t.Errorf("%s: x = %v m with variance %v after 3 s of driving", robot, x, variance)
		}
		must.Do(t, sim.Do(&action.ResetOdometry{Robot: "a"}))
		from := sim.Truth().Robots[0].PoseWB
		run(200 * time.Millisecond)
		if !(m.PoseCov[0] < variance/4) {
			t.Errorf("%s: variance of x = %v after the reset, %v before", robot, m.PoseCov[0], variance)
		}
		run(2 * time.Second)
		to := from.Inverse().Mul(sim.Truth().Robots[0].PoseWB)
		must.Near(t, robot+": x since the reset, m", m.PoseOB.Pos[0], to.Pos[0], 0.05)
		must.Near(t, robot+": y since the reset, m", m.PoseOB.Pos[1], to.Pos[1], 0.05)
		must.Near(t, robot+": heading since the reset, rad", m.PoseOB.Heading(), to.Heading(), 0.05)
	}
}

// Action reset_odometry between two readings makes odometry begin at the place of the first one, also if the robot has
// driven on since then.
func TestResetOdometryBetweenReadings(t *testing.T) {
	w := simtest.Parse(t, "name = 'reset'\nfield = false\nball = false\n[[robot]]\nname = 'a'\nmodel = 'nubot'\n")
	for i := range w.Robots[0].Sensors {
		if s := &w.Robots[0].Sensors[i]; s.Kind == "odometry" {
			s.Rate = 5
		}
	}
	sim := simtest.New(t, w, omnipitch.Options{NewRenderer: simtest.Grey})
	defer sim.Close()
	must.Do(t, sim.Do(&action.SetLevel{Robot: "a", Sensor: "odometry", Level: "raw"}))
	var m sensors.OdometryReading
	var stamps []time.Duration
	must.Get(sim.Listen("a", "odometry", omnipitch.Listener{Observe: func(o *sensors.Observation) {
		m, stamps = *o.Reading.(*sensors.OdometryReading), append(stamps, o.Stamp)
	}}))(t)
	must.Do(t, sim.Do(&action.Drive{Robot: "a", VX: 2}))
	poses := map[time.Duration]spatial.Pose{}
	run := func(d time.Duration) {
		for until := sim.Truth().Time + d; sim.Truth().Time < until; {
			must.Do(t, sim.Step())
			poses[sim.Truth().Time] = sim.Truth().Robots[0].PoseWB
		}
	}
	run(3100 * time.Millisecond)
	first, now := stamps[len(stamps)-1], sim.Truth().Robots[0].PoseWB
	from := poses[first]
	if way := now.Pos.Sub(from.Pos).Len(); !(way > 0.1) {
		t.Fatalf("the robot has driven %v m since the reading at %v: must have driven on", way, first)
	}
	must.Do(t, sim.Do(&action.ResetOdometry{Robot: "a"}))
	run(200 * time.Millisecond)
	to, known := poses[stamps[len(stamps)-1]]
	must.Equal(t, known, true, "pose at a reading known")
	must.Near(t, "x since the last reading before the reset, m", m.PoseOB.Pos[0], from.Inverse().Mul(to).Pos[0], 0.03)
}

// Only a robot with odometry can reset it.
func TestResetOdometryNeedsOdometry(t *testing.T) {
	w := simtest.Parse(t, "name = 'reset'\n[[robot]]\nname = 'a'\nmodel = 'nubot'\n")
	w.Robots[0].Sensors = nil
	sim := simtest.New(t, w, omnipitch.Options{NewRenderer: simtest.Grey})
	defer sim.Close()
	must.Fail(t, sim.Do(&action.ResetOdometry{Robot: "a"}), `robot = "a": has no odometry`)
	must.Fail(t, (&action.ResetOdometry{Robot: "a"}).Validate(w), "has no odometry")
	must.Fail(t, (&action.ResetOdometry{Robot: "b"}).Validate(w), "there is no such robot")
}
