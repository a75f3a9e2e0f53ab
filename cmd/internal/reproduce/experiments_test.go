package reproduce

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"
	"gonum.org/v1/gonum/floats"

	"github.com/omnipitch/omnipitch/cmd/internal/bench/rospeer"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
)

// TestMain runs the tests, or a peer: transport starts this test binary as its peer.
func TestMain(m *testing.M) {
	if len(os.Args) < 4 || os.Args[1] != "bench" {
		os.Exit(m.Run())
	}
	peer := rospeer.Command{Name: os.Args[3], Roles: os.Args[4:]}
	if err := peer.Run(context.Background(), console.Streams{Out: os.Stdout, Err: os.Stderr}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// world writes a world file and returns its path.
func world(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "mine.toml")
	must.Do(t, os.WriteFile(path, []byte("name = \"mine\"\n"+text), 0o600))
	return path
}

// carryOut runs the shortest form of an experiment in a world. For world "" it uses the experiment's own.
func carryOut(t *testing.T, name, world string) *Trial {
	t.Helper()
	e, err := Find(name)
	must.Do(t, err)
	trial := &Trial{Quick: true, brief: true, Progress: func(share float64) {
		if !(share >= 0 && share <= 1+1e-9) {
			t.Errorf("%s: progress %v", e.Name, share)
		}
	}, world: world}
	if world == "" {
		trial.world = e.World
	}
	if err := e.run(t.Context(), trial); err != nil {
		t.Fatalf("%s: %v", e.Name, err)
	}
	if len(trial.Findings) == 0 || len(trial.Plots) == 0 {
		t.Errorf("%s: %d findings, %d plots", e.Name, len(trial.Findings), len(trial.Plots))
	}
	return trial
}

// find returns the finding whose name contains a text.
func (t *Trial) find(test *testing.T, name string) Finding {
	test.Helper()
	i := slices.IndexFunc(t.Findings, func(f Finding) bool { return strings.Contains(f.Name, name) })
	if i < 0 {
		test.Fatalf("no finding %q among %+v", name, t.Findings)
	}
	return t.Findings[i]
}

// wants fails the test unless a finding has a verdict.
func (t *Trial) wants(test *testing.T, name string, want Verdict) {
	test.Helper()
	if f := t.find(test, name); f.Verdict != want {
		test.Errorf("%s: %s is %s, want %s", f.Name, f.Found(), f.Verdict, want)
	}
}

// TestExperiments checks that each experiment has a shipped world, a unique name, and texts that end like sentences.
func TestExperiments(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range Experiments {
		setup, _ := e.texts()
		if seen[e.Name] || seen[e.Title] || e.Source == "" || !strings.HasSuffix(setup, ".") || e.run == nil {
			t.Errorf("%+v", e)
		}
		seen[e.Name], seen[e.Title] = true, true
		if _, err := worlds.Load(e.World); err != nil {
			t.Error(err)
		}
	}
}

// TestRamp checks that the experiment's own world reproduces the result, and a world whose gains are zero does not.
func TestRamp(t *testing.T) {
	ours := carryOut(t, "ramp", "")
	ours.wants(t, "least mean error", Reproduced)
	ours.wants(t, "greatest mean error", Reproduced)
	// With equal gains for all there is nothing to compare. With zero gains no robot follows.
	lame := carryOut(t, "ramp", world(t, "include = [\"velocity-ramp\"]\n[[robot]]\nfor_each = { name = [\"p_weak\", "+
		"\"pi_weak\", \"pi\", \"pid\", \"pi_forward\"] }\nname = \"{name}\"\ndrive = { motor = { p = 0, i = 0, d = "+
		"0, feed_forward = 0 } }\n"))
	lame.wants(t, "least mean error", Differs)
	lame.wants(t, "greatest mean error", Differs)
}

// TestPath checks that a fast robot on a path of the test reproduces the result, and a slow one does not.
func TestPath(t *testing.T) {
	const around = "field = \"msl-18x12\"\n[ball]\ny_m = 7\n[[robot]]\nname = \"one\"\nmodel = \"nubot\"\npose = { " +
		"x_m = -7, y_m = 5 }\n%s\n" +
		"[[area]]\nfor_each = [{ n = 0, x = -4, y = 0 }, { n = 1, x = -1, y = 2 }, { n = 2, x = 1, y = -2 }, { n = " +
		"3, x = 5, y = 0 }]\nname = \"p{n}\"\ncircle = { x_m = \"{x}\", y_m = \"{y}\", radius_m = 0.1 }\n"
	able := carryOut(t, "path", world(t, fmt.Sprintf(around, "")))
	able.wants(t, "highest speed", Reproduced)
	able.wants(t, "greatest tracking error", Reproduced)
	able.wants(t, "from p3", Reproduced)
	simple, predicts := able.find(t, "feed-forward: mean tracking"), able.find(t, "predictive: mean tracking")
	if !(predicts.Value < 0.6*simple.Value) {
		t.Errorf("predictive control tracks with %s, feed-forward with %s: want less than 0.6 of it", predicts.Found(),
			simple.Found())
	}
	slow := carryOut(t, "path", world(t, fmt.Sprintf(around, "drive = { max_speed_m_s = 1 }")))
	slow.wants(t, "highest speed", Differs)
	slow.wants(t, "greatest tracking error", Differs)
}

// TestAvoid checks that the experiment's own world reproduces the result. A slow robot does not reach the speed, and a
// robot that takes a wall for a small obstacle touches it.
func TestAvoid(t *testing.T) {
	ours := carryOut(t, "avoid", "")
	for _, name := range []string{"B-spline, feed-forward: ", "B-spline, predictive: "} {
		ours.wants(t, name+"highest speed", Reproduced)
		ours.wants(t, name+"runs that arrive", Reproduced)
		ours.wants(t, name+"jerk", Reproduced)
	}
	walled := carryOut(t, "avoid", world(t, "include = [\"obstacle-course\"]\n[[robot]]\nname = \"cyan2\"\ndrive = { "+
		"max_speed_m_s = 2 }\n[[obstacle]]\nname = \"wall\"\npose = { x_m = 6 }\nsize_y_m = 5\nmass_kg = 500\n"+
		"[[area]]\nname = \"goal\"\ncircle = { x_m = 7, y_m = 1.2, radius_m = 0.1 }\n"))
	walled.wants(t, "B-spline, predictive: highest speed", Differs)
	walled.wants(t, "B-spline, predictive: runs that arrive", Differs)
}

// TestLaguerre checks that the functions of predictive control are orthonormal within its horizon.
func TestLaguerre(t *testing.T) {
	for n := range mpcTerms {
		for m := range mpcTerms {
			a, b, want := laguerre(n), laguerre(m), 0.0
			if n == m {
				want = 1
			}
			if got := floats.Dot(a[:], b[:]); !(math.Abs(got-want) <= 0.01) {
				t.Errorf("functions %d and %d: product %v, want %v", n, m, got, want)
			}
		}
	}
}

// TestCourse checks that a course keeps its speed and acceleration, and has the position that it reports.
func TestCourse(t *testing.T) {
	c := newCourse(bezier([4]mgl64.Vec2{{0, 0}, {4, 0}, {4, 4}, {8, 4}}), 4000, 0, 0, 2, 1.5)
	if first, last := c.at(0), c.at(c.end()+1); first.speed != 0 || last.speed != 0 ||
		!(last.pos.Sub(mgl64.Vec2{8, 4}).Len() <= 1e-9) {
		t.Errorf("begins with %+v, ends with %+v", first, last)
	}
	const dt = 0.01
	fastest := 0.0
	for time := dt; time < c.end()-dt; time += dt {
		before, at, after := c.at(time-dt), c.at(time), c.at(time+dt)
		v := after.pos.Sub(before.pos).Mul(1 / (2 * dt)).Len()
		a := after.pos.Add(before.pos).Sub(at.pos.Mul(2)).Mul(1 / (dt * dt)).Len()
		fastest = math.Max(fastest, at.speed)
		if !(math.Abs(v-at.speed) < 0.02) || !(at.speed <= 2) || !(a < 1.5*1.05) ||
			!(math.Abs((after.heading-before.heading)/(2*dt)-at.turning) < 0.05) {
			t.Fatalf("at %.2f s: %+v, but moves at %.3f m/s and %.3f m/s²", time, at, v, a)
		}
	}
	if !(fastest > 1.99) {
		t.Errorf("%.2f m/s at most", fastest)
	}
}

// TestDribble checks that the experiment's own world reproduces the result, and a world with shorter steps does not.
func TestDribble(t *testing.T) {
	ours := carryOut(t, "dribble", "")
	ours.wants(t, "pose at 3 m/s", Reproduced)
	ours.wants(t, "secant at 3 m/s", Reproduced)
	ours.wants(t, "tangential at 3 m/s", Reproduced)
	ours.wants(t, "tangential at 0.5 m/s", Reproduced)
	// With steps of a fifth, errors are too small to lose the ball.
	fine := carryOut(t, "dribble", world(t, "include = [\"dribbling-methods\"]\ntime.step_ms = 1.4\n"))
	fine.wants(t, "tangential at 3 m/s", Differs)
}

// TestForecast checks that predictions are judged at each speed. Their quality depends on the machine.
func TestForecast(t *testing.T) {
	trial := carryOut(t, "forecast", "planar")
	for _, speed := range []string{"realtime", "0.5", "steady", "max"} {
		for _, span := range []string{"10 to 100 ms", "150 to 500 ms"} {
			for _, whose := range []string{"our", "mean of the last"} {
				f := trial.find(t, "speed "+speed+", "+span+": "+whose)
				if short := span[0] == '1' && span[1] == '5'; !(f.Value >= 0) && !short || f.Reported == "" ||
					math.IsNaN(f.Value) && f.Verdict != Differs {
					t.Errorf("%+v", f) // a second is too short for the longest interval at speed 0.5
				}
			}
		}
	}
}

// TestTransport checks that messages of each type arrive, directly and through a relaying node.
func TestTransport(t *testing.T) {
	trial := carryOut(t, "transport", "")
	for _, name := range []string{"Imu", "animation", "walking", "passes them on", "images of 640 × 640"} {
		if f := trial.find(t, name); !(f.Value > 0 && f.Value < 1e4) {
			t.Errorf("%s: %s", f.Name, f.Found())
		}
	}
}

// TestVision checks that an unobstructed ball in front of the robot is found at its true position.
func TestVision(t *testing.T) {
	w := world(t, `include = ["ball-search"]
look = "plain"
[ball]
x_m = { uniform = [1.1, 1.4] }
y_m = { uniform = [-0.3, 0.3] }
[[robot]]
name = "cyan1"
pose = { x_m = 0, y_m = 0, heading_deg = 0 }
[[robot.sensor]]
for_each = { name = ["omni", "front"] }
name = "{name}"
image = { width_px = 240, height_px = 240 }
[[robot]]
for_each = [{ name = "cyan2", y = -4 }, { name = "magenta1", y = 0 }, { name = "magenta2", y = 4 }]
name = "{name}"
pose = { x_m = -6, y_m = "{y}" }
[[obstacle]]
name = "box"
pose = { x_m = -3 }
`)
	trial := &Trial{Quick: true, brief: true, world: w}
	b := bearers[1]
	f, err := trial.look(t.Context(), b, 2, func(float64) {})
	must.Do(t, err)
	if f.there != 2 || f.right != 2 || f.wrong != 0 || len(f.near) != 2 || !(max(f.near[0], f.near[1]) < 0.03) {
		t.Errorf("%+v", *f)
	}
}

// TestWorldsThatDoNotFit checks that each experiment reports what a world lacks.
func TestWorldsThatDoNotFit(t *testing.T) {
	bare := world(t, "[[robot]]\nname = \"one\"\nmodel = \"nubot\"\nsensor = [{ name = \"omni\", level = \"truth\" "+
		"}, { name = \"front\", level = \"truth\" }]\n")
	for name, want := range map[string]string{"vision": "ground_truth", "path": `area "p0"`, "avoid": `area "goal"`, "lobs": "has no event",
		"card-places": "has 1 robots", "card-speeds": "has 1 robots"} {
		e, _ := Find(name)
		trial := &Trial{Quick: true, brief: true, Progress: func(float64) {}, world: bare}
		if err := e.run(t.Context(), trial); console.ExitCode(err) != console.ExitBadInput ||
			!strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}

// TestExperimentsAreInterrupted checks that an experiment ends when it is interrupted.
func TestExperimentsAreInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, name := range []string{"circle", "ramp", "path", "avoid", "dribble", "localise", "lobs"} {
		e, _ := Find(name)
		trial := &Trial{Quick: true, brief: true, Progress: func(float64) {}, world: e.World}
		if err := e.run(ctx, trial); err == nil {
			t.Errorf("%s went on", e.Name)
		}
	}
}

// TestReproducePage checks that the page about the command has a row for each experiment.
func TestReproducePage(t *testing.T) {
	text, err := os.ReadFile("../../../docs/reproduce.md")
	must.Do(t, err)
	for _, e := range Experiments {
		if !strings.Contains(string(text), "\n| `"+e.Name+"` | ") || !strings.Contains(string(text),
			" | `"+e.World+"` | ") {
			t.Errorf("docs/reproduce.md has no row for %s in world %s", e.Name, e.World)
		}
	}
}

// TestResultsPage checks that the page with results has a section for each experiment, and that its plots exist.
func TestResultsPage(t *testing.T) {
	text, err := os.ReadFile("../../../docs/results.md")
	must.Do(t, err)
	for _, e := range Experiments {
		if !strings.Contains(string(text), "\n## "+e.Title+"\n") {
			t.Errorf("docs/results.md has no section %q: make results", e.Title)
		}
	}
	for _, line := range strings.Split(string(text), "\n") {
		_, rest, ok := strings.Cut(line, "<img src=\"")
		if file, _, _ := strings.Cut(rest, "\""); ok {
			if _, err := os.Stat(filepath.Join("../../../docs", file)); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestLevels checks that levels without images are faster than raw, and that the counts follow the world's robots.
func TestLevels(t *testing.T) {
	t.Parallel()
	trial := carryOut(t, "levels", world(t, "field = \"msl-18x12\"\n[[robot]]\nname = \"one\"\nmodel = \"nubot\"\n"+
		"pose = { x_m = 1 }\n"))
	for _, engine := range []string{"ode", "planar"} {
		for _, level := range []string{"objects", "truth"} {
			trial.wants(t, engine+", 1 robot: speed at "+level, Reproduced)
		}
		if f := trial.find(t, engine+", 1 robot, all sensors at raw"); !(f.Value > 0) {
			t.Errorf("%s: %s", f.Name, f.Found())
		}
	}
	must.Equal(t, len(trial.Plots[0].Curves), 1, "curves")
}

// TestMachineUsage checks that work of this process does not count as that of others.
func TestMachineUsage(t *testing.T) {
	from := machineUsage()
	if from.total <= 0 || from.working > from.total || from.own <= 0 {
		t.Fatalf("usage %+v", from)
	}
	// Half a second of work of our own on an idle machine with one core: all of it is our own.
	idle := machineUsage()
	idle.total -= time.Second
	idle.working -= 500 * time.Millisecond
	idle.own -= 500 * time.Millisecond
	if others := othersSince(idle); !(others >= 0 && others <= 1) {
		t.Errorf("others used %v, want a share", others)
	}
	idle.own += 400 * time.Millisecond // now only 100 ms are our own
	if others := othersSince(idle); !(others >= 0.3) {
		t.Errorf("others used %v, want at least 0.3", others)
	}
	if text := disturbed(0.02) + disturbed(math.NaN()); text != "" {
		t.Errorf("a small share disturbs: %q", text)
	}
}

// TestLobs checks that a goalkeeper saves more lobs with touchdown than without.
func TestLobs(t *testing.T) {
	trial := carryOut(t, "lobs", "")
	with, without := trial.find(t, "saved lobs, with touchdown"), trial.find(t, "saved lobs, without touchdown")
	if !(with.Value > without.Value) {
		t.Errorf("saved %s with touchdown, %s without: want more with touchdown", with.Found(), without.Found())
	}
	if f := trial.find(t, "mean error of the last"); !(f.Value < 5) {
		t.Errorf("%s: got %s, want below 5 cm", f.Name, f.Found())
	}
	trial.wants(t, "mean time of a Kinect's frame", Better)
}

// TestLocalise checks that a robot knows where it is, and that a world whose robot does not patrol is refused.
func TestLocalise(t *testing.T) {
	t.Parallel()
	trial := carryOut(t, "localise", "")
	for _, speed := range []string{"1", "3"} {
		trial.wants(t, "at "+speed+" m/s: mean position error", Better)
		if f := trial.find(t, "at "+speed+" m/s: images with a known pose"); !(f.Value > 80) {
			t.Errorf("%s: %s", f.Name, f.Found())
		}
	}
}

// TestScan checks that a robot knows where it is by scans and at level pose, and that a world without a map is refused.
func TestScan(t *testing.T) {
	t.Parallel()
	trial := carryOut(t, "scan", "")
	for _, level := range []string{"raw", "pose"} {
		trial.wants(t, "level "+level+": mean position error", Reproduced)
		trial.wants(t, "level "+level+": runs in which the robot touches something", Reproduced)
	}
	if f := trial.find(t, "level pose: mean position error"); !(f.Value > 2 && f.Value < 6) { // 3 cm along x and y
		t.Errorf("%s: %s, want 3.8 cm", f.Name, f.Found())
	}
	e, err := Find("scan")
	must.Do(t, err)
	mine := &Trial{brief: true, Progress: func(float64) {},
		world: world(t, "field = \"msl-18x12\"\n[[robot]]\nname = \"a\"\nmodel = \"differential\"\n")}
	must.Fail(t, e.run(t.Context(), mine), "needs a program refbot scan", "a world without a map")
}
