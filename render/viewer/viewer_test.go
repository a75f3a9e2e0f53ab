package viewer

import (
	"bytes"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/testdata/must"
)

func start() *Viewer {
	return New([]Target{{"cyan1", 1}, {"ball", 2}}, []string{"cyan1.omni", "cyan1.front"},
		[]string{"cyan1", "magenta1"})
}

func press(v *Viewer, keys string) {
	for _, k := range keys {
		v.Handle(Event{Kind: Key, Key: k})
	}
}

var poses = []spatial.Pose{spatial.Identity(), spatial.Planar(3, -2, 1), spatial.Translation(mgl64.Vec3{-4, 1, 0})}

// middle returns the floor point in the middle of the window.
func middle(t *testing.T, v *Viewer) mgl64.Vec3 {
	t.Helper()
	m, pose := v.Camera(801, 601, poses)
	d, _ := m.Unproject(400, 300)
	w := pose.Rotate(d)
	if !(w[2] < 0) {
		t.Fatalf("the eye looks up: %v", w)
	}
	return pose.Pos.Add(w.Mul((0.3 - pose.Pos[2]) / w[2])) // at the height of the focus
}

func near(p mgl64.Vec3, x, y float64) bool { return math.Hypot(p[0]-x, p[1]-y) < 1e-6 }

func TestTheEyeFollows(t *testing.T) {
	v := start()
	if p := middle(t, v); !near(p, 0, 0) {
		t.Errorf("looks at %v at the start, want the middle", p)
	}
	press(v, "F")
	if p := middle(t, v); !near(p, 3, -2) {
		t.Errorf("looks at %v, want cyan1", p)
	}
	press(v, "F")
	if p := middle(t, v); !near(p, -4, 1) {
		t.Errorf("looks at %v, want the ball", p)
	}
	press(v, "F")
	if p := middle(t, v); !near(p, 0, 0) {
		t.Errorf("looks at %v after the last target, want the middle", p)
	}
}

func TestOrbitPanAndScroll(t *testing.T) {
	v := start()
	_, before := v.Camera(800, 600, poses)
	v.Handle(Event{Kind: Scroll, Y: 3})
	_, after := v.Camera(800, 600, poses)
	if !(after.Pos.Len() < before.Pos.Len()) {
		t.Error("scrolling away from the hand does not come nearer")
	}
	for range 100 {
		v.Handle(Event{Kind: Orbit, X: 7, Y: -50})
		if _, p := v.Camera(800, 600, poses); !(p.Pos[2] >= 0.3) || !near(middle(t, v), 0, 0) {
			t.Fatalf("orbiting leads to %v", p.Pos)
		}
	}
	// Dragging moves the scene along with the mouse: the floor point in the middle then comes from the other side.
	v = start()
	v.Handle(Event{Kind: Pan, X: 50})
	if p := middle(t, v); !(p[0] < 0) || !(math.Abs(p[1]) <= 1e-9) { // seen from −y, x is to the right
		t.Errorf("dragging to the right looks at %v, want left of the middle", p)
	}
	v = start()
	v.Handle(Event{Kind: Pan, Y: 50})
	if p := middle(t, v); !(p[1] > 0) {
		t.Errorf("dragging down looks at %v, want beyond the middle", p)
	}
}

func TestKeys(t *testing.T) {
	v := start()
	press(v, "N")
	if v.TakeSteps() != 0 {
		t.Error("steps while running")
	}
	press(v, " NN")
	if !v.Paused() || v.TakeSteps() != 2 || v.TakeSteps() != 0 {
		t.Error("two single steps while paused are not two")
	}
	var seen []string
	for range 3 {
		press(v, "C")
		name, _ := v.Through()
		seen = append(seen, name)
	}
	if seen[0] != "cyan1.omni" || seen[1] != "cyan1.front" || seen[2] != "" {
		t.Errorf("looks through %q", seen)
	}
	press(v, "IQ")
	if v.Insets() || !v.Closing() {
		t.Error("I or Q does nothing")
	}
}

func TestKeysDriveARobot(t *testing.T) {
	v := start()
	press(v, "WE")
	if s := v.Steering(); s != (Steering{}) {
		t.Errorf("%+v before a robot is chosen", s)
	}
	release := func(keys string) {
		for _, k := range keys {
			v.Handle(Event{Kind: Release, Key: k})
		}
	}
	release("WE")
	press(v, "TTTTT") // one key that is held down
	for _, c := range []struct {
		press, release string
		want           Steering
	}{
		{"", "T", Steering{Robot: "cyan1"}},
		{"W", "", Steering{Robot: "cyan1", Forward: 1}},
		{"↑A←⇧", "W", Steering{Robot: "cyan1", Forward: 1, Left: 1, Turn: 1, Fast: true}},
		{"S", "", Steering{Robot: "cyan1", Left: 1, Turn: 1, Fast: true}}, // opposite keys
		{"D→EEE", "↑SA←⇧", Steering{Robot: "cyan1", Left: -1, Turn: -1, Dribble: true}},
		{"E", "D→", Steering{Robot: "cyan1", Dribble: true}},
		{"", "E", Steering{Robot: "cyan1", Dribble: true}},
		{"E↓", "E", Steering{Robot: "cyan1", Forward: -1}},
		{"ET", "ET", Steering{Robot: "magenta1", Forward: -1}},
		{"T", "T↓", Steering{}},
	} {
		press(v, c.press)
		release(c.release)
		must.Equal(t, v.Steering(), c.want, "after pressing %q and releasing %q", c.press, c.release)
	}
}

