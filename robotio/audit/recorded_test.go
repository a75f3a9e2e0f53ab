package audit

import (
	"context"
	"flag"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/robotio/recorder"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
	"github.com/omnipitch/omnipitch/worlds/game"
	"github.com/omnipitch/omnipitch/worlds/referee"
)

var (
	matches = flag.Uint64("audit.matches", 2, "how many matches are played")
	length  = flag.Duration("audit.for", 60*time.Second, "how long each is")
	engine  = flag.String("audit.engine", "planar", "by which engine")
)

// cache is shared by all runs of the tests.
var cache omnipitch.Cache

// record records a run of a world, with exact states unless config says otherwise.
func record(t testing.TB, world *worlds.World, length time.Duration, cfg recorder.Config) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "run.mcap")
	rec, err := recorder.New(path, world, cfg)
	if err != nil {
		t.Fatal(err)
	}
	opts := omnipitch.Options{NoWorker: true, Cache: &cache}
	rec.Hook(&opts)
	sim, err := omnipitch.New(world, opts)
	if err != nil {
		t.Fatal(err)
	}
	defer sim.Close()
	rec.Follow(sim)
	if _, err := sim.Run(t.Context(), omnipitch.Pace{Speed: timesync.Max, For: length}); err != nil {
		t.Fatal(err)
	}
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// Matches of scripted players are judged alike: none of the decisions is wrong, and none is missing.
func TestMatches(t *testing.T) {
	match, err := worlds.Load("scripted-match")
	if err != nil {
		t.Fatal(err)
	}
	decisions := 0
	for seed := range *matches {
		w, err := match.WithSeed(seed + 1)
		if err != nil {
			t.Fatal(err)
		}
		w.Physics.Engine = *engine
		r, err := File(t.Context(), record(t, w, *length, recorder.Config{Exact: true}))
		if err != nil {
			t.Fatal(err)
		}
		decisions += r.Decisions
		t.Logf("seed %d: %d steps, %d decisions, agreed %v, %d commands of restarts", seed+1, r.Steps, r.Decisions,
			r.Agreed, r.Restarts)
		for _, f := range r.Findings {
			t.Errorf("seed %d: %v", seed+1, f)
		}
		if r.Time != *length {
			t.Errorf("seed %d: %v were judged", seed+1, r.Time)
		}
	}
	if decisions < int(*matches) {
		t.Errorf("only %d decisions", decisions)
	}
}

// So are the situations of each rule.
func TestSituations(t *testing.T) {
	files, err := filepath.Glob("../../testdata/referee/*-*.toml")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".toml")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, err := worlds.Load(file)
			if err != nil {
				t.Fatal(err)
			}
			r, err := File(t.Context(), record(t, w, w.Test.For, recorder.Config{Exact: true}))
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range r.Findings {
				t.Error(f)
			}
			if rule, _, _ := strings.Cut(name, "-"); r.Agreed[rule] == 0 && slices.Contains(referee.RuleNames(), rule) {
				t.Errorf("%s was not decided: %v", rule, r.Agreed)
			}
		})
	}
}

// What somebody else commands is no fault of the referee; where a world begins again by itself, its games are judged
// each.
func TestOthersCommand(t *testing.T) {
	w, err := worlds.Parse("commanded.toml", []byte(`
name = "commanded"
referee = "auto"
rules = { kickoff = "none", stuck_s = 2, take_s = 1, stop_s = 0.5, place_min_s = 0.5, half_s = 100 }
[physics]
engine = "planar"
[[robot]]
for_each = [{ team = "cyan", x = -4 }, { team = "magenta", x = 4 }]
name = "{team}"
model = "nubot"
team = "{team}"
pose = { x_m = "{x}" }
[[event]]
at_s = 1
game_command = { command = "corner", team = "cyan" }
[[event]]
at_s = 1.5
game_command = { command = "start" }
[[event]]
at_s = 8
reset = {}
`))
	if err != nil {
		t.Fatal(err)
	}
	r, err := File(t.Context(), record(t, w, 12*time.Second, recorder.Config{Exact: true}))
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Findings) > 0 || r.Commands != 4 || r.Agreed["lapse"] == 0 || r.Agreed["stuck_ball"] == 0 {
		t.Errorf("%+v", r)
	}
}

// While somebody else commands the game no robot is looked at: its time begins anew when it is played.
func TestOthersCommandWhileStuck(t *testing.T) {
	w, err := worlds.Load("../../testdata/referee/stuck_robot-at-the-boards.toml")
	if err != nil {
		t.Fatal(err)
	}
	w.Rules.StuckRobotFor = time.Second
	for at, c := range map[time.Duration]game.Command{2 * time.Second: game.DropBall, 5 * time.Second: game.Start} {
		w.Events = append(w.Events, worlds.Event{At: at, Choice: action.Choice{GameCommand: &action.GameCommand{Command: c}}})
	}
	w.Expect = nil
	r, err := File(t.Context(), record(t, w, 8*time.Second, recorder.Config{Exact: true}))
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Findings) > 0 || r.Commands != 2 || r.Agreed["stuck_robot"] != 1 {
		t.Errorf("%+v", r)
	}
}

// What cannot be judged is refused.
func TestRefused(t *testing.T) {
	short := func(change func(*worlds.World), cfg recorder.Config) string {
		w, err := worlds.Load("../../testdata/referee/goal-shot.toml")
		if err != nil {
			t.Fatal(err)
		}
		change(w)
		return record(t, w, 100*time.Millisecond, cfg)
	}
	done, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		name, path string
		ctx        context.Context
		want       string
	}{
		{"no exact states", short(func(*worlds.World) {}, recorder.Config{}), t.Context(), "--record-exact"},
		{"switched off at the beginning", short(func(*worlds.World) {}, recorder.Config{Exact: true, Off: true}), t.Context(), "--record-exact"},
		{"no referee", short(func(w *worlds.World) { w.Referee = worlds.RefereeOff; w.Expect = nil }, recorder.Config{Exact: true}), t.Context(), `referee = "off"`},
		{"no file", "none.mcap", t.Context(), "none.mcap"},
		{"interrupted", short(func(*worlds.World) {}, recorder.Config{Exact: true}), done, "canceled"},
	} {
		if _, err := File(c.ctx, c.path); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
