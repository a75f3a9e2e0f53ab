package main

import (
	"context"
	"flag"
	"math"
	"testing"
	"time"

	"github.com/alecthomas/kong"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/cmd/refbot/seat"
	"github.com/omnipitch/omnipitch/cmd/refbot/soccer"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/robotio"
	"github.com/omnipitch/omnipitch/robotio/mapping"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/expectation"
)

// Flags that `make verify-refbot` raises.
var (
	matchFor   = flag.Duration("refbot.for", 6*time.Second, "how long a match lasts")
	matchSeeds = flag.Int("refbot.seeds", 1, "how many matches are played, with the seeds from 1 on")
	worldSeeds = flag.Int("refbot.worlds", 1, "with how many seeds each skill's world is run")
)

// simulate runs a world with the robots' programs that it names, each on its own nodes over TCP, like separate
// processes. No robot may be stuck.
func simulate(t *testing.T, w *worlds.World, span time.Duration) *omnipitch.Report {
	t.Helper()
	stills := newStills(t, w)
	sim, master, _ := bridged(t, w, omnipitch.Options{OnInput: stills.hear})
	sim.OnStep(stills.look)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	for i := range w.Programs {
		p := &w.Programs[i]
		var refbot program
		command := must.Get(must.Get(kong.New(&refbot))(t).Parse(p.Command[1:]))(t).Command()
		refbot.Play.MasterURI, refbot.Scan.MasterURI = master.URI(), master.URI()
		if r, ok := w.Robot(p.Robot); ok {
			refbot.Play.Robots, refbot.Scan.Robot = mapping.Namespace(msg.ROS1, r), mapping.Namespace(msg.ROS1, r)
		}
		go func() {
			err := refbot.run(ctx, command)
			if err != nil {
				stop() // the simulation would wait for the program
			}
			ended <- err
		}()
	}
	report, err := sim.Run(ctx, omnipitch.Pace{For: span, Speed: timesync.Lockstep})
	stop()
	for range w.Programs {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// bridged starts a simulation with a bridge to a ROS master of its own, and returns the bridge's node, too.
func bridged(t *testing.T, w *worlds.World, options omnipitch.Options) (*omnipitch.Sim, *ros1.Master, *ros1.Node) {
	t.Helper()
	sim := must.Get(omnipitch.New(w, options))(t)
	t.Cleanup(func() { sim.Close() })
	master := must.Get(ros1.ListenMaster(ros1.MasterConfig{Addr: "127.0.0.1:0"}))(t)
	t.Cleanup(func() { master.Close() })
	node := must.Get(ros1.NewNode(ros1.NodeConfig{Name: "/omnipitch", MasterURI: master.URI()}))(t)
	t.Cleanup(func() { node.Close() })
	bridge := must.Get(robotio.NewBridge(sim, node, robotio.Options{Refused: func(err error) { t.Error(err) }}))(t)
	t.Cleanup(func() { bridge.Close() })
	return sim, master, node
}

// judged fails the test for each expectation that has not passed.
func judged(t *testing.T, report *omnipitch.Report) {
	t.Helper()
	if len(report.Verdicts) == 0 {
		t.Error("the world expects nothing")
	}
	for _, v := range report.Verdicts {
		if v.Outcome != expectation.Passed {
			t.Error(v)
		}
	}
}

// load returns a world of refbot's, by its path, or a shipped one, with a seed.
func load(t *testing.T, name string, seed int) *worlds.World {
	t.Helper()
	return must.Get(worlds.LoadWithSeed(name, uint64(seed)))(t)
}

// Each skill has a world in which the robot meets the expectations.
func TestSkills(t *testing.T) {
	for _, name := range []string{"shot", "lob", "pass", "catch", "carry", "detour", "keep", "penalty", "corner"} {
		t.Run(name, func(t *testing.T) {
			for seed := 1; seed <= *worldSeeds; seed++ {
				w := load(t, "worlds/"+name+".toml", seed)
				judged(t, simulate(t, w, w.Test.For))
			}
		})
	}
}

// Nine robots drive seven others into the prison, each by what it sees: with nine of ten seeds within ten minutes.
func TestEncirclement(t *testing.T) {
	seeds, failed := *worldSeeds, 0
	for seed := 1; seed <= seeds; seed++ {
		w := load(t, "encirclement-refbot", seed)
		var players []*soccer.Player
		for i := range w.Robots {
			strategy := soccer.Chase
			if w.Robots[i].Team == physics.Magenta {
				strategy = soccer.Flee
			}
			players = append(players, soccer.NewPlayer(strategy))
		}
		report := must.Get(seat.Play(t.Context(), w, w.Test.For, players, nil))(t)
		for _, v := range report.Verdicts {
			if v.Outcome != expectation.Passed {
				t.Logf("seed %d: %v", seed, v)
				failed++
				break
			}
		}
		if len(report.Verdicts) == 0 {
			t.Error("the world expects nothing")
		}
	}
	if 10*failed > seeds {
		t.Errorf("%d of %d seeds failed, want at most a tenth", failed, seeds)
	}
}

// A robot drives by its laser scanner, and by the poses of the scanner's level pose. A shortened run ends behind the
// first wall.
func TestLaserCourse(t *testing.T) {
	for _, level := range []abstraction.Level{abstraction.Raw, abstraction.Pose} {
		t.Run(string(level), func(t *testing.T) {
			for seed := 1; seed <= *worldSeeds; seed++ {
				w := load(t, "laser-course", seed)
				for i := range w.Robots[0].Sensors {
					if s := &w.Robots[0].Sensors[i]; s.Name == "laser" {
						s.Level = level
					}
				}
				whole := *worldSeeds > 1
				span := w.Test.For
				if !whole {
					span = 20 * time.Second
				}
				for _, v := range simulate(t, w, span).Verdicts {
					if v.Name == "knows_where_it_is" { // on a topic, which this simulation does not receive
						continue
					}
					if v.Outcome == expectation.Failed ||
						v.Outcome == expectation.Undecided && (whole || v.Name == "reaches_goal1") {
						t.Errorf("seed %d: %v", seed, v)
					}
				}
			}
		})
	}
}

// Two teams play a match with a referee, on either field. A shortened match may leave open expectations that need its
// full length.
func TestMatch(t *testing.T) {
	for _, name := range []string{"msl-match", "msl-match-22x14"} {
		for seed := 1; seed <= *matchSeeds; seed++ {
			w := load(t, name, seed)
			report := simulate(t, w, *matchFor)
			game := report.Game
			goals, inPlay, restart := game.Score.Cyan+game.Score.Magenta, game.Tally.Share(), game.Tally.LongestRestart
			t.Logf("%s, seed %d: %d : %d, in play %.0f %%, longest restart %.1f s, real-time factor %.1f, state %016x",
				name, seed, game.Score.Cyan, game.Score.Magenta, 100*inPlay, restart.Seconds(), report.Factor(),
				report.Hash)
			whole := *matchFor >= w.Test.For
			if whole && (goals < 1 || goals > 15 || !(inPlay >= 0.6)) || restart > 15*time.Second {
				t.Errorf("want 1 to 15 goals, in play at least 60 %%, restarts within 15 s")
			}
			for _, v := range report.Verdicts {
				if v.Outcome == expectation.Failed || v.Outcome == expectation.Undecided && whole {
					t.Errorf("%s, seed %d: %v", name, seed, v)
				}
			}
		}
	}
}

// A match ends in the same state when it is repeated, and when each robot has a separate program.
func TestMatchRepeats(t *testing.T) {
	play := func(apart bool) uint64 {
		w := load(t, "msl-match", 1)
		if apart {
			w.Programs = nil
			for _, r := range w.Robots {
				p := worlds.Program{Name: r.Name, Robot: r.Name, Command: []string{"refbot"}}
				p.SetDefaults()
				w.Programs = append(w.Programs, p)
			}
		}
		return simulate(t, w, *matchFor/2).Hash
	}
	first := play(false)
	if again := play(false); again != first {
		t.Errorf("state %016x, and again %016x", first, again)
	}
	if apart := play(true); apart != first {
		t.Errorf("state %016x with one program, and %016x with ten", first, apart)
	}
}

// A robot is stuck if it is commanded to drive and does not move: commanded faster than wanted, m/s, for stuckFor in
// total, while it stays within stays, m.
const (
	wanted   = 0.3
	stays    = 0.1
	stuckFor = 10 * time.Second
)

// stills finds robots that are stuck.
type stills struct {
	t      *testing.T
	world  *worlds.World
	speeds []float64 // commanded, m/s
	at     []mgl64.Vec3
	driven []time.Duration // since the robot was at the position
}

func newStills(t *testing.T, w *worlds.World) *stills {
	n := len(w.Robots)
	return &stills{t, w, make([]float64, n), make([]mgl64.Vec3, n), make([]time.Duration, n)}
}

// hear receives the commands of robots' programs.
func (s *stills) hear(in *omnipitch.Input) {
	if in.Command == nil {
		return
	}
	for i := range s.world.Robots {
		if s.world.Robots[i].Name == in.Command.Robot {
			s.speeds[i] = math.Hypot(in.Command.TwistB.VX, in.Command.TwistB.VY)
		}
	}
}

// look receives the state after each step.
func (s *stills) look(now *physics.Snapshot) {
	for i := range now.Robots {
		if pos := now.Robots[i].PoseWB.Pos; pos.Sub(s.at[i]).Len() >= stays {
			s.at[i], s.driven[i] = pos, 0
		} else if s.speeds[i] > wanted {
			if s.driven[i] += s.world.Time.Step; s.driven[i] == stuckFor {
				s.t.Errorf("seed %d: %s is stuck at (%.2f, %.2f) m until %.2f s", s.world.Seed, s.world.Robots[i].Name,
					pos[0], pos[1], now.Time.Seconds())
			}
		}
	}
}
