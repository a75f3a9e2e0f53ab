package worlds

import (
	"context"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
)

const crowd = minimal + `
seed = 3
[ball]
x_m = { uniform = [-3, 3] }
y_m = { uniform = [-2, 2] }
[[robot]]
name = "a"
model = { choice = ["nubot", "mecanum"] }
pose = { x_m = { uniform = [-3, 3] }, y_m = { uniform = [-2, 2] }, heading_deg = { uniform = [-180, 180] } }
[[robot]]
name = "b"
model = "nubot"
pose = { x_m = { uniform = [-3, 3] }, y_m = { uniform = [-2, 2] } }
[[obstacle]]
name = "box"
pose = { x_m = { uniform = [-3, 3] }, y_m = { uniform = [-2, 2] }, heading_deg = 45 }
`

// Discs inside the bodies cannot meet if nothing overlaps; the ball's centre is in none.
func TestDrawnBodiesAreApart(t *testing.T) {
	w := must.Get(Parse("w.toml", []byte(crowd)))(t)
	tried := 0
	for seed := range uint64(200) {
		w := must.Get(w.WithSeed(seed))(t)
		a, b, box := w.Robots[0], w.Robots[1], w.Obstacles[0]
		ball := Pose{X: w.Ball.X, Y: w.Ball.Y}
		inscribed := min(box.Hull.SizeX, box.Hull.SizeY) / 2
		for name, room := range map[string]float64{
			"a and b":      distance(a.Pose, b.Pose) - inside(a) - inside(b),
			"a and box":    distance(a.Pose, box.Pose) - inside(a) - inscribed,
			"b and box":    distance(b.Pose, box.Pose) - inside(b) - inscribed,
			"ball and a":   distance(ball, a.Pose) - inside(a),
			"ball and b":   distance(ball, b.Pose) - inside(b),
			"ball and box": distance(ball, box.Pose) - inscribed,
		} {
			if !(room >= 0) {
				t.Errorf("seed %d: %s are %g m in each other", seed, name, -room)
			}
		}
		if o := w.file.Origin("robot[0].pose.x_m"); o.Distribution == "" || o.Seed != seed {
			t.Errorf("seed %d: origin %+v", seed, o)
		} else if o.Try > 0 {
			tried++
		}
	}
	if tried < 10 {
		t.Errorf("only %d of 200 worlds were drawn more than once: bodies hardly ever met", tried)
	}
}

// inside returns the radius of the largest disc in a robot's hull.
func inside(r Robot) float64 {
	if r.Body.Boxed() {
		return min(r.Body.Length, r.Body.Width) / 2
	}
	return r.Body.Radius
}

func TestSameSeedSameWorld(t *testing.T) {
	w := must.Get(Parse("w.toml", []byte(crowd)))(t)
	if !w.Random() {
		t.Error("nothing is said to be random")
	}
	again := must.Get(w.WithSeed(4))(t)
	if again.Robots[1].Pose == w.Robots[1].Pose {
		t.Error("seeds 3 and 4 give the same pose")
	}
	back := must.Get(again.WithSeed(3))(t)
	sameWorld(t, back, w)
	path := write(t, t.TempDir(), "w.toml", crowd)
	loaded := must.Get(LoadWithSeed(path, 4))(t)
	sameWorld(t, loaded, again)
}

