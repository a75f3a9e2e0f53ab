package dashboard

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
	"github.com/omnipitch/omnipitch/worlds/area"
	"github.com/omnipitch/omnipitch/worlds/condition"
	"github.com/omnipitch/omnipitch/worlds/expectation"
)

// judged returns the small world with a referee who starts the game at once, events, one of them in every step, and
// expectations.
func judged(t testing.TB) *worlds.World {
	w := small(t)
	w.Referee, w.Rules.KickOff = worlds.RefereeAuto, "none"
	w.Areas = []area.Area{{Name: "corner", Rectangle: &area.Rectangle{X: [2]float64{-9, -7}, Y: [2]float64{-6, -4}}}}
	w.Events = []worlds.Event{
		{Name: "dawn", Choice: action.Choice{SetBallHandling: &action.SetBallHandling{Robot: w.Robots[0].Name,
			Enable: true}}},
		{Name: "always", Every: w.Time.Step},
	}
	w.Expect = []expectation.Expectation{
		{Name: "scores", Eventually: &condition.Choice{Score: &condition.Score{Team: "cyan", AtLeast: new(1)}}},
		{Name: "leaves",
			Never: &condition.Choice{Any: condition.Any{{InArea: &condition.InArea{Name: "ball", Area: "corner"}},
				{InArea: &condition.InArea{Name: "ball", Area: "magenta_goal"}}}}},
		{Name: "waits", Eventually: &condition.Choice{BallHeld: &condition.BallHeld{}}, From: time.Minute},
	}
	must.Do(t, w.Validate())
	return w
}

// logged waits for an entry of a kind that contains a text.
func (s *served) logged(k kind, text string) (found entryJSON) {
	s.t.Helper()
	until(s.t, fmt.Sprintf("%s %q in the log", k, text), func() bool {
		list := get[logJSON](s, "/api/log?kind="+string(k)).Entries
		i := slices.IndexFunc(list, func(e entryJSON) bool { return strings.Contains(e.Text, text) })
		if i >= 0 {
			found = list[i]
		}
		return i >= 0
	})
	return found
}

