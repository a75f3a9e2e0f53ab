package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/game"
	"github.com/omnipitch/omnipitch/worlds/match"
	"github.com/omnipitch/omnipitch/worlds/referee"
)

// runSummary is the output of run --json.
type runSummary struct {
	World     string            `json:"world"`
	Seed      uint64            `json:"seed"`
	Sim       float64           `json:"sim_s"`
	Wall      float64           `json:"wall_s"`
	Factor    float64           `json:"real_time_factor"`
	Steps     int64             `json:"steps"`
	StateHash string            `json:"state_hash"`
	Renderer  *backend.Choice   `json:"renderer,omitempty"` // renderer of the images
	Start     *startSummary     `json:"step_start,omitempty"`
	Forecasts []forecastSummary `json:"forecasts,omitempty"`
	Sensors   []sensorSummary   `json:"sensors"`
	Robots    []robotSummary    `json:"robots"`
	Radios    []radioSummary    `json:"radios,omitempty"`
	Game      *gameSummary      `json:"game,omitempty"`
	Expect    []verdictSummary  `json:"expect,omitempty"`
}

// gameSummary is the state of a game.
type gameSummary struct {
	Half    game.Half `json:"half"`
	Cyan    int       `json:"cyan"` // goals of team cyan
	Magenta int       `json:"magenta"`

	// The fields below are set only in a game with a referee.
	Played    *float64       `json:"ball_in_play_percent,omitempty"` // percentage of the time of the halves
	Longest   *float64       `json:"longest_restart_s,omitempty"`    // sim time from a stop until the ball was in play
	Decisions map[string]int `json:"decisions,omitzero"`             // number of decisions by each rule
}

func gameOf(r *match.Report) *gameSummary {
	if r == nil {
		return nil
	}
	s := &gameSummary{Half: r.Half, Cyan: r.Score.Cyan, Magenta: r.Score.Magenta}
	if r.Tally == nil {
		return s
	}
	s.Played, s.Longest, s.Decisions = new(100*r.Tally.Share()), new(r.Tally.LongestRestart.Seconds()), map[string]int{}
	for i, name := range referee.RuleNames() {
		if n := r.Tally.Rules[i]; n > 0 {
			s.Decisions[name] = n
		}
	}
	return s
}

// print prints a summary of the game in words.
func (g *gameSummary) print(out io.Writer) {
	fmt.Fprintf(out, "game: %s, cyan %d : %d magenta", strings.ReplaceAll(string(g.Half), "_", " "), g.Cyan, g.Magenta)
	if g.Played == nil {
		fmt.Fprintln(out)
		return
	}
	fmt.Fprintf(out, "; ball in play %.0f %% of the time, longest restart %.1f s\n", *g.Played, *g.Longest)
	var parts []string
	for _, name := range referee.RuleNames() {
		if n := g.Decisions[name]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, name))
		}
	}
	if len(parts) > 0 {
		fmt.Fprintf(out, "decisions: %s\n", strings.Join(parts, ", "))
	}
}

// startSummary says how late steps started, in µs of wall time. It exists for the speeds that determine when a step
// starts.
type startSummary struct {
	Median float64 `json:"late_median_us"`
	P95    float64 `json:"late_p95_us"`
	Worst  float64 `json:"late_worst_us"`
	GaveUp int64   `json:"gave_up"` // how often the run was so late that it started a new schedule
	Held   float64 `json:"held"`    // fraction of the target real-time factor that the run held, 0 to 1
}

// leastHeld is the fraction of the target real-time factor below which a run is said to have missed it. A pause of a
// quarter of a second in five seconds is still said to hold it.
const leastHeld = 0.95

// overload returns a sentence about a run that did not hold its speed. It returns an empty text if the run did.
func overload(speed timesync.Speed, held float64) string {
	switch {
	case !speed.Paced() || held >= leastHeld:
		return ""
	case speed == timesync.RealTime:
		return fmt.Sprintf("could not keep real time: held %.2f of it; try --speed steady, or levels without images",
			held)
	case speed == timesync.Steady:
		return "could not keep a steady speed: the machine is busy with other programs"
	}
	return fmt.Sprintf("could not keep %v times real time: held %.2f of that; try --speed steady, or levels without "+
		"images", speed, held)
}

// forecastSummary says how accurately the run has predicted wall time.
type forecastSummary struct {
	Horizon float64 `json:"horizon_s"` // sim time
	N       int64   `json:"forecasts"`
	Median  float64 `json:"error_median_percent"`
	P90     float64 `json:"error_p90_percent"`
	Within  float64 `json:"within_upper_percent"`
}

// robotSummary has statistics of the commands that a robot has sent.
type robotSummary struct {
	Robot    string `json:"robot"`
	Commands uint64 `json:"commands"`
	// Response is the mean wall time from the last observation that the robot received to its command.
	Response float64 `json:"response_ms"`
}

// radioSummary has statistics of the radio messages that a robot has sent to its teammates and received from them.
type radioSummary struct {
	Robot    string `json:"robot"`
	Sent     uint64 `json:"sent"`
	Bytes    uint64 `json:"bytes"`   // bytes of the messages that were sent
	Dropped  uint64 `json:"dropped"` // messages that the sender dropped
	Received uint64 `json:"received"`
	Lost     uint64 `json:"lost"` // messages to this robot that were lost on the way
}

