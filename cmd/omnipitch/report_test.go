package main

import (
	"encoding/json"
	"errors"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/sensors/pipeline"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
	given "github.com/omnipitch/omnipitch/worlds/command"
	"github.com/omnipitch/omnipitch/worlds/expectation"
	"github.com/omnipitch/omnipitch/worlds/game"
	"github.com/omnipitch/omnipitch/worlds/match"
)

// TestReportKeepsItsUnits checks that times from a microsecond to a minute have one unit per line or column, and plain
// digits.
func TestReportKeepsItsUnits(t *testing.T) {
	r := &omnipitch.Report{
		Sim: time.Second, Wall: time.Minute, Steps: 200,
		Lateness: timesync.Lateness{Steps: 200, Median: 600 * time.Nanosecond, P95: 2500 * time.Microsecond,
			Worst: 1500 * time.Millisecond, Held: 1},
		Forecasts: []timesync.ForecastScore{{Horizon: time.Second / 10, N: 20, Median: 0.0314, P90: 1.2,
			WithinUpper: 0.949}},
	}
	for _, latency := range []time.Duration{0, 3 * time.Microsecond, 1740 * time.Microsecond, 57 * time.Millisecond,
		12 * time.Second} {
		r.Sensors = append(r.Sensors, pipeline.Report{Robot: "a", Sensor: "b", Level: "raw", Latency: latency})
		r.Robots = append(r.Robots, given.Report{Robot: "a", Commands: 1, Response: latency})
	}
	var out strings.Builder
	must.Do(t, printReport(&out, &worlds.World{Name: "w"}, r, false))
	text := out.String()
	if want := "steps began 0.001 ms late, median; 95 % at most 2.500 ms; the latest 1500.000 ms\n"; !strings.Contains(text,
		want) {
		t.Errorf("no line %q:\n%s", want, text)
	}
	if want := "forecasts of 0.1 s were off by 3.14 %, median; 90 % by at most 120 %; 95 % took no longer than their " +
		"upper bound\n"; !strings.Contains(text, want) {
		t.Errorf("no line %q:\n%s", want, text)
	}
	times := regexp.MustCompile(`[\d.]+ [µmn]s`).FindAllString(text, -1)
	want := []string{"0.001 ms", "2.500 ms", "1500.000 ms",
		"0.00 ms", "0.00 ms", "1.74 ms", "57.00 ms", "12000.00 ms", "0.00 ms", "0.00 ms",
		"1.74 ms", "57.00 ms", "12000.00 ms"}
	if strings.Join(times, ", ") != strings.Join(want, ", ") {
		t.Errorf("times are %q, want %q", times, want)
	}
}

// TestOverloadIsASentence checks that the report of a run that missed its speed says so in words, without the numbers
// on steps and forecasts.
func TestOverloadIsASentence(t *testing.T) {
	for _, c := range []struct {
		speed timesync.Speed
		held  float64
		want  string // empty: the numbers are printed
	}{
		{timesync.RealTime, 0.27,
			"could not keep real time: held 0.27 of it; try --speed steady, or levels without images\n"},
		{timesync.Factor(2), 0.5,
			"could not keep 2 times real time: held 0.50 of that; try --speed steady, or levels without images\n"},
		{timesync.Steady, 0.8, "could not keep a steady speed: the machine is busy with other programs\n"},
		{timesync.RealTime, 0.99, ""},
	} {
		r := &omnipitch.Report{Sim: time.Second, Wall: time.Second, Speed: c.speed,
			Lateness:  timesync.Lateness{Steps: 3, Held: c.held},
			Forecasts: []timesync.ForecastScore{{Horizon: time.Second / 10, N: 20}}}
		var out strings.Builder
		must.Do(t, printReport(&out, &worlds.World{Name: "w"}, r, false))
		numbers := strings.Contains(out.String(), "steps began") || strings.Contains(out.String(), "forecasts")
		if !strings.Contains(out.String(), c.want) || numbers != (c.want == "") {
			t.Errorf("speed %v, held %v: got\n%s\nwant %q, or else the numbers", c.speed, c.held, &out, c.want)
		}
	}
}

// TestReportEndsWithVerdicts checks that the verdicts of a run are the last lines of its summary, each in one sentence.
// As JSON they have the expected and the actual value.
func TestReportEndsWithVerdicts(t *testing.T) {
	r := &omnipitch.Report{Sim: time.Second, Wall: time.Second, Verdicts: []expectation.Verdict{
		{Name: "goal", Outcome: expectation.Failed, At: 2500 * time.Millisecond,
			Expected: "eventually ball in magenta_goal", Was: "ball at (1.00, 0.00, 0.11) m"},
		{Name: "fair", Outcome: expectation.Passed, At: 3 * time.Second, Expected: "never contact of cyan1"},
	}}
	var text, asJSON strings.Builder
	must.Do(t, printReport(&text, &worlds.World{Name: "w"}, r, false))
	must.Do(t, printReport(&asJSON, &worlds.World{Name: "w"}, r, true))
	const want = "\n\ngoal: failed at 2.500 s: expected eventually ball in magenta_goal; was: ball at (1.00, 0.00, " +
		"0.11) m\nfair: passed at 3.000 s: expected never contact of cyan1\n"
	if !strings.HasSuffix(text.String(), want) {
		t.Errorf("got\n%s\nwant at its end%s", &text, want)
	}
	var got struct {
		Expect []map[string]any `json:"expect"`
	}
	must.Do(t, json.Unmarshal([]byte(asJSON.String()), &got))
	wantJSON := []map[string]any{
		{"name": "goal", "outcome": "failed", "at_s": 2.5, "expected": "eventually ball in magenta_goal",
			"was": "ball at (1.00, 0.00, 0.11) m"},
		{"name": "fair", "outcome": "passed", "at_s": 3.0, "expected": "never contact of cyan1"},
	}
	if !reflect.DeepEqual(got.Expect, wantJSON) {
		t.Errorf("got %v, want %v", got.Expect, wantJSON)
	}
}

// TestReportHasTheScore checks that a game without a referee has a score, and none of the referee's counts.
func TestReportHasTheScore(t *testing.T) {
	r := &omnipitch.Report{Sim: time.Second, Wall: time.Second,
		Game: &match.Report{State: game.State{Half: game.Half(game.SecondHalf), Score: game.Score{Cyan: 2,
			Magenta: 1}}}}
	var text, asJSON strings.Builder
	must.Do(t, errors.Join(printReport(&text, &worlds.World{Name: "w"}, r, false),
		printReport(&asJSON, &worlds.World{Name: "w"}, r, true)))
	if !strings.Contains(text.String(), "\ngame: second half, cyan 2 : 1 magenta\n") {
		t.Errorf("%s", &text)
	}
	var got struct{ Game map[string]any }
	want := map[string]any{"half": "second_half", "cyan": 2.0, "magenta": 1.0}
	if err := json.Unmarshal([]byte(asJSON.String()), &got); err != nil || !reflect.DeepEqual(got.Game, want) {
		t.Errorf("%v, %v, want %v", got.Game, err, want)
	}
}
