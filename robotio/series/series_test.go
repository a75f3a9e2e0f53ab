package series

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/recorder"
	"github.com/omnipitch/omnipitch/robotio/recording"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

const (
	steps   = 200
	restart = 120 // step before which the world restarts
)

// record records a run in which a robot turns and drives, a ball rolls, and the world restarts. It returns the times
// and the states that were observed.
func record(t *testing.T, path string, exact bool) (at []time.Duration, states []*physics.Snapshot) {
	t.Helper()
	w := must.Get(worlds.Parse("w.toml", []byte("name = \"w\"\n[ball]\nx_m = 1\nvx_m_s = -2\n[[robot]]\nname = "+
		"\"a\"\nmodel = \"nubot\"\npose = { x_m = -2 }\n[[obstacle]]\nname = \"box\"\npose = { x_m = 3, y_m = 1 }\n")))(t)
	rec := must.Get(recorder.New(path, w, recorder.Config{Program: "test", Exact: exact}))(t)
	var opts omnipitch.Options
	rec.Hook(&opts)
	sim := must.Get(omnipitch.New(w, opts))(t)
	defer sim.Close()
	rec.Follow(sim)
	began, last := time.Duration(0), time.Duration(0)
	sim.OnStep(func(s *physics.Snapshot) {
		if s.Step == 0 {
			began += last
		}
		last = s.Time
		at, states = append(at, began+s.Time), append(states, s.Clone())
	})
	for i := range steps {
		must.Do(t, sim.Do(&action.Drive{Robot: "a", VX: 1, Omega: float64(i) / 100}))
		if i == restart {
			must.Do(t, sim.Restart(w))
		}
		must.Do(t, sim.Step())
	}
	must.Do(t, rec.Close())
	return at, states
}

func open(t *testing.T, path string) *File {
	t.Helper()
	f := must.Get(Open(path))(t)
	t.Cleanup(func() { f.Close() })
	return f
}

// Every number of a body equals that of the observed state: of every step with exact states, else of every fourth.
// Times continue after a restart.
func TestNumbersAreThoseOfTheRun(t *testing.T) {
	yaw := func(p physics.RobotState) float64 {
		q := p.PoseWB.Rot
		return math.Atan2(2*(q.W*q.V[2]+q.V[0]*q.V[1]), 1-2*(q.V[1]*q.V[1]+q.V[2]*q.V[2]))
	}
	numbers := map[string]struct {
		exact bool
		of    func(s *physics.Snapshot) float64
	}{
		"ball.x":          {false, func(s *physics.Snapshot) float64 { return s.Ball.PosW[0] }},
		"ball.velocity.x": {false, func(s *physics.Snapshot) float64 { return s.Ball.TwistInW.Lin[0] }},
		"ball.spin": {false, func(s *physics.Snapshot) float64 {
			w := s.Ball.TwistInW.Ang
			return math.Sqrt(w[0]*w[0] + w[1]*w[1] + w[2]*w[2])
		}},
		"a.pose.y": {false, func(s *physics.Snapshot) float64 { return s.Robots[0].PoseWB.Pos[1] }},
		"a.yaw":    {false, func(s *physics.Snapshot) float64 { return yaw(s.Robots[0]) }},
		"a.speed": {false, func(s *physics.Snapshot) float64 {
			v := s.Robots[0].TwistWBInW.Lin
			return math.Sqrt(v[0]*v[0] + v[1]*v[1] + v[2]*v[2])
		}},
		"a.vx": {false, func(s *physics.Snapshot) float64 {
			v, h := s.Robots[0].TwistWBInW.Lin, yaw(s.Robots[0])
			return v[0]*math.Cos(h) + v[1]*math.Sin(h)
		}},
		"a.omega":    {false, func(s *physics.Snapshot) float64 { return s.Robots[0].TwistWBInW.Ang[2] }},
		"a.wheel2":   {true, func(s *physics.Snapshot) float64 { return s.Robots[0].WheelRadS[2] }},
		"a.charge":   {true, func(s *physics.Snapshot) float64 { return s.Robots[0].Charge }},
		"box.pose.x": {false, func(s *physics.Snapshot) float64 { return s.Obstacles[0].PoseWO.Pos[0] }},
	}
	dir := t.TempDir()
	for _, exact := range []bool{true, false} {
		path := filepath.Join(dir, fmt.Sprint(exact))
		at, states := record(t, path, exact)
		f := open(t, path)
		for name, number := range numbers {
			if number.exact && !exact {
				continue
			}
			all := must.Get(f.Read(t.Context(), []string{name}, 0, math.MaxInt64))(t)
			n := 0
			for i, s := range states {
				if !exact && s.Time%(20*time.Millisecond) != 0 {
					continue
				}
				if n == len(all[0].Time) {
					break
				}
				want, was := number.of(s), all[0].Value[n]
				// the formula of the test rounds differently
				if all[0].Time[n] != at[i].Seconds() || !(math.Abs(want-was) <= 1e-9) {
					t.Errorf("exact %v: %s at %v s = %v, want %v at %v", exact, name, all[0].Time[n], was, want, at[i])
					break
				}
				n++
			}
			if period := map[bool]float64{true: 0.005, false: 0.02}[exact]; !(math.Abs(all[0].Period-period) < 1e-9) {
				t.Errorf("exact %v: %s has a period of %v s", exact, name, all[0].Period)
			}
			if n != len(all[0].Time) || n < steps/5 {
				t.Errorf("exact %v: %s has %d values, of which %d are right", exact, name, len(all[0].Time), n)
			}
		}
	}
}

