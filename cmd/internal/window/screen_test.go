package window

import (
	"context"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/viewer"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
)

// blank draws grey images: what is not grey in the window, the window has drawn.
type blank struct{}

const grey = 100

func (blank) Render(b *render.Batch) error {
	for i := range b.Views {
		if im := b.Views[i].Color; im != nil {
			for k := range im.Pix {
				im.Pix[k] = grey
			}
		}
	}
	return nil
}

func (blank) Close() {}

const testWorld = `
name = "w"

[physics]
engine = "planar"

[ball]
x_m = -2
y_m = -1

[[robot]]
name = "cyan1"
model = "nubot"
number = 2
pose = { x_m = 1, y_m = 0.5, heading_deg = 30 }
sensor = [
  { name = "omni", level = "truth" },
  { name = "front", level = "truth" },
  { name = "laser", kind = "laser", profile = "sick-lms1xx", laser = { resolution_deg = 5 }, level = "ideal", mount = { x_m = 0.1, z_m = 0.3 } },
]

[[robot]]
name = "magenta1"
model = "nubot"
team = "magenta"
number = 3
pose = { x_m = 4, y_m = 3, heading_deg = 180 }
sensor = [{ name = "omni", level = "truth" }, { name = "front", level = "truth" }]
player = { patrol = { way_points = [{ x_m = 2, y_m = 3 }, { x_m = 3, y_m = -2 }] } }

[[obstacle]]
name = "crate"
pose = { x_m = -3, y_m = 1, heading_deg = 20 }
`

func blankRenderer(*render.Scene) (render.Renderer, error) { return blank{}, nil }

// newTestSim makes a simulation of the test's world, drawn in grey.
func newTestSim(t testing.TB, opts omnipitch.Options) *omnipitch.Sim {
	t.Helper()
	opts.NewRenderer = blankRenderer
	return newSimOf(t, testWorld, opts)
}

func newSimOf(t testing.TB, text string, opts omnipitch.Options) *omnipitch.Sim {
	t.Helper()
	w, err := worlds.Parse("w.toml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	sim, err := omnipitch.New(w, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(sim.Close)
	return sim
}

// stage is a screen on paper, of a simulation that the test steps.
type stage struct {
	*screen
	*paper
	t   testing.TB
	sim *omnipitch.Sim
}

func newStage(t testing.TB, opts omnipitch.Options, replay *Replay) *stage {
	t.Helper()
	st := stageOf(t, newTestSim(t, opts), replay)
	st.press("I") // no images
	st.frame()
	return st
}

// newMatch is a stage of a match with ten robots, each with a laser scanner.
func newMatch(t testing.TB, renderer func(*render.Scene) (render.Renderer, error)) *stage {
	t.Helper()
	text := "name = \"match\"\ninclude = [\"scripted-match\"]\n"
	for _, team := range []string{"cyan", "magenta"} {
		for i := range 5 {
			text += fmt.Sprintf("[[robot]]\nname = \"%s%d\"\n[[robot.sensor]]\nname = \"laser\"\nkind = "+
				"\"laser\"\nprofile = \"sick-lms1xx\"\nmount = { z_m = 0.3 }\n", team, i+1)
		}
	}
	return stageOf(t, newSimOf(t, text, omnipitch.Options{NewRenderer: renderer}), nil)
}

func stageOf(t testing.TB, sim *omnipitch.Sim, replay *Replay) *stage {
	t.Helper()
	p := &paper{width: 960, height: 720, gamepad: viewer.NoGamepad}
	s, err := newScreen(p, sim, replay)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.close)
	return &stage{s, p, t, sim}
}

// press presses and releases keys.
func (s *stage) press(keys string) {
	for _, k := range keys {
		s.events = append(s.events, viewer.Event{Kind: viewer.Key, Key: k}, viewer.Event{Kind: viewer.Release, Key: k})
	}
}