// verdictSummary is the outcome of one expectation.
type verdictSummary struct {
	Name     string  `json:"name"`
	Outcome  string  `json:"outcome"` // passed, failed or undecided
	At       float64 `json:"at_s"`    // sim time
	Expected string  `json:"expected"`
	Was      string  `json:"was,omitempty"`   // what happened instead
	Place    string  `json:"place,omitempty"` // file and line of an expectation that did not pass
}

type sensorSummary struct {
	Robot  string  `json:"robot"`
	Sensor string  `json:"sensor"`
	Level  string  `json:"level"`
	Frames uint64  `json:"frames"`
	Rate   float64 `json:"rate_hz"`
	Late   uint64  `json:"late_frames"`
	Wall   float64 `json:"wall_latency_ms"` // mean wall time from capture to delivery
}

func summarise(w *worlds.World, r *omnipitch.Report) runSummary {
	s := runSummary{
		World: w.Name, Seed: w.Seed, Sim: r.Sim.Seconds(), Wall: r.Wall.Seconds(), Factor: r.Factor(),
		Steps: r.Steps, StateHash: fmt.Sprintf("%016x", r.Hash), Robots: []robotSummary{},
	}
	if r.Renderer.Name != "" {
		s.Renderer = &r.Renderer
	}
	s.Game = gameOf(r.Game)
	for _, sr := range r.Sensors {
		s.Sensors = append(s.Sensors, sensorSummary{sr.Robot, sr.Sensor, sr.Level, sr.Frames, sr.Rate, sr.Late,
			1e3 * sr.Latency.Seconds()})
	}
	for _, rr := range r.Robots {
		if rr.Commands > 0 {
			s.Robots = append(s.Robots, robotSummary{rr.Robot, rr.Commands, 1e3 * rr.Response.Seconds()})
		}
	}
	for _, x := range r.Radios {
		s.Radios = append(s.Radios, radioSummary(x))
	}
	for _, f := range r.Forecasts {
		s.Forecasts = append(s.Forecasts, forecastSummary{f.Horizon.Seconds(), f.N, 100 * f.Median, 100 * f.P90,
			100 * f.WithinUpper})
	}
	for _, v := range r.Verdicts {
		s.Expect = append(s.Expect, verdictSummary{v.Name, string(v.Outcome), v.At.Seconds(), v.Expected, v.Was,
			v.Place})
	}
	if l := r.Lateness; l.Held > 0 {
		s.Start = &startSummary{1e6 * l.Median.Seconds(), 1e6 * l.P95.Seconds(), 1e6 * l.Worst.Seconds(), l.GaveUp,
			l.Held}
	}
	return s
}

// printPace prints how well the run kept its speed and predicted wall time. For an overloaded run it prints one
// sentence instead of numbers.
func (s *runSummary) printPace(out io.Writer, speed timesync.Speed) {
	if l := s.Start; l != nil {
		if text := overload(speed, l.Held); text != "" {
			fmt.Fprintln(out, text)
			return
		}
		fmt.Fprintf(out, "steps began %.3f ms late, median; 95 %% at most %.3f ms; the latest %.3f ms\n", l.Median/1e3,
			l.P95/1e3, l.Worst/1e3)
	}
	for _, f := range s.Forecasts {
		fmt.Fprintf(out, "forecasts of %v s were off by %.3g %%, median; 90 %% by at most %.3g %%; %.0f %% took no "+
			"longer than their upper bound\n", f.Horizon, f.Median, f.P90, f.Within)
	}
}

func printReport(out io.Writer, w *worlds.World, r *omnipitch.Report, asJSON bool) error {
	s := summarise(w, r)
	if asJSON {
		return console.WriteJSON(out, s)
	}
	seed := ""
	if w.Random() {
		seed = fmt.Sprintf(" with seed %d", s.Seed)
	}
	fmt.Fprintf(out, "%s%s: %.2f s simulated in %.2f s, real-time factor %.2f, %d steps, state %s\n",
		s.World, seed, s.Sim, s.Wall, s.Factor, s.Steps, s.StateHash)
	printRenderer(out, r.Renderer)
	if s.Game != nil {
		s.Game.print(out)
	}
	s.printPace(out, r.Speed)
	tw := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "sensor\tlevel\tframes\trate\tlate\twall latency")
	for _, x := range s.Sensors {
		fmt.Fprintf(tw, "%s.%s\t%s\t%d\t%.1f Hz\t%d\t%.2f ms\n", x.Robot, x.Sensor, x.Level, x.Frames, x.Rate, x.Late,
			x.Wall)
	}
	if len(s.Robots) > 0 {
		fmt.Fprintln(tw, "\nrobot\tcommands\tresponse")
	}
	for _, x := range s.Robots {
		fmt.Fprintf(tw, "%s\t%d\t%.2f ms\n", x.Robot, x.Commands, x.Response)
	}
	if len(s.Radios) > 0 {
		fmt.Fprintln(tw, "\nradio\tsent\tbytes\tdropped\treceived\tlost")
	}
	for _, x := range s.Radios {
		fmt.Fprintf(tw, "%s\t%d\t%d\t%d\t%d\t%d\n", x.Robot, x.Sent, x.Bytes, x.Dropped, x.Received, x.Lost)
	}
	if err := tw.Flush(); err != nil || len(r.Verdicts) == 0 {
		return err
	}
	_, err := fmt.Fprintln(out)
	for _, v := range r.Verdicts {
		_, err = fmt.Fprintln(out, v)
	}
	return err
}