// TestLogHasWhatHappens checks that the log has all events in order with their times, without any viewer. An event that
// happens in every step must not displace others. Time restarts from 0 when the world restarts.
func TestLogHasWhatHappens(t *testing.T) {
	t.Parallel()
	s := serve(t, judged(t))
	robot, sensor := camera(t, s.sim.World())
	c := s.dial("/api/state")
	if dawn := s.logged(aboutEvent, "dawn"); dawn.Step != 0 ||
		dawn.Text != `dawn: set_ball_handling: robot = "`+robot+`", enable = true` {
		t.Errorf("the event of time 0: got %+v, want dawn at step 0", dawn)
	}
	before := get[logJSON](s, "/api/log").Newest
	of := fmt.Sprintf(`"robot": "%s", "sensor": "%s"`, robot, sensor)
	for _, step := range []struct {
		action string
		kind   kind
		text   string
	}{
		{`{"set_level": {` + of + `, "level": "truth"}}`, aboutLevel, robot + "." + sensor + " from objects to truth"},
		{`{"break_sensor": {` + of + `, "fault": "off"}}`, aboutFault, robot + "." + sensor + " is broken: off"},
		{`{"heal_sensor": {` + of + `}}`, aboutFault, robot + "." + sensor + " is repaired"},
		{`{"game_command": {"command": "goal", "team": "magenta"}}`, aboutGoal, "goal of magenta: 0 : 1"},
		{`{"game_command": {"command": "subgoal", "team": "magenta"}}`, aboutGoal, "magenta loses a goal: 0 : 0"},
	} {
		s.do(step.action)
		s.logged(step.kind, step.text)
	}
	s.do(fmt.Sprintf(`{"game_command": {"command": "yellow_card", "team": "cyan", "number": %d}}`,
		s.sim.World().Robots[0].Number))
	s.next(c, "the yellow card", func(now *stateJSON) bool { return now.Robots[0].Yellow == 1 })

	// A shot puts the ball in the goal, and the referee counts it. One expectation passes and another fails.
	s.do(fmt.Sprintf(`{"place": {"name": "ball", "x_m": %g, "y_m": 0, "vx_m_s": 6}}`, s.sim.World().Field.Length/2-0.5))
	goal := s.logged(aboutGoal, "goal of cyan: 1 : 0")
	decision := s.logged(aboutDecision, "goal: ")
	if goal.Step != decision.Step || !(goal.Time > 0) || goal.Number < decision.Number {
		t.Errorf("got goal %+v, decision %+v, want the goal after the decision in the same step", goal, decision)
	}
	if passed := s.logged(aboutExpect, "scores passed: expected eventually"); passed.Failed {
		t.Errorf("got %+v, want an entry that has not failed", passed)
	}
	if failed := s.logged(aboutExpect, "leaves failed"); !failed.Failed || !strings.Contains(failed.Text,
		"; was: ball at (") {
		t.Errorf("got %+v, want a failed entry with the ball's position", failed)
	}
	s.logged(aboutGame, "stopped, first half")
	s.logged(aboutAction, fmt.Sprintf(`set_level: robot = "%s", sensor = "%s", level = "truth"`, robot, sensor))

	// The state announces new entries. Entries arrive in order and have the requested kinds.
	state := s.next(c, "a state after the goal", func(now *stateJSON) bool { return now.Log >= goal.Number })
	list := get[logJSON](s, fmt.Sprintf("/api/log?after=%d&kind=goal&kind=fault&kind=level", before))
	var had []string
	for i, e := range list.Entries {
		had = append(had, string(e.Kind))
		if e.Number <= before || i > 0 && (e.Number <= list.Entries[i-1].Number || e.Time < list.Entries[i-1].Time) {
			t.Errorf("entry %d is not in order: %+v", i, e)
		}
	}
	if want := "level fault fault goal goal goal"; strings.Join(had, " ") != want || list.Newest < state.Log {
		t.Errorf("got %v, newest %d, want %s, newest at least %d", had, list.Newest, want, state.Log)
	}
	until(t, "more events than are kept", func() bool { return s.truth.Load().Step > mostEntries+10 })
	all := get[logJSON](s, "/api/log")
	events := 0
	for _, e := range all.Entries {
		if e.Kind == aboutEvent {
			events++
		}
	}
	if events != mostEntries || all.Lost != all.Newest-uint64(len(all.Entries)) || all.Lost == 0 {
		t.Errorf("got %d events, %d entries, newest %d, lost %d, want %d events and the others lost", events,
			len(all.Entries), all.Newest, all.Lost, mostEntries)
	}
	s.logged(aboutGoal, "goal of cyan: 1 : 0")

	// A world that restarts, and one that cannot.
	s.Reloaded(errors.New("w.toml:1:1: x = 1: unknown key"))
	if e := s.logged(aboutWorld, "not read again, continues unchanged: w.toml:1:1"); !e.Failed || e.Step == 0 {
		t.Errorf("a world that cannot restart: got %+v, want a failed entry", e)
	}
	s.do(`{"reset": {}}`)
	if e := s.logged(aboutWorld, "planar restarts"); e.Episode != 1 || e.Step != 0 || e.Time != 0 {
		t.Errorf("a world that restarts: got %+v, want step 0 of episode 1", e)
	}
	if e := s.logged(aboutExpect, "waits undecided"); !e.Failed || e.Episode != 0 {
		t.Errorf("an undecided expectation: got %+v, want a failed entry of episode 0", e)
	}
	until(t, "the event of time 0 again", func() bool {
		return slices.ContainsFunc(get[logJSON](s, "/api/log?kind=event").Entries,
			func(e entryJSON) bool { return e.Episode == 1 && e.Step == 0 })
	})
	s.refuses("/api/log?kind=foul", "", 400, `kind = "foul": must be one of [goal `)
	s.refuses("/api/log?after=-1", "", 400, `after = "-1": must be an integer in [0, `)
}

