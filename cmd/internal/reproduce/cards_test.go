package reproduce

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision/locate"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
)

// small has omni images with a quarter of the pixels.
const small = "[[robot.sensor]]\nname = \"omni\"\nimage = { width_px = 320, height_px = 320 }\n"

// with returns the world of the colour cards in plain light, with more keys for the observer and for the observed
// robot.
func with(t *testing.T, observer, observed string) *worlds.World {
	t.Helper()
	w, err := worlds.Parse("cards.toml", []byte("name = \"cards\"\ninclude = [\"color-cards\"]\nlook = \"plain\"\n"+
		"[[robot]]\nname = \"cyan1\"\n"+observer+small+"[[robot]]\nname = \"cyan2\"\n"+observed+small))
	must.Do(t, err)
	return w
}

// TestCardsAreTheWorlds checks that a card of another height and size is measured, found and located without prior
// knowledge of the world. A world that lacks something must be refused with a sentence.
func TestCardsAreTheWorlds(t *testing.T) {
	pair, err := newCardPair(with(t, "", "team = \"magenta\"\nbody = { height_m = 0.72 }\n"), new(omnipitch.Cache))
	must.Do(t, err)
	if m := pair.measures; !(math.Abs(m.Height-0.9*0.421) < 1e-6 && math.Abs(m.Size-0.9*0.18) < 1e-6 &&
		math.Abs(m.Offset-0.1425) < 1e-6) {
		t.Errorf("measured %+v", m)
	}
	places, err := pair.visit(context.Background(), []pitch.Vec{{1, 0.5}, {2.5, -1}}, 2, func(float64) {})
	must.Do(t, err)
	for i := range places {
		a := &places[i]
		if a.found != 2 || !(a.byHeight < 0.05 && a.byBoth < 0.05 && a.byHimself < 0.02) || i == 1 &&
			!(a.tilted[2] > 3*a.byHeight) {
			t.Errorf("%+v", *a)
		}
	}
	trial := &Trial{}
	must.Do(t, trial.runCardDepth(t.Context(), pair, 1))
	if f := trial.Findings; len(f) != deepWays || !(f[deepByHeight].Value <= 4) || !(f[deepByDepth].Value == deepLast) {
		t.Errorf("reach of a Kinect %+v, want at most 4 m by height, and 8 m by depth", f)
	}
	for more, want := range map[string]string{
		"[[robot.sensor]]\nname = \"front\"\nlevel = \"objects\"\n":      `robot cyan1: sensor front: level = "objects": must be raw`,
		"[[robot.sensor]]\nname = \"front\"\nmount = { roll_deg = 3 }\n": "robot cyan1: sensor front: mount.roll_deg: must be 0",
	} {
		must.Refuse(newCardPair(with(t, more, ""), new(omnipitch.Cache)))(t, want)
	}
}

// TestWayBeginsAtSpeed checks that both robots are at the beginning of the stage, at full speed, when the run-up ends,
// and that they continue at that speed.
func TestWayBeginsAtSpeed(t *testing.T) {
	const runUp = time.Second
	for _, s := range cardStages {
		for i := range s.from {
			y, v := s.way(i, runUp, runUp)
			if y != s.from[i] || v != s.speed[i] {
				t.Errorf("%s: robot %d begins at %v m with %v m/s", s.name, i, y, v)
			}
			if _, v := s.way(i, 0, runUp); v != 0 {
				t.Errorf("%s: robot %d starts with %v m/s", s.name, i, v)
			}
			if y, _ := s.way(i, runUp+s.length(), runUp); i == observed && !(math.Abs(math.Abs(y)-cardReach) < 1e-9) {
				t.Errorf("%s: ends at %v m", s.name, y)
			}
			for at := 10 * time.Millisecond; at < 2*runUp; at += 10 * time.Millisecond { // the speed is the slope
				a, _ := s.way(i, at-time.Millisecond, runUp)
				b, _ := s.way(i, at+time.Millisecond, runUp)
				if _, v := s.way(i, at, runUp); !(math.Abs((b-a)/0.002-v) < 0.002*math.Abs(s.speed[i])) {
					t.Fatalf("%s: robot %d at %v: slope %v, speed %v", s.name, i, at, (b-a)/0.002, v)
				}
			}
		}
	}
}

// TestDelayIsWhatIsDriven has a robot approach the observer at 3 m/s. The observed position must lag by the distance
// that both drive during the delay, and be right for the time of the image.
func TestDelayIsWhatIsDriven(t *testing.T) {
	pair, err := newCardPair(with(t, "[[robot.sensor]]\nname = \"front\"\nlatency_ms = 60\nrate_hz = 10\n", ""),
		new(omnipitch.Cache))
	must.Do(t, err)
	shutter := *shutterOf(pair.front)
	shutter.Exposure, shutter.Readout, shutter.Samples = 0, 0, 1
	p, err := pair.drive(context.Background(), &cardStages[1], &shutter)
	must.Do(t, err)
	if !(math.Abs(p.relative-3) < 0.1) || p.images < 18 || len(p.sights) < 12 {
		t.Fatalf("relative speed %.2f m/s, %d of %d images show the card", p.relative, len(p.sights), p.images)
	}
	late := p.relative * 0.06
	if before, after := p.error(taken), p.error(delivered); !(before < 0.06) || !(math.Abs(after-late) < 0.06) {
		t.Errorf("errors %.3f and %.3f m, want less than 0.06 and about %.3f", before, after, late)
	}
	if !(p.error(across) < 0.06) {
		t.Errorf("across the line %.3f m", p.error(across))
	}
}

