package main

import (
	"context"
	"flag"
	"fmt"
	"math"
	"sync/atomic"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/robotio"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
)

// Flags that `make verify-simatch` sets to larger values, and to play in real time too.
var (
	teamFor  = flag.Duration("team.for", 10*time.Second, "how long TestTeamPlays plays, sim time")
	teamFree = flag.Bool("team.free", false, "TestTeamPlays plays in real time, and waits for no robot")
)

// play records the actions of a team's robots in each step. A robot goes for the ball while its newest command moves
// it.
type play struct {
	moves []atomic.Int32 // of each robot: −1 before its first command, 0 at rest, 1 moving

	steps, alone     int // alone: steps with exactly one robot going for the ball
	without, longest int // consecutive steps without exactly one: current and longest
	chaser           int // the last one, −1 before the first
	handOvers, kicks int
	chased           map[int]bool
}

func (p *play) String() string {
	return fmt.Sprintf("%d steps, exactly one went for the ball in %.2f %%, %d hand-overs, never longer than %d "+
		"steps with none or two, %d players, %d kicks",
		p.steps, 100*float64(p.alone)/float64(p.steps), p.handOvers, p.longest, len(p.chased), p.kicks)
}

// watch observes the commands of robots with subscriptions of the simulation's node. Test and simulation then share one
// connection to each publisher.
func watch(t *testing.T, n *ros1.Node, robots []string) *play {
	t.Helper()
	p := &play{moves: make([]atomic.Int32, len(robots)), chaser: -1, chased: map[int]bool{}}
	for i, name := range robots {
		p.moves[i].Store(-1)
		must.Get(ros1.Subscribe(n, "/"+name+"/nubotcontrol/velcmd", "nubot_common/VelCmd", func(m *msg.VelCmd) {
			moves := int32(0)
			if m.Vx != 0 || m.Vy != 0 || m.W != 0 {
				moves = 1
			}
			p.moves[i].Store(moves)
		}))(t)
	}
	return p
}

// began reports whether every robot has sent a command.
func (p *play) began() bool {
	for i := range p.moves {
		if p.moves[i].Load() < 0 {
			return false
		}
	}
	return true
}

// step evaluates one step.
func (p *play) step() {
	going, who := 0, -1
	for i := range p.moves {
		if p.moves[i].Load() == 1 {
			going, who = going+1, i
		}
	}
	p.steps++
	if going != 1 {
		p.without++
		p.longest = max(p.longest, p.without)
		return
	}
	p.without = 0
	p.alone++
	p.chased[who] = true
	if who != p.chaser {
		if p.chaser >= 0 {
			p.handOvers++
		}
		p.chaser = who
	}
}

// TestTeamPlays runs five rospy programs in world simatch, each of which receives only its own OmniVisionInfo. Exactly
// one must go for the ball in 99 % of the steps, and another must take over within 0.2 s. Players that a publisher
// sends off leave with one message each, the first in the middle of the play. The steps wait for the programs, so that
// the machine's speed does not matter; with -team.free they do not.
func TestTeamPlays(t *testing.T) {
	needROS(t)
	w := must.Get(worlds.Load("simatch"))(t)
	const team = 5
	speed := timesync.Lockstep
	if *teamFree {
		speed = timesync.RealTime
	}
	var robots []string
	for i := range team {
		name := w.Robots[i].Name
		robots = append(robots, name)
		wait := timesync.WaitFor{Robot: name}
		wait.SetDefaults()
		wait.After, wait.Timeout = "omni", time.Minute
		w.Time.WaitFor = append(w.Time.WaitFor, wait)
	}
	sim := must.Get(omnipitch.New(w, omnipitch.Options{}))(t)
	t.Cleanup(sim.Close)
	master := must.Get(ros1.ListenMaster(ros1.MasterConfig{Addr: "127.0.0.1:0"}))(t)
	t.Cleanup(func() { master.Close() })
	node := rosNode(t, master.URI(), "/omnipitch")
	bridge := must.Get(robotio.NewBridge(sim, node, robotio.Options{Refused: func(err error) { t.Error(err) }}))(t)
	t.Cleanup(func() { bridge.Close() })

	play := watch(t, node, robots)
	programs := newRobots(t)
	for _, name := range robots {
		programs.start(master.URI(), 0, "team", name)
	}
	t.Cleanup(programs.end)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute) // in case the machine hangs
	defer cancel()

	off := func(number int) bool { // beyond the positions that simatch calls valid
		pos := sim.Truth().Robots[number-1].PoseWB.Pos
		return math.Abs(pos[1]) > w.Field.Width/2+1
	}
	var begin time.Duration
	half, over := false, false
	sim.OnStep(func(s *physics.Snapshot) {
		switch {
		case begin == 0:
			if play.began() {
				begin = s.Time
			}
			return
		case s.Time-begin <= *teamFor:
			play.step()
			play.kicks = 0
			for i := range team {
				play.kicks += s.Robots[i].Kicks
			}
		case !over:
			over = true
			programs.start(master.URI(), 0, "sendoff", "NuBot", "2", "4", "5")
		}
		if s.Time-begin >= *teamFor/2 && !half {
			half = true
			programs.start(master.URI(), 0, "sendoff", "NuBot", "3")
		}
	})
	for all := false; !all; {
		must.Get(sim.Run(ctx, omnipitch.Pace{For: 100 * time.Millisecond, Speed: speed}))(t)
		if ctx.Err() != nil {
			t.Fatalf("after %v: %s, and not all are off", sim.Truth().Time, play)
		}
		all = over
		for n := 2; n <= team; n++ { // keepers stay, in simatch
			all = all && off(n)
		}
	}
	t.Log(play)
	if want := int(*teamFor / w.Time.Step); play.steps != want || 100*play.alone < 99*play.steps ||
		time.Duration(play.longest)*w.Time.Step > 200*time.Millisecond {
		t.Errorf("%s; want %d steps, 99 %%, at most 200 ms", play, want)
	}
	if least := max(2, int(*teamFor/(4*time.Second))); play.handOvers < least || len(play.chased) < 3 ||
		play.kicks < 1 {
		t.Errorf("%s; that is no play: want %d hand-overs among 3 players", play, least)
	}
}