// Read returns the values of a span of time. Commands hold until the next one, paths find fields of topics, and *
// matches all names.
func TestNames(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	record(t, path, true)
	f := open(t, path)
	read := func(from, to time.Duration, names ...string) []*Series {
		t.Helper()
		return must.Get(f.Read(t.Context(), names, from, to))(t)
	}
	all := read(100*time.Millisecond, 200*time.Millisecond, "ball.x", "a.command.omega",
		"/omnipitch/truth.bodies[1].pose.position.y")
	for i, want := range []struct {
		n     int
		unit  string
		steps bool
		value float64 // first value; NaN: any
	}{{20, "m", false, math.NaN()}, {20, "rad/s", true, 0.19}, {5, "", false, math.NaN()}} {
		s := all[i]
		if len(s.Time) != want.n || s.Time[0] != 0.1 || s.Unit != want.unit || s.Steps != want.steps ||
			want.value == want.value && s.Value[0] != want.value {
			t.Errorf("%s: %d values from %v s, the first %v; %q, %v; want %+v", s.Name, len(s.Time), s.Time[0],
				s.Value[0], s.Unit, s.Steps, want)
		}
	}
	if truth, exact := all[2].Value, read(100*time.Millisecond, 200*time.Millisecond,
		"a.y")[0].Value; truth[1] != exact[4] {
		t.Errorf("the topic has %v, the states %v", truth[1], exact[4])
	}
	var names []string
	for _, s := range read(0, math.MaxInt64, "*.speed", "ball.speed") {
		names = append(names, s.Name)
	}
	must.Equal(t, names, []string{"ball.speed", "a.speed", "box.speed"}, "names")
	for _, c := range []struct {
		name string
		from time.Duration
		want string
	}{
		{"ball.sped", 0, "did you mean ball.speed?"},
		{"nothing.at_all", 0, "omnipitch plot " + path + " lists"},
		{"/omnipitch/truth.stepp", 0, "did you mean /omnipitch/truth.step?"},
		{"/omnipitch/truth.held_by", 0, "has no such number"}, // a text
		{"ball.x", time.Hour, "has no value of ball.pose.x from 1h0m0s on"},
		{"/omnipitch/truth.bodies[7].pose.position.x", 0, "has no value"},
	} {
		must.Refuse(f.Read(t.Context(), []string{c.name}, c.from, math.MaxInt64))(t, c.want, c.name)
	}
}

// Files of other programs have the numbers of their topics.
func TestFilesOfOthers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.mcap")
	w := must.Get(recording.Create(path, recording.Header{Library: "other"}, recording.Options{}))(t)
	lib := must.Get(msg.Load("std"))(t)
	def := must.Get(lib.Message("geometry_msgs/Point"))(t)
	c := must.Get(w.ROSChannel("/p", def, "", false))(t)
	for i := range 3 {
		c.Write(time.Duration(i)*time.Second, 0, append(make([]byte, 23), byte(0x40+i))) // z = 2, 32, 512: of exponents
	}
	must.Do(t, w.Close())
	f := open(t, path)
	all, err := f.Read(t.Context(), []string{"/p.z"}, 0, math.MaxInt64)
	if err != nil || len(f.Numbers()) != 3 || !slices.Equal(all[0].Time, []float64{0, 1, 2}) || all[0].Value[0] != 2 {
		t.Errorf("%v: %v of %v", err, all, f.Numbers())
	}
}