// Included worlds and models may be random too, and a variable is drawn once.
func TestDrawsOfManyFiles(t *testing.T) {
	dir := t.TempDir()
	model := must.Get(Source("nubot"))(t)
	write(t, dir, "mine.toml", strings.Replace(string(model), "mass_kg = ", "mass_kg = { uniform = [20, 30] } # ", 1))
	write(t, dir, "base.toml", minimal+"vars.far = { uniform = [1, 4] }\n[[robot]]\nfor_each.i = [1, 2]\nname = "+
		"'r{i}'\nmodel = './mine.toml'\npose = { x_m = '{far}', y_m = '{i}', heading_deg = { uniform = [0, 90] } "+
		"}\n[[obstacle]]\nname = 'o'\npose = { x_m = -2, y_m = '{far}' }")
	field := must.Get(Source("msl-18x12"))(t)
	write(t, dir, "field.toml", strings.Replace(string(field), "border_m = ", "border_m = { uniform = [1, 2] } # ", 1))
	w := must.Get(Load(write(t, dir, "w.toml", minimal+"include = ['./base.toml']\nfield = "+
		"'./field.toml'\n[[robot]]\nname = 'r2'\nnumber = { uniform = [5, 9] }")))(t)
	r, s, o := w.Robots[0], w.Robots[1], w.Obstacles[0]
	if r.Pose.X != s.Pose.X || r.Pose.X != o.Pose.Y || !(r.Pose.X >= 1 && r.Pose.X <= 4) {
		t.Errorf("far is %v, %v and %v", r.Pose.X, s.Pose.X, o.Pose.Y)
	}
	if r.Pose.Heading == s.Pose.Heading || r.Body.Mass == s.Body.Mass || s.Number < 5 || s.Number > 9 {
		t.Errorf("robots %+v and %+v", r.Pose, s.Pose)
	}
	if at := w.file.Origin("field.border_m"); at.Distribution == "" || filepath.Base(at.File) != "field.toml" ||
		!(w.Field.Border >= 1 && w.Field.Border <= 2) {
		t.Errorf("the border is %g m, from %+v", w.Field.Border, at)
	}
	if at := w.file.Origin("robot[0].body.mass_kg"); at.Distribution == "" || filepath.Base(at.File) != "mine.toml" {
		t.Errorf("the mass is from %+v", at)
	}
}

func TestRandomErrors(t *testing.T) {
	for _, c := range must.Cases(t, "testdata/random.txt") {
		t.Run(c.Name, func(t *testing.T) {
			for seed := range uint64(1 + 2*strings.Count(c.Text, "choice")) { // for any choice
				_, err := parse("w.toml", []byte(c.Text), &seed, []func(*World) error{(*World).Validate})
				wantPrefixes(t, err, c.Want)
			}
		})
	}
}

// The requirements hold in each drawn world, as the test itself measures.
func TestRequirementsHold(t *testing.T) {
	w := must.Get(Parse("w.toml", []byte(crowd+`
[[require]]
near = { name = "a", of = "ball", within_m = 1.5 }
[[require]]
apart = { names = ["a", "b", "ball"], at_least_m = 0.7 }
[[require]]
not.in_area = { name = "b", area = "centre_circle" }
`)))(t)
	draws := 0
	for seed := range uint64(50) {
		w := must.Get(w.WithSeed(seed))(t)
		draws += w.Draws()
		a, b := w.Robots[0].Pose, w.Robots[1].Pose
		toA, toB, between := math.Hypot(a.X-w.Ball.X, a.Y-w.Ball.Y), math.Hypot(b.X-w.Ball.X, b.Y-w.Ball.Y),
			math.Hypot(a.X-b.X, a.Y-b.Y)
		if !(toA <= 1.5) || !(min(toA, toB, between) >= 0.7) || !(math.Hypot(b.X, b.Y) >= 2) {
			t.Errorf("seed %d: ball %.3f m from a, %.3f m from b; a %.3f m from b, which is at (%g, %g)", seed, toA,
				toB, between, b.X, b.Y)
		}
	}
	if draws < 100 {
		t.Errorf("50 worlds took %d draws: the requirements hardly ever refuse one", draws)
	}
}