// TestExpectationsAreReported checks that expectations are listed with their progress and with the areas that they
// refer to.
func TestExpectationsAreReported(t *testing.T) {
	t.Parallel()
	s := serve(t, judged(t))
	list := get[[]expectationJSON](s, "/api/expectations")
	if len(list) != 3 || list[0].Outcome != "undecided" || list[0].Decided || !list[0].Begun || list[0].Holds ||
		list[2].Begun || list[1].Outcome != "passed" || list[1].Decided ||
		!slices.Equal(list[1].Areas, []string{"corner", "magenta_goal"}) {
		t.Errorf("got %+v, want three undecided expectations, one not begun, one with two areas", list)
	}
	s.do(`{"place": {"name": "ball", "x_m": -8, "y_m": -5}}`)
	until(t, "the verdict",
		func() bool { list = get[[]expectationJSON](s, "/api/expectations"); return list[1].Decided })
	if list[1].Outcome != "failed" || !list[1].Holds || !strings.HasPrefix(list[1].Was, "ball at (-8.00, -5.00") {
		t.Errorf("got %+v, want it failed because of the ball at (-8, -5)", list[1])
	}
	areas := get[worldJSON](s, "/api/world").Areas
	if len(areas) != 2 || areas[0].Name != "magenta_goal" || areas[1].Name != "corner" ||
		!slices.Equal(areas[0].Expect, []string{"leaves"}) {
		t.Errorf("got areas %+v, want magenta_goal, of expectation leaves, and corner", areas)
	}
}

// TestActionsAreDescribed checks that every action of world files is described as in their schema, with the names of
// the world. An error in an action names its key.
func TestActionsAreDescribed(t *testing.T) {
	t.Parallel()
	s := serve(t, small(t))
	list := get[[]actionJSON](s, "/api/actions")
	must.Equal(t, len(list), reflect.TypeFor[action.Choice]().NumField(), "actions")
	find := func(path ...string) (found keyJSON) {
		for _, a := range list {
			if a.About == "" {
				t.Errorf("action %s has no description", a.Key)
			}
			if a.Key == path[0] {
				found.Keys = a.Keys
			}
		}
		for _, name := range path[1:] {
			i := slices.IndexFunc(found.Keys, func(k keyJSON) bool { return k.Key == name })
			if i < 0 {
				return keyJSON{}
			}
			found = found.Keys[i]
		}
		return found
	}
	if k := find("place", "x_m"); k.Type != "number" || k.Unit != "m" || k.Rule != "in [-50, 50]" || k.About == "" ||
		k.Required {
		t.Errorf("x_m of place: got %+v, want a number in m, in [-50, 50]", k)
	}
	if k := find("place", "name"); !k.Required || !slices.Contains(k.Names, "ball") || len(k.Names) != 3 {
		t.Errorf("name of place: got %+v, want a required key with three names", k)
	}
	if k := find("game_command", "team"); !slices.Equal(k.Choices, []string{"cyan", "magenta"}) || len(k.Names) != 0 {
		t.Errorf("team of game_command: got %+v, want choices cyan and magenta", k)
	}
	if k := find("send_off", "robot"); len(k.Names) != 2 {
		t.Errorf("robot of send_off: got %+v, want two names", k)
	}
	if k := find("follow", "way_points", "x_m"); k.Type != "number" {
		t.Errorf("x_m of the way points of follow: got %+v, want a number", k)
	}
	for body, want := range map[string]refusalJSON{
		`{"place": {"name": "ball", "x_m": 60}}`:                                 {"place: x_m = 60: must lie in [-50, 50]", "x_m"},
		`{"place": {"name": "nobody"}}`:                                          {`place.name = "nobody": is neither ball, robot nor obstacle`, "name"},
		`{"game_command": {"command": "red_card", "team": "cyan", "number": 9}}`: {"game_command.number = 9: cyan has no robot of that number", "number"},
		`{"game_command": {"command": "goal"}}`:                                  {`game_command.team = "": must be cyan or magenta with command goal`, "team"},
		`{"follow": {"robot": "cyan1", "way_points": [{"x": 1}]}}`:               {"follow.way_points[0]: x = 1: unknown key; did you mean x_m?", "way_points"},
		`{"pause": {"x": 1}}`:                                                    {"pause: x = 1: unknown key", "x"},
		`{}`:                                                                     {`action: has 0 keys: must have one, as {"pause": {}} has`, ""},
	} {
		must.Equal(t, s.refuses("/api/do", body, 400, want.Error), want, "%s", body)
	}
}

