package window

import (
	"context"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/viewer"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// blank draws grey images: any other colour in the window is an overlay.
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

// newTestSim returns a simulation of testWorld whose images are grey.
func newTestSim(t testing.TB, opts omnipitch.Options) *omnipitch.Sim {
	t.Helper()
	opts.NewRenderer = blankRenderer
	return newSimOf(t, testWorld, opts)
}

func newSimOf(t testing.TB, text string, opts omnipitch.Options) *omnipitch.Sim {
	t.Helper()
	w, err := worlds.Parse("w.toml", []byte(text))
	must.Do(t, err)
	sim, err := omnipitch.New(w, opts)
	must.Do(t, err)
	t.Cleanup(sim.Close)
	return sim
}

// fixture is a screen on paper with a simulation that the test steps.
type fixture struct {
	*screen
	*paper
	t   testing.TB
	sim *omnipitch.Sim
}

func newFixture(t testing.TB, opts omnipitch.Options, replay *Replay) *fixture {
	t.Helper()
	st := fixtureOf(t, newTestSim(t, opts), replay)
	st.press("I") // no images
	st.frame()
	return st
}

// newMatch is a fixture of a match with ten robots, each with a laser.
func newMatch(t testing.TB, renderer func(*render.Scene) (render.Renderer, error)) *fixture {
	t.Helper()
	text := "name = \"match\"\ninclude = [\"scripted-match\"]\n"
	for _, team := range []string{"cyan", "magenta"} {
		for i := range 5 {
			text += fmt.Sprintf("[[robot]]\nname = \"%s%d\"\n[[robot.sensor]]\nname = \"laser\"\nkind = "+
				"\"laser\"\nprofile = \"sick-lms1xx\"\nmount = { z_m = 0.3 }\n", team, i+1)
		}
	}
	return fixtureOf(t, newSimOf(t, text, omnipitch.Options{NewRenderer: renderer}), nil)
}

func fixtureOf(t testing.TB, sim *omnipitch.Sim, replay *Replay) *fixture {
	t.Helper()
	p := &paper{width: 960, height: 720}
	s, err := newScreen(p, sim, replay)
	must.Do(t, err)
	t.Cleanup(s.close)
	return &fixture{s, p, t, sim}
}

// press presses and releases keys.
func (s *fixture) press(keys string) {
	for _, k := range keys {
		s.events = append(s.events, viewer.Event{Kind: viewer.Key, Key: k}, viewer.Event{Kind: viewer.Release, Key: k})
	}
}

// frame steps the simulation and draws a frame.
func (s *fixture) frame() *render.Image {
	s.t.Helper()
	s.handle(context.Background())
	must.Do(s.t, s.sim.Step())
	must.Do(s.t, s.draw())
	return s.image
}

// The window's camera by trigonometry: the camera is 16 m from the point 0.3 m above the field's centre, towards −y,
// 0.7 rad up. Images have 960 × 720 pixels and a horizontal field of view of 60°.
var (
	sin7, cos7 = math.Sincos(0.7)
	focal      = 480 / math.Tan(math.Pi/6)
	eye        = mgl64.Vec3{0, -16 * cos7, 0.3 + 16*sin7}
)

// seen returns the pixel position of a point.
func seen(p mgl64.Vec3) (x, y float64) {
	d := p.Sub(eye)
	depth := d[1]*cos7 - d[2]*sin7
	return 479.5 + focal*d[0]/depth, 359.5 - focal*(d[1]*sin7+d[2]*cos7)/depth
}

// pixel returns the colour at the pixel position of a point.
func pixel(im *render.Image, p mgl64.Vec3) (c [3]byte) {
	x, y := seen(p)
	u, v := int(math.Round(x)), int(math.Round(y))
	if u >= 0 && v >= 0 && u < im.Width && v < im.Height {
		copy(c[:], im.Pix[3*(v*im.Width+u):])
	}
	return c
}

// actor is a display whose user acts at given frames.
type actor struct {
	paper
	act func(frame int) []viewer.Event
	n   int
}

func (a *actor) Events() []viewer.Event {
	a.n++
	return a.act(a.n)
}

// A run ends when the window is closed, when its context ends, and with Q. Pausing in the window and pausing elsewhere
// have the same effect.
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
		a := &actor{paper: paper{width: 64, height: 48}}
		a.act = func(frame int) []viewer.Event { return how(a, frame, cancel) }
		report, err := run(ctx, a, newTestSim(t, omnipitch.Options{}), nil, omnipitch.Pace{Speed: timesync.RealTime})
		if cancel(); err != nil || report == nil {
			t.Errorf("%s: %v, %v", name, report, err)
		}
	}
	sim := newTestSim(t, omnipitch.Options{})
	a := &actor{paper: paper{width: 64, height: 48}}
	clock := sim.Clock()
	var paused []bool
	a.act = func(frame int) []viewer.Event {
		paused = append(paused, clock.Paused())
		switch frame {
		case 2:
			return key(' ')
		case 4:
			clock.Resume() // as the dashboard would
		case 6:
			return key(' ')
		case 8:
			return key(' ')
		case 10:
			return key('Q')
		}
		return nil
	}
	must.Get(run(t.Context(), a, sim, nil, omnipitch.Pace{Speed: timesync.RealTime}))(t)
	for i, want := range []bool{false, false, true, true, false, false, true, true, false, false} {
		if paused[i] != want {
			t.Errorf("paused in frame %d: %v, want %v; all: %v", i+1, paused[i], want, paused)
		}
	}
}