// crammed is a world with room for all bodies, but nearly every draw of the whole world has bodies that overlap.
const crammed = minimal + `
[vars]
shared = { uniform = [-8, 8] }
[ball]
x_m = { uniform = [-9, 9] }
[[robot]]
for_each.n = { from = 1, to = 100, count = 100 }
name = "r{n}"
model = "nubot"
pose = { x_m = { uniform = [-9, 9] }, y_m = { uniform = [-6, 6] } }
[[robot]]
name = "shared"
model = "nubot"
pose = { x_m = "{shared}", y_m = -5 }
[[obstacle]]
name = "box"
pose = { x_m = "{shared}", y_m = { choice = [0, { uniform = [1, 5] }] }, heading_deg = { uniform = [0, 90] } }
`

// TestCrammedBodiesAreApart checks that a hundred robots find room. Before bodies were placed one after another, a
// thousand draws of the whole world were refused.
func TestCrammedBodiesAreApart(t *testing.T) {
	w := must.Get(Parse("w.toml", []byte(crammed)))(t)
	for seed := range uint64(3) {
		w, work, err := w.Draw(t.Context(), seed)
		must.Do(t, err)
		if w.Draws() <= crowdedAfter || work > MaxWork/10 {
			t.Errorf("seed %d: %d draws with work %d: want more than %d draws with little work", seed, w.Draws(), work,
				crowdedAfter)
		}
		box, reach := w.Obstacles[0], w.Robots[0].Body.Radius
		if shared := w.Robots[100].Pose.X; shared != box.Pose.X {
			t.Errorf("seed %d: a variable was drawn as %g and as %g", seed, shared, box.Pose.X)
		}
		for i, r := range w.Robots {
			for k, q := range w.Robots[:i] {
				if d := distance(r.Pose, q.Pose); !(d >= 2*reach) {
					t.Errorf("seed %d: robots %d and %d are %g m apart", seed, i, k, d)
				}
			}
			if d := distance(r.Pose, box.Pose); !(d >= reach+0.25) {
				t.Errorf("seed %d: robot %d is %g m from the box", seed, i, d)
			}
			if d := distance(r.Pose, Pose{X: w.Ball.X}); !(d >= reach) {
				t.Errorf("seed %d: robot %d is %g m from the ball", seed, i, d)
			}
		}
		sameWorld(t, must.Get(w.WithSeed(seed))(t), w)
	}
}

// TestSearchIsQuick checks that binding only the bodies accepts the same draws as binding the whole world.
func TestSearchIsQuick(t *testing.T) {
	for _, name := range []string{"random-scenes", "vision-training", "ball-search", "penalty"} {
		w := must.Get(Load(name))(t)
		again := 0
		for seed := range uint64(15) {
			d := drawing{sources: w.file.Context.(*sources).again(), filename: w.filename, seed: seed}
			d.file = d.sources.file(w.filename)
			d.bases = must.Get(d.includes(d.file, []string{w.filename}))(t)
			for d.bind(); d.judge() != nil; d.bind() {
				d.try++
			}
			again += int(d.try)
			if got := must.Get(w.WithSeed(seed))(t); got.Draws() != int(d.try)+1 {
				t.Errorf("%s with seed %d: draw %d is accepted, want %d", name, seed, got.Draws(), d.try+1)
			}
		}
		t.Logf("%s: %d draws were refused", name, again)
	}
}

// TestSearchIsBounded checks that the work of a search has a limit, whatever makes its draws expensive.
func TestSearchIsBounded(t *testing.T) {
	never := "[[require]]\nnear = { name = 'a', of = 'ball', within_m = 0.0001 }\n"
	robots := "[[robot]]\nfor_each = { x = { from = 1, to = 8, count = 8 }, y = { from = 1, to = 5, count = 5 } }\n" +
		"name = 'r{x}{y}'\nmodel = 'nubot'\npose = { x_m = '{x}', y_m = '{y}' }\n" +
		"body.mass_kg = { uniform = [20, 30] }\n"
	for name, text := range map[string]string{
		"requirements": crowd + strings.Repeat(never, 100), "robots": crowd + robots + never,
	} {
		s := newSources(nil)
		_, err := s.parseWorld("w.toml", []byte(text), nil, nil)
		must.Fail(t, err, "gives no valid draw in ", name)
		if s.work > MaxWork*3/2 {
			t.Errorf("%s: work %d: must not be much more than %d", name, s.work, MaxWork)
		}
		t.Logf("%s: work %d: %v", name, s.work, err)
	}
}