// still returns the log of a world that is never stepped.
func still(t testing.TB) *journal {
	sim := must.Get(omnipitch.New(judged(t), omnipitch.Options{}))(t)
	t.Cleanup(sim.Close)
	return newJournal(sim, func() time.Duration { return sim.Truth().Time })
}

// TestLogIsBounded checks that the log keeps the newest entries of each kind and limits the length of their texts.
func TestLogIsBounded(t *testing.T) {
	j := still(t)
	for i := range 2*mostEntries + 3 {
		j.put(aboutAction, fmt.Sprint(i), false, 0, 0)
	}
	j.put(aboutWorld, strings.Repeat("ä", mostText), true, 0, 0)
	got := j.after(0, []kind{aboutAction, aboutWorld})
	if len(got.Entries) != mostEntries+1 || got.Entries[0].Text != fmt.Sprint(mostEntries+3) ||
		got.Entries[mostEntries-1].Text != fmt.Sprint(2*mostEntries+2) || got.Lost != mostEntries+3 {
		t.Errorf("got %d entries, from %+v, lost %d, want the newest %d", len(got.Entries), got.Entries[0], got.Lost,
			mostEntries+1)
	}
	if text := got.Entries[mostEntries].Text; len(text) > mostText+5 || !strings.HasSuffix(text, "ä …") {
		t.Errorf("got a text of %d bytes that ends with %q, want about %d and ä …", len(text), text[len(text)-8:], mostText)
	}
}

// TestActionText checks that the text of an action is one line, whatever its tables hold.
func TestActionText(t *testing.T) {
	for body, want := range map[string]string{
		`{"place": {"name": "ball", "x_m": 1.5, "y_m": 0}}`: `place: name = "ball", x_m = 1.5`,
		`{"record": {"on": false}}`:                         `record: on = false`,
		`{"reset": {}}`:                                     `reset`,
		`{"follow": {"robot": "cyan1", "way_points": [{"x_m": 1}, {"y_m": 2}], "speed_m_s": 1}}`:         `follow: robot = "cyan1", speed_m_s = 1, accel_m_s2 = 1.8, way_points = …`,
		`{"play": {"robot": "cyan1", "chase_ball": {"speed_m_s": 1, "bring_to": {"x_m": 1, "y_m": 0}}}}`: `play: robot = "cyan1", chase_ball = …`,
	} {
		key, a, err := action.Parse([]byte(body))
		if err != nil {
			t.Errorf("%s: %v", body, err)
		} else if got := actionText(key, a); got != want {
			t.Errorf("%s: got %s, want %s", body, got, want)
		}
	}
}

// TestLogAllocatesNothing checks that a step does not allocate, whether nothing happens or an event happens that has
// happened often.
func TestLogAllocatesNothing(t *testing.T) {
	j := still(t)
	now, event := j.sim.Truth(), &j.sim.World().Events[1]
	for range mostEntries {
		j.happened(event)
	}
	if n := testing.AllocsPerRun(100, func() { j.happened(event); j.stepped(now) }); n != 0 {
		t.Errorf("got %v allocations per step, want none", n)
	}
}