func TestHelpAndInsetsAreWritten(t *testing.T) {
	blank := func() *render.Image {
		im := render.NewImage(640, 480)
		for i := range im.Pix {
			im.Pix[i] = 100
		}
		return im
	}
	red := render.NewImage(64, 48)
	for i := 0; i < len(red.Pix); i += 3 {
		red.Pix[i] = 255
	}
	v := start()
	plain := blank()
	v.Write(plain, []Inset{{"cyan1.omni", red}}, "1.0 s", "")
	if p := plain.Pix[3*(465*640+100):]; p[0] < 200 || p[1] > 50 {
		t.Errorf("no inset: %v", p[:3])
	}
	press(v, "HI")
	helped := blank()
	v.Write(helped, []Inset{{"cyan1.omni", red}}, "1.0 s", "")
	if bytes.Equal(plain.Pix[:3*640*200], helped.Pix[:3*640*200]) {
		t.Error("no help")
	}
	if p := helped.Pix[3*(465*640+100):]; p[0] != 100 {
		t.Errorf("an inset in spite of I: %v", p[:3])
	}
}

func TestFitKeepsTheShape(t *testing.T) {
	white := render.NewImage(100, 100)
	for i := range white.Pix {
		white.Pix[i] = 255
	}
	into := render.NewImage(300, 200)
	Fit(into, white)
	lit := 0
	for i := 0; i < len(into.Pix); i += 3 {
		if into.Pix[i] > 128 {
			lit++
		}
	}
	if lit != 200*200 {
		t.Errorf("%d pixels are white, want 200 × 200", lit)
	}
}

// docs/window.md lists the inputs of the window's help in the same words.
func TestTheDocumentationHasTheHelp(t *testing.T) {
	text := must.Get(os.ReadFile("../../docs/window.md"))(t)
	var rows []HelpLine
	for _, line := range strings.Split(string(text), "\n") {
		if cells := strings.Split(line, "|"); len(cells) == 4 {
			rows = append(rows, HelpLine{strings.Trim(cells[1], " `"), strings.Trim(cells[2], " ")})
		}
	}
	for _, h := range Help() {
		if !slices.Contains(rows, h) {
			t.Errorf("docs/window.md has no row | %s | %s |", h.Input, h.Does)
		}
	}
}

// The help names every key that does something.
func TestTheHelpNamesEveryKey(t *testing.T) {
	var all strings.Builder
	for _, h := range Help() {
		all.WriteString(h.Input + " ")
	}
	words := strings.FieldsFunc(all.String(), func(r rune) bool { return r == ' ' || r == ',' })
	for k := 'A'; k <= 'Z'; k++ {
		v, untouched := start(), start()
		press(v, "T ")
		press(untouched, "T ")
		press(v, string(k))
		does := v.paused != untouched.paused || v.steps != 0 || v.overlays != untouched.overlays ||
			v.insets != untouched.insets || v.help != untouched.help || v.through != untouched.through ||
			v.followed != untouched.followed || v.driven != untouched.driven || v.dribble || v.closing ||
			v.Steering() != untouched.Steering() || k == 'R' || k == 'T' && v.held['T']
		if named := slices.Contains(words, string(k)); does != named {
			t.Errorf("%c does something: %v; the help names it: %v", k, does, named)
		}
	}
	for _, h := range Help() {
		foreign := strings.ContainsFunc(h.Input+h.Does, func(r rune) bool { return r > unicode.MaxASCII })
		if foreign || 7*len(h.Does) > 640-150-8 {
			t.Errorf("%q: the font lacks a letter, or the line is too long for its box", h)
		}
	}
}

func TestOverlaysAndReplayKeys(t *testing.T) {
	v := start()
	press(v, "LXBVP")
	for o := range Overlays {
		if !v.Shows(o) {
			t.Errorf("overlay %d is not shown", o)
		}
	}
	press(v, "L") // is still held down
	if !v.Shows(Labels) {
		t.Error("a key that is held down switches again")
	}
	v.Handle(Event{Kind: Release, Key: 'L'})
	press(v, "L")
	if v.Shows(Labels) {
		t.Error("labels are still shown")
	}
	press(v, "++-"+string(PageDown)+string(PageDown)+string(PageUp)+string(PageDown)+string(Home))
	if n := v.TakeFaster(); n != 1 || v.TakeFaster() != 0 {
		t.Errorf("%d steps faster, want 1, once", n)
	}
	by, beginning := v.TakeSeek()
	if by != 2*seekBy || !beginning {
		t.Errorf("seek by %v, to the beginning %v; want 20 s and true", by, beginning)
	}
	if by, beginning = v.TakeSeek(); by != 0 || beginning {
		t.Error("one key is not one jump")
	}
	press(v, " .N")
	if v.TakeSteps() != 2 {
		t.Error(". and N are not two steps")
	}
	v.SetPaused(false)
	if v.Paused() {
		t.Error("still paused")
	}
}