// The test itself measures what random-scenes requires, and that no bodies overlap.
func TestRandomScenes(t *testing.T) {
	w := must.Get(Load("random-scenes"))(t)
	const seeds = 80
	var x []float64
	for seed := range uint64(seeds) {
		w := must.Get(w.WithSeed(seed))(t)
		ball := Pose{X: w.Ball.X, Y: w.Ball.Y}
		cyan1 := w.Robots[0]
		if d := distance(cyan1.Pose, ball); !(d <= 4) {
			t.Errorf("seed %d: the ball is %g m from cyan1", seed, d)
		}
		for i, r := range w.Robots {
			if d := distance(r.Pose, ball); !(d >= 0.8) {
				t.Errorf("seed %d: the ball is %g m from %s", seed, d, r.Name)
			}
			for _, q := range w.Robots[:i] {
				if d := distance(r.Pose, q.Pose); !(d >= 0.8) {
					t.Errorf("seed %d: %s is %g m from %s", seed, r.Name, d, q.Name)
				}
			}
			if hidden := at(w, cyan1, ball, func(x, y, z float64) bool {
				return r.Name != "cyan1" && z <= r.Body.Height && math.Hypot(x-r.Pose.X, y-r.Pose.Y) <= r.Body.Radius
			}); hidden {
				t.Errorf("seed %d: %s hides the ball", seed, r.Name)
			}
			x = append(x, r.Pose.Y)
		}
		for _, o := range w.Obstacles {
			within := func(x, y, z float64) bool {
				sin, cos := math.Sincos(o.Pose.Spatial().Heading())
				dx, dy := x-o.Pose.X, y-o.Pose.Y
				return z <= o.Hull.Height && math.Abs(cos*dx+sin*dy) <= o.Hull.SizeX/2 &&
					math.Abs(-sin*dx+cos*dy) <= o.Hull.SizeY/2
			}
			if at(w, cyan1, ball, within) {
				t.Errorf("seed %d: %s hides the ball", seed, o.Name)
			}
			for _, r := range w.Robots {
				for step := range 360 { // the rim of the ball
					sin, cos := math.Sincos(float64(step) * math.Pi / 180)
					if within(r.Pose.X+(r.Body.Radius-1e-9)*cos, r.Pose.Y+(r.Body.Radius-1e-9)*sin, 0) {
						t.Fatalf("seed %d: %s stands in %s", seed, r.Name, o.Name)
					}
				}
			}
		}
	}
	slices.Sort(x)
	if !(x[0] < -4.5 && x[len(x)-1] > 4.5) {
		t.Errorf("robots stand between y = %g and %g: want most of the field", x[0], x[len(x)-1])
	}
}

func distance(p, q Pose) float64 { return math.Hypot(p.X-q.X, p.Y-q.Y) }

// at reports whether something is true anywhere on the line from the top of a robot to the ball's centre, in steps of a
// centimetre.
func at(w *World, r Robot, ball Pose, something func(x, y, z float64) bool) bool {
	n := int(distance(r.Pose, ball) / 0.01)
	for i := range n {
		s := float64(i) / float64(n)
		if something(r.Pose.X+s*(ball.X-r.Pose.X), r.Pose.Y+s*(ball.Y-r.Pose.Y),
			r.Body.Height+s*(w.Ball.Radius-r.Body.Height)) {
			return true
		}
	}
	return false
}