// Closing the window ends a replay that is seeking, which may take long.
func TestClosingEndsAReplayOnItsWay(t *testing.T) {
	way, stop := context.WithCancel(t.Context())
	defer stop()
	opts := omnipitch.Options{Replay: playing{func() error { <-way.Done(); return way.Err() }}}
	a := &actor{paper: paper{width: 64, height: 48}}
	a.act = func(frame int) []viewer.Event { a.closing = frame > 2; return nil }
	replay := &Replay{Stop: stop, Now: func() (none time.Duration) { return }}
	if report, err := run(t.Context(), a, newTestSim(t, opts), replay,
		omnipitch.Pace{Speed: timesync.RealTime}); report != nil || err != nil {
		t.Errorf("%v, %v", report, err)
	}
}

// Keys seek in a replay, within its range, one jump at a time. In another run they show an error.
func TestKeysSeek(t *testing.T) {
	begun, release := make(chan time.Duration), make(chan error)
	replay := &Replay{From: 2 * time.Second, To: 60 * time.Second,
		Now: func() time.Duration { return 55 * time.Second }, Seek: func(_ context.Context, to time.Duration) error {
			begun <- to
			return <-release
		}}
	s := newFixture(t, omnipitch.Options{}, replay)
	if s.status() != "55.00 of 60.00 s" {
		t.Errorf("the status line is %q", s.status())
	}
	for _, c := range []struct {
		keys string
		want time.Duration
	}{{string(viewer.PageDown), 60 * time.Second}, {string(viewer.PageUp), 45 * time.Second},
		{string(viewer.Home), 2 * time.Second}} {
		s.press(c.keys)
		s.frame()
		must.Equal(t, <-begun, c.want, "%q goes to", c.keys)
		s.press(c.keys) // during the first seek
		s.frame()
		release <- nil
		s.seeking.Wait()
	}
	s = newFixture(t, omnipitch.Options{}, nil)
	s.press(string(viewer.PageDown))
	s.frame()
	if s.said != errNoReplay.Error() {
		t.Errorf("says %q", s.said)
	}
}

// playing supplies no inputs, and accepts none from outside.
type playing struct{ beforeStep func() error }

func (playing) Next(int64, omnipitch.Moment) (*omnipitch.Input, error) { return nil, nil }
func (playing) Steps() int64                                           { return 0 }
func (playing) Over() bool                                             { return false }

func (p playing) BeforeStep() error {
	if p.beforeStep == nil {
		return nil
	}
	return p.beforeStep()
}

// Driving a robot in a replay is refused with a message in the window.
func TestARecordingIsNotChanged(t *testing.T) {
	s := newFixture(t, omnipitch.Options{Replay: playing{}}, &Replay{Now: func() (none time.Duration) { return }})
	s.press("T")
	s.events = append(s.events, viewer.Event{Kind: viewer.Key, Key: 'W'})
	s.frame()
	if s.said != omnipitch.ErrReplaying.Error() || s.saidFor == 0 {
		t.Errorf("says %q", s.said)
	}
}

func setSpeed(speed string) *action.SetSpeed { return &action.SetSpeed{Speed: speed} }

// The dashboard offers the same speeds.
func TestTheDashboardHasTheSameSpeeds(t *testing.T) {
	text, err := os.ReadFile("../dashboard/assets/time.js")
	must.Do(t, err)
	if want := "const speeds = ['" + strings.Join(speeds, "', '") + "']"; !strings.Contains(string(text), want) {
		t.Errorf("the dashboard lacks %s", want)
	}
}

func TestKeysChangeTheSpeed(t *testing.T) {
	s := newFixture(t, omnipitch.Options{}, nil)
	for _, c := range []struct{ keys, want string }{{"+", "2"}, {"++", "10"}, {"-", "5"}, {"---", "0.5"},
		{"----------", "0.1"}, {"++++++++++", "max"}} {
		if c.keys == "+" {
			must.Do(t, s.sim.Do(setSpeed("realtime")))
		}
		s.press(c.keys)
		s.frame()
		if got := s.sim.Clock().Factor().Speed.String(); got != c.want || s.said != "speed "+c.want {
			t.Errorf("%s: speed %s, says %q; want %s", c.keys, got, s.said, c.want)
		}
	}
	must.Do(t, s.sim.Do(setSpeed("3")))
	s.press("+")
	s.frame()
	if got := s.sim.Clock().Factor().Speed.String(); got != "3" {
		t.Errorf("a speed that no key selects becomes %s", got)
	}
}
