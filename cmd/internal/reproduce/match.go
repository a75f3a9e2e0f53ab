package reproduce

import (
	"context"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/experiment"
	"github.com/omnipitch/omnipitch/worlds/expectation"
	"github.com/omnipitch/omnipitch/worlds/game"
	"github.com/omnipitch/omnipitch/worlds/referee"
)

var match = &Experiment{
	Name:   "match",
	Title:  "Ten robots play a match, and an automatic referee judges",
	Source: "Zhou et al., Simatch, section VII.B; Xiao et al. 2017, section 5.4",
	World:  "msl-match",
	Setup: "In the first paper ten robots, each with the real robot's code, play by themselves, and an automatic " +
		"referee judges; in the second two teams and the simulator need three computers to go in real time. Here " +
		"refbot, the reference " +
		"robot, plays all ten, in a program of its own, over ROS 1, beside the simulator on one computer. Steps wait " +
		"for the robots, so that the match goes as fast as all of them together.",
	run: runMatch,
}

// matchQuick is how long a quick match lasts.
const matchQuick = 3 * time.Minute

func runMatch(ctx context.Context, t *Trial) error {
	w, err := t.Load(0)
	if err != nil {
		return err
	}
	if t.Quick {
		w.Test.For = min(w.Test.For, matchQuick)
	}
	load := machineLoad()
	cyan, magenta := experiment.Curve{Name: "cyan", Steps: true}, experiment.Curve{Name: "magenta", Steps: true}
	var before game.State
	restarts := 0
	report, err := t.run(ctx, w, func(sim *omnipitch.Sim, s *physics.Snapshot) {
		now := sim.Game()
		if now.Phase == game.Playing && before.Phase != game.Playing {
			restarts++
		}
		if now.Score != before.Score || s.Step%200 == 0 {
			cyan.X, cyan.Y = append(cyan.X, s.Time.Seconds()), append(cyan.Y, float64(now.Score.Cyan))
			magenta.X, magenta.Y = append(magenta.X, s.Time.Seconds()), append(magenta.Y, float64(now.Score.Magenta))
			t.Progress(s.Time.Seconds() / w.Test.For.Seconds())
		}
		before = now
	})
	if err != nil {
		return err
	}
	if report.Game == nil || report.Game.Tally == nil {
		return t.unfit(`has no automatic referee: referee = "auto"`)
	}
	tally, decisions := report.Game.Tally, 0
	for _, n := range tally.Rules {
		decisions += n
	}
	kept, failed := 0, ""
	for _, v := range report.Verdicts {
		if v.Outcome == expectation.Passed {
			kept++
		} else if failed == "" {
			failed = v.String()
		}
	}
	goals := report.Game.Score.Cyan + report.Game.Score.Magenta
	t.Add(Aside("robots", float64(len(w.Robots)), ""))
	t.Add(Aside("sim time", report.Sim.Seconds(), "s"))
	factor := Trend("real-time factor, on one computer", report.Factor(), "", "1, on three computers", "at least 1",
		report.Factor() >= 1)
	if factor.Verdict == Differs && load > busy {
		factor = factor.because("the machine had other work: %s programs for each core", number(load))
	}
	t.Add(factor)
	t.Add(Trend("decisions of the referee", float64(decisions), "", "the referee judges by itself", "at least one",
		decisions > 0))
	t.Add(Trend("restarts", float64(restarts), "", "the match goes on by itself", "more than one", restarts > 1))
	t.Add(Aside("longest time from a stop until the ball was in play", tally.LongestRestart.Seconds(), "s"))
	t.Add(Aside("time with the ball in play", 100*tally.Share(), "%"))
	t.Add(Aside("goals", float64(goals), ""))
	for i, name := range referee.RuleNames() {
		if tally.Rules[i] > 0 {
			t.Add(Aside("decisions by rule "+name, float64(tally.Rules[i]), ""))
		}
	}
	if n := len(report.Verdicts); n > 0 && !t.Quick { // they are on a whole match
		f := Aside("expectations of the world that are met", 100*float64(kept)/float64(n), "%")
		if failed != "" {
			f = f.because("%s", failed)
		}
		t.Add(f)
	}
	t.Plot(experiment.Plot{Name: "score", Title: "Score", XLabel: "time, s", YLabel: "goals",
		Curves: []experiment.Curve{cyan, magenta}})
	return nil
}