// An error in a single draw is an error of the seed, however many draws were refused before it.
func TestErrorsOfLaterDraws(t *testing.T) {
	const eye = "[[robot]]\nname = \"c\"\nmodel = \"mecanum\"\npose.x_m = 8\n[[robot.sensor]]\nname = \"eye\"\nkind " +
		"= { choice = [\"omni\", \"camera\"] }\nmirror = {}\n"
	fits, fails := 0, 0
	for seed := range uint64(60) {
		w, err := parse("w.toml", []byte(crowd+eye), &seed, nil)
		switch {
		case err != nil:
			fails++
		case w.Robots[2].Sensors[len(w.Robots[2].Sensors)-1].Kind != sensors.OmniKind:
			t.Errorf("seed %d: a camera with a mirror", seed)
		default:
			fits++
		}
	}
	if fits < 10 || fails < 10 {
		t.Errorf("%d seeds fit, %d do not: want some of both", fits, fails)
	}
}

// FuzzRandomWorlds looks for random values and requirements that panic, and for worlds that differ with the same seed.
func FuzzRandomWorlds(f *testing.F) {
	for _, text := range []string{
		"ball = { x_m = { uniform = [-1, 1] } }\n[[require]]\nnear = { name = 'ball', of = 'cyan1', within_m = 5 }",
		"[[obstacle]]\nfor_each.i = [1, 2]\nname = 'o{i}'\npose = { choice = [{ x_m = { normal = [1, 2] } }, { y_m = " +
			"3 }] }\n[[require]]\nnot.line_of_sight = { from = 'o1', to = 'ball' }",
		"vars.v = { choice = [1, { uniform = [2, 3] }], weights = [1, 2] }\nlight = { ambient = '{v}' " +
			"}\n[[robot]]\nname = 'cyan1'\nmodel = { choice = ['nubot', 'mecanum'] }",
		"field = { choice = ['msl-18x12', 'msl-22x14'] }\n[[event]]\nat_s = { uniform = [0, 1] }\nplace = { name = { " +
			"choice = ['ball', 'cyan1'] } }\n[[require]]\nany = [{ speed = { name = 'ball', under_m_s = 1 } }, { " +
			"apart = { names = ['ball', 'cyan1'], at_least_m = 1 } }]",
	} {
		f.Add([]byte("name = 'x'\ninclude = ['nubot-attack']\n"+text), uint64(1))
	}
	f.Fuzz(func(t *testing.T, data []byte, seed uint64) {
		w, err := Parse("fuzz.toml", data)
		if (w == nil) == (err == nil) {
			t.Fatalf("world %v with error %v", w, err)
		}
		if err != nil {
			return
		}
		one, oneErr := w.WithSeed(seed)
		two, twoErr := w.WithSeed(seed)
		if (oneErr == nil) != (twoErr == nil) || oneErr != nil && oneErr.Error() != twoErr.Error() {
			t.Fatalf("%v, then %v", oneErr, twoErr)
		}
		if oneErr == nil {
			sameWorld(t, two, one)
			if err := one.Validate(); err != nil {
				t.Errorf("drawn, but %v", err)
			}
		}
	})
}

// Concurrent runs each draw their own world.
func TestWorldsAreDrawnAtOnce(t *testing.T) {
	w := must.Get(Load("random-scenes"))(t)
	want := must.Get(w.WithSeed(5))(t)
	drawn := make([]*World, 8)
	var all sync.WaitGroup
	for i := range drawn {
		all.Go(func() { drawn[i], _ = w.WithSeed(uint64(5 + i%2)) })
	}
	all.Wait()
	for i := 0; i < len(drawn); i += 2 {
		sameWorld(t, drawn[i], want)
	}
}

// TestDrawEndsWithItsContext checks that a search for random values ends soon after its context.
func TestDrawEndsWithItsContext(t *testing.T) {
	w := must.Get(Parse("w.toml", []byte(crammed)))(t)
	_, whole, err := w.Draw(t.Context(), 7)
	must.Do(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, work, err := w.Draw(ctx, 7); err != context.Canceled || work > whole/2 {
		t.Errorf("got error %v after work %d, want %v after half of %d at most", err, work, context.Canceled, whole)
	}
}