// TestEyesInterpolate checks that a position between two odometry readings lies between their positions.
func TestEyesInterpolate(t *testing.T) {
	e := eyes{live: []ownPose{{time.Second, locate.Pose{Pos: pitch.Vec{1, 2}, Heading: 3}},
		{2 * time.Second, locate.Pose{Pos: pitch.Vec{2, 4}, Heading: -3}}}}
	p, ok := e.at(1500 * time.Millisecond)
	if !ok || !(apart(p.Pos, pitch.Vec{1.5, 3}) < 1e-12) || !(math.Abs(pitch.Wrap(p.Heading-math.Pi)) < 1e-12) {
		t.Errorf("at %+v, %v", p, ok)
	}
	for _, stamp := range []time.Duration{999 * time.Millisecond, 2001 * time.Millisecond} {
		if _, ok := e.at(stamp); ok {
			t.Errorf("knows where it was at %v", stamp)
		}
	}
}

// verdicts returns the verdicts of the findings whose names contain the given texts.
func verdicts(t *testing.T, trial *Trial, names ...string) (all []Verdict) {
	t.Helper()
	for _, name := range names {
		i := slices.IndexFunc(trial.Findings, func(f Finding) bool { return strings.Contains(f.Name, name) })
		if i < 0 {
			t.Fatalf("no finding %q", name)
		}
		all = append(all, trial.Findings[i].Verdict)
	}
	return all
}

// TestVerdictsOnPlaces checks the verdicts on nine places against their errors. A robot that is not found has an
// infinite error.
func TestVerdictsOnPlaces(t *testing.T) {
	pair := &cardPair{measures: vision.NuBotCards, view: vision.NewPinholeView(&vision.Pinhole{Width: 1, Height: 1,
		FX: 1,
		FY: 1}, vision.PinholeMount{Height: 0.5})}
	names := []string{"images in which", "largest error by the card", "self-localisation", "far away over that nearby"}
	for name, c := range map[string]struct {
		error func(x float64) float64 // metres
		found float64                 // in the last place
		want  []Verdict
	}{
		"as the paper": {func(x float64) float64 { return 0.1 * x }, 5, []Verdict{Reproduced, Reproduced, Reproduced,
			Reproduced}},
		"far off": {func(x float64) float64 { return 0.3 * x }, 5, []Verdict{Reproduced, Differs, Reproduced,
			Reproduced}},
		"even": {func(x float64) float64 { return 0.02 }, 5, []Verdict{Reproduced, Reproduced, Reproduced, Differs}},
		"not found": {func(x float64) float64 { return 0.1 * x }, 0, []Verdict{Differs, Differs, Reproduced,
			Reproduced}},
	} {
		places := make([]cardPlace, len(cardTable))
		for i, at := range cardTable {
			places[i] = cardPlace{truth: at, images: 5, found: 5, selfFound: 5, byHeight: 5 * c.error(at[0]),
				byHimself: 0.1, tilted: make([]float64, len(cardTilts))}
			if i == len(cardTable)-1 {
				places[i].found = c.found
			}
			places[i].mean()
		}
		trial := &Trial{}
		reportCardPlaces(trial, pair, places)
		must.Equal(t, verdicts(t, trial, names...), c.want, "%s", name)
	}
}

// TestVerdictsOnSpeeds checks how the cause of an error is found by removing one influence at a time: here the delay,
// or motion blur.
func TestVerdictsOnSpeeds(t *testing.T) {
	pair := &cardPair{front: &sensors.Config{Latency: 60 * time.Millisecond}}
	seen := func(then, late float64) *cardDrive { // errors along the line, m
		return &cardDrive{images: 2, relative: 3, last: -1.2,
			sights: []cardSight{{seen: pitch.Vec{1, then}, truth: pitch.Vec{1, 0}, late: pitch.Vec{1, late},
				truthLate: pitch.Vec{1, 0}}}}
	}
	for want, passes := range map[string][][len(cardStages)]*cardDrive{
		"delay": {{seen(0.02, 0.05), seen(0.03, 0.2)}, {seen(0.02, 0.05), seen(0.03, 0.19)},
			{seen(0.02, 0.05), seen(0.03, 0.19)}, {seen(0.01, 0.05), seen(0.01, 0.2)}},
		"motion blur": {{seen(0.02, 0.05), seen(0.2, 0.25)}, {seen(0.02, 0.05), seen(0.03, 0.06)},
			{seen(0.02, 0.05), seen(0.2, 0.25)}, {seen(0.01, 0.05), seen(0.01, 0.06)}},
	} {
		trial := &Trial{}
		reportCardSpeeds(trial, pair, passes)
		if got := verdicts(t, trial, "same direction: error when", "over that in the same direction",
			"seen last"); !slices.Equal(got, []Verdict{Reproduced, Reproduced, Reproduced}) {
			t.Errorf("%s: %v", want, got)
		}
		if text := strings.Join(trial.Notes, "\n"); !strings.Contains(text, "relative speed because of "+want+":") {
			t.Errorf("want %s to blame: %s", want, text)
		}
		if share := trial.Findings[slices.IndexFunc(trial.Findings,
			func(f Finding) bool { return strings.Contains(f.Name, "images in which") })]; share.Value != 50 {
			t.Errorf("found in %+v", share)
		}
	}
}