// frame has the window show a frame, and the simulation take a step before that.
func (s *stage) frame() *render.Image {
	s.t.Helper()
	s.handle(context.Background())
	if err := s.sim.Step(); err != nil {
		s.t.Fatal(err)
	}
	if err := s.draw(); err != nil {
		s.t.Fatal(err)
	}
	return s.image
}

// drag drags with the left button from a position to another.
func (s *stage) drag(x0, y0, x1, y1 float64, shift bool) {
	s.events = append(s.events, viewer.Event{Kind: viewer.Press, X: x0, Y: y0, Shift: shift},
		viewer.Event{Kind: viewer.Orbit, X: x1 - x0, Y: y1 - y0, AtX: x1, AtY: y1}, viewer.Event{Kind: viewer.Lift})
}

// The window's camera by trigonometry: an eye 16 m from the point 0.3 m above the middle of the field, towards −y, 0.7
// rad up, with images 960 × 720 pixels large that are 60° wide.
var (
	sin7, cos7 = math.Sincos(0.7)
	focal      = 480 / math.Tan(math.Pi/6)
	eye        = mgl64.Vec3{0, -16 * cos7, 0.3 + 16*sin7}
)

// seen returns where a point is seen.
func seen(p mgl64.Vec3) (x, y float64) {
	d := p.Sub(eye)
	depth := d[1]*cos7 - d[2]*sin7
	return 479.5 + focal*d[0]/depth, 359.5 - focal*(d[1]*sin7+d[2]*cos7)/depth
}

// ray returns the direction that a pixel looks along.
func ray(x, y float64) mgl64.Vec3 {
	right, down := (x-479.5)/focal, (y-359.5)/focal
	return mgl64.Vec3{right, cos7 - down*sin7, -sin7 - down*cos7}.Normalize()
}

// pixel returns the colour at the pixel where a point is seen.
func pixel(im *render.Image, p mgl64.Vec3) (c [3]byte) {
	x, y := seen(p)
	u, v := int(math.Round(x)), int(math.Round(y))
	if u >= 0 && v >= 0 && u < im.Width && v < im.Height {
		copy(c[:], im.Pix[3*(v*im.Width+u):])
	}
	return c
}

// actor is a display whose user acts by frames.
type actor struct {
	paper
	act func(frame int) []viewer.Event
	n   int
}

func (a *actor) Events() []viewer.Event {
	a.n++
	return a.act(a.n)
}

// A run ends when the window is closed, when its context ends, and by Q; the user's pauses and others' are the same; a
// run that is none of a recording says so.
func TestTheWindowEndsTheRun(t *testing.T) {
	key := func(k rune) []viewer.Event {
		return []viewer.Event{{Kind: viewer.Key, Key: k}, {Kind: viewer.Release, Key: k}}
	}
	for name, how := range map[string]func(a *actor, frame int, cancel func()) []viewer.Event{
		"closed": func(a *actor, frame int, _ func()) []viewer.Event { a.closing = frame > 2; return nil },
		"ctrl-c": func(_ *actor, frame int, cancel func()) []viewer.Event {
			if frame == 3 {
				cancel()
			}
			return nil
		},
		"Q": func(_ *actor, frame int, _ func()) []viewer.Event { return key('Q') },
	} {
		ctx, cancel := context.WithCancel(t.Context())
		a := &actor{paper: paper{width: 64, height: 48, gamepad: viewer.NoGamepad}}
		a.act = func(frame int) []viewer.Event { return how(a, frame, cancel) }
		report, err := run(ctx, a, newTestSim(t, omnipitch.Options{}), nil, omnipitch.Pace{Speed: timesync.RealTime})
		if cancel(); err != nil || report == nil {
			t.Errorf("%s: %v, %v", name, report, err)
		}
	}
	sim := newTestSim(t, omnipitch.Options{})
	a := &actor{paper: paper{width: 64, height: 48, gamepad: viewer.NoGamepad}}
	clock := sim.Clock()
	var paused []bool
	a.act = func(frame int) []viewer.Event {
		paused = append(paused, clock.Paused())
		switch frame {
		case 2:
			return key(' ')
		case 4:
			clock.Resume() // the dashboard does
		case 6:
			return key(' ')
		case 8:
			return key(' ')
		case 10:
			return key('Q')
		}
		return nil
	}
	if _, err := run(t.Context(), a, sim, nil, omnipitch.Pace{Speed: timesync.RealTime}); err != nil {
		t.Fatal(err)
	}
	for i, want := range []bool{false, false, true, true, false, false, true, true, false, false} {
		if paused[i] != want {
			t.Errorf("paused in frame %d: %v, want %v; all: %v", i+1, paused[i], want, paused)
		}
	}
}

