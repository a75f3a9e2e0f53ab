package main

import (
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/seat"
	"github.com/omnipitch/omnipitch/cmd/refbot/soccer"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds/expectation"
)

const humanoids = "hsl-refbot"

// onLegs returns a player on legs for each of n robots.
func onLegs(n int) (all []*soccer.Player) {
	for range n {
		p := soccer.NewPlayer(soccer.ByRadio)
		p.PlayOnLegs()
		all = append(all, p)
	}
	return all
}

// A match of humanoids ends in the same state over ROS, when it is repeated, and without any wire.
func TestHumanoidsRepeat(t *testing.T) {
	const span = 20 * time.Second
	w := load(t, humanoids, 1)
	want := must.Get(seat.Play(t.Context(), w, span, onLegs(len(w.Robots)), nil))(t).Hash
	for range 2 {
		if got := simulate(t, load(t, humanoids, 1), span).Hash; got != want {
			t.Errorf("state %016x over ROS, and %016x without", got, want)
		}
	}
}

// Humanoids play by what the cameras in their heads show: a shortened match has a kick-off and a kick. In a whole one
// all of the world's expectations hold, and all robots but the goalkeepers kick.
func TestHumanoidsPlay(t *testing.T) {
	for seed := 1; seed <= *matchSeeds; seed++ {
		w := load(t, humanoids, seed)
		span := 10 * *matchFor
		var sim *omnipitch.Sim
		report := must.Get(seat.Play(t.Context(), w, span, onLegs(len(w.Robots)),
			func(s *omnipitch.Sim) { sim = s }))(t)
		kicks := 0
		for i := range sim.Truth().Robots {
			r := &sim.Truth().Robots[i]
			kicks += r.Kicks
			if span >= w.Test.For && r.Kicks == 0 && w.Robots[i].Number != 1 {
				t.Errorf("seed %d: %s never kicks", seed, w.Robots[i].Name)
			}
		}
		game := report.Game
		t.Logf("seed %d: %d : %d, %d kicks, in play %.0f %%, real-time factor %.1f, state %016x", seed, game.Score.Cyan,
			game.Score.Magenta, kicks, 100*game.Tally.Share(), report.Factor(), report.Hash)
		if kicks == 0 {
			t.Errorf("seed %d: no robot kicks within %v", seed, span)
		}
		for _, v := range report.Verdicts {
			if v.Outcome == expectation.Failed || v.Outcome == expectation.Undecided && span >= w.Test.For {
				t.Errorf("seed %d: %v", seed, v)
			}
		}
	}
}