// Closing the window ends a replay that is on its way elsewhere, which may take long.
func TestClosingEndsAReplayOnItsWay(t *testing.T) {
	way, stop := context.WithCancel(t.Context())
	defer stop()
	opts := omnipitch.Options{Between: func() error { <-way.Done(); return way.Err() }}
	a := &actor{paper: paper{width: 64, height: 48, gamepad: viewer.NoGamepad}}
	a.act = func(frame int) []viewer.Event { a.closing = frame > 2; return nil }
	replay := &Replay{Stop: stop, Now: func() (none time.Duration) { return }}
	if report, err := run(t.Context(), a, newTestSim(t, opts), replay,
		omnipitch.Pace{Speed: timesync.RealTime}); report != nil || err != nil {
		t.Errorf("%v, %v", report, err)
	}
}

// Keys take a replay elsewhere, within what it has, one jump at a time; another run says that it cannot.
func TestKeysSeek(t *testing.T) {
	begun, release := make(chan time.Duration), make(chan error)
	replay := &Replay{From: 2 * time.Second, To: 60 * time.Second,
		Now: func() time.Duration { return 55 * time.Second }, Seek: func(_ context.Context, to time.Duration) error {
			begun <- to
			return <-release
		}}
	s := newStage(t, omnipitch.Options{}, replay)
	if s.status() != "55.00 of 60.00 s" {
		t.Errorf("the status is %q", s.status())
	}
	for _, c := range []struct {
		keys string
		want time.Duration
	}{{string(viewer.PageDown), 60 * time.Second}, {string(viewer.PageUp), 45 * time.Second},
		{string(viewer.Home), 2 * time.Second}} {
		s.press(c.keys)
		s.frame()
		if got := <-begun; got != c.want {
			t.Errorf("%q goes to %v, want %v", c.keys, got, c.want)
		}
		s.press(c.keys) // while it is under way
		s.frame()
		release <- nil
		s.seeking.Wait()
	}
	s = newStage(t, omnipitch.Options{}, nil)
	s.press(string(viewer.PageDown))
	s.frame()
	if s.said != errNoReplay.Error() {
		t.Errorf("says %q", s.said)
	}
}

func TestKeysChangeTheSpeed(t *testing.T) {
	s := newStage(t, omnipitch.Options{}, nil)
	for _, c := range []struct{ keys, want string }{{"+", "2"}, {"++", "10"}, {"-", "5"}, {"---", "0.5"},
		{"----------", "0.1"}, {"++++++++++", "max"}} {
		if c.keys == "+" {
			if err := s.sim.Do(setSpeed("realtime")); err != nil {
				t.Fatal(err)
			}
		}
		s.press(c.keys)
		s.frame()
		if got := s.sim.Factor().Speed.String(); got != c.want || s.said != "speed "+c.want {
			t.Errorf("%s: speed %s, says %q; want %s", c.keys, got, s.said, c.want)
		}
	}
	if err := s.sim.Do(setSpeed("3")); err != nil {
		t.Fatal(err)
	}
	s.press("+")
	s.frame()
	if got := s.sim.Factor().Speed.String(); got != "3" {
		t.Errorf("a speed that no key chooses becomes %s", got)
	}
}
