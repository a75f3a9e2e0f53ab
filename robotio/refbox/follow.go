package refbox

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// Simulation is a simulation whose game is controlled or announced by a referee box. An omnipitch.Sim implements it.
type Simulation interface {
	World() *worlds.World
	Do(...action.Action) error
	OnStep(f func(*physics.Snapshot))
}

// Timers are the timers of a Simulation. An omnipitch.Clock implements it.
type Timers interface {
	After(d time.Duration, f func(due time.Duration)) (stop func())
}

// Match is the game of a Simulation. An omnipitch.Match implements it.
type Match interface {
	Game() game.State
	Standings() []game.Standing // standings of the robots, in the order of the world's robots
}

// FollowConfig configures Follow.
type FollowConfig struct {
	Addr  string        // host:port
	Say   func(string)  // see ClientConfig
	Retry time.Duration // see ClientConfig
	// Asks reports whether somebody can answer a Question. It is called by the goroutine that steps. nil: nobody can
	Asks func() bool
}

// Following is a simulation's connection to a box, with one Client for each team.
type Following struct {
	sim      Simulation
	cfg      FollowConfig
	match    Match
	timers   Timers
	warnings warnings
	teams    []*followingTeam // of the world, cyan first
	pending  chan struct{}    // holds one value for each command that waits for the next step
	ctx      context.Context
	stop     context.CancelFunc
	running  sync.WaitGroup
	question atomic.Pointer[Question]

	// Used by the stepping goroutine only:
	score   game.Score // the box's score
	model   *physics.Model
	started bool // whether the first step has been seen
}

// followingTeam is one team's connection.
type followingTeam struct {
	team     physics.Team
	client   *Client
	welcomed chan struct{} // closed when the box has sent a message
	once     sync.Once
	wanted   atomic.Pointer[stateRequest]
}

// stateRequest is a world state that the next step fills.
type stateRequest struct {
	state WorldState
	done  chan struct{}
}

var bothTeams = []physics.Team{physics.Cyan, physics.Magenta}

// maxPending is the maximum number of commands that wait for the next step. Further commands are not read from the
// connection yet.
const maxPending = 64

// Follow makes a simulation's game obey a box. At the start of a world the game is stopped until the box starts it. The
// score is the score of the box. The teams of the world's robots connect one after the other, when the box's operator
// admits them. Then they send their world states. Follow must be called before the first step. Commands are inputs of
// the run like those of Sim.Do. The run never waits for the box.
func Follow(sim Simulation, match Match, timers Timers, cfg FollowConfig) *Following {
	f := &Following{sim: sim, cfg: cfg, match: match, timers: timers, warnings: warnings{say: cfg.Say},
		pending: make(chan struct{}, maxPending),
		model:   sim.World().Model()}
	f.ctx, f.stop = context.WithCancel(context.Background())
	for _, team := range bothTeams {
		if !slices.ContainsFunc(f.model.Robots, func(r physics.Robot) bool { return r.Team == team }) {
			continue
		}
		t := &followingTeam{team: team, welcomed: make(chan struct{})}
		t.client = NewClient(ClientConfig{Addr: cfg.Addr, Name: string(team), Say: cfg.Say, Retry: cfg.Retry,
			Received: func(m Message) { f.received(t, m) }, WorldState: t.next})
		t.client.warnings = &f.warnings // shared, because the box sends both teams the same messages
		f.teams = append(f.teams, t)
	}
	f.do(game.Reset, "", 0)
	sim.OnStep(f.step)
	f.running.Go(f.connect)
	return f
}

// Close ends the connections.
func (f *Following) Close() {
	f.stop()
	f.running.Wait()
}

// connect connects the teams one after the other. Before it connects the second team, it waits until the box has sent a
// message to the first team. A box rejects a team that connects while its operator decides about another team, and then
// resets the game (clientValidation in the box's Comms).
func (f *Following) connect() {
	for _, t := range f.teams {
		f.running.Go(func() { t.client.Run(f.ctx) })
		select {
		case <-t.welcomed:
		case <-f.ctx.Done():
			return
		}
	}
}

// received schedules a command for the next step. The box sends each message to both teams; received uses the messages
// of only one connection, so that the commands stay in order.
func (f *Following) received(t *followingTeam, m Message) {
	t.once.Do(func() { close(t.welcomed) })
	if m.Command == Welcome || m.Command == IsAlive || !f.leads(t) {
		return
	}
	c := gameCommands[m.Command]
	if c == "" {
		f.warnings.warn(string(m.Command), "referee box: %s has no effect in the simulation", m.Command)
		return
	}
	var team physics.Team
	if c.ForOneTeam() {
		if team = f.target(m.TargetTeam); team == "" {
			f.warnings.warn("target", "referee box: %s for team %.40q, which is none of the teams that it has "+
				"welcomed: it is ignored", m.Command, m.TargetTeam)
			return
		}
	}
	number := 0
	if c.ForRobot() {
		number = unnamed
		if m.RobotID != nil {
			number = *m.RobotID
		}
	}
	select {
	case f.pending <- struct{}{}:
		f.timers.After(0, func(time.Duration) {
			<-f.pending
			f.command(c, team, number)
		})
	case <-f.ctx.Done():
	}
}

// leads reports whether commands are read from a team's connection. That is so for the first team in the list that is
// connected.
func (f *Following) leads(t *followingTeam) bool {
	first := slices.IndexFunc(f.teams, func(other *followingTeam) bool {
		return other == t || other.client.Connected()
	})
	return f.teams[first] == t
}

// target returns the team for which the box uses the name address, or "" if there is none. If the box's name for only
// one of the two teams is known, any other name means the other team.
func (f *Following) target(address string) physics.Team {
	if address == "" {
		return ""
	}
	unnamed := slices.Clone(bothTeams)
	for _, t := range f.teams {
		switch t.client.Address() {
		case address:
			return t.team
		case "":
		default:
			unnamed = slices.DeleteFunc(unnamed, func(team physics.Team) bool { return team == t.team })
		}
	}
	if len(unnamed) != 1 {
		return ""
	}
	return unnamed[0]
}

// command executes a command of the box. The game itself counts goals too, so its score is set to the score of the box.
// This happens whenever the box changes its score, and at the next start of the game.
func (f *Following) command(c game.Command, team physics.Team, number int) {
	goals := &f.score.Cyan
	if team == physics.Magenta {
		goals = &f.score.Magenta
	}
	switch c {
	case game.Goal:
		*goals++
	case game.SubGoal:
		*goals = max(*goals-1, 0)
	case game.Reset:
		f.score = game.Score{}
	}
	switch c {
	case game.Goal, game.SubGoal:
		f.correctScore()
		return
	case game.Start:
		f.correctScore()
	}
	if number == unnamed {
		f.ask(c, team)
		return
	}
	f.do(c, team, number)
}

// unnamed is the number of a command for a robot that names no robot.
const unnamed = -1

func (f *Following) correctScore() {
	for _, team := range bothTeams {
		for more := f.score.Of(team) - f.match.Game().Score.Of(team); more > 0; more-- {
			f.do(game.Goal, team, 0)
		}
		for less := f.match.Game().Score.Of(team) - f.score.Of(team); less > 0; less-- {
			f.do(game.SubGoal, team, 0)
		}
	}
}

func (f *Following) do(c game.Command, team physics.Team, number int) {
	if err := f.sim.Do(&action.GameCommand{Command: c, Team: team, Number: number}); err != nil {
		f.warnings.warn("refused", "referee box: %s: %v", boxCommands[c], err)
	}
}

// step resets the game after a restart of the world and fills requested world states.
func (f *Following) step(truth *physics.Snapshot) {
	if truth.Step == 0 && f.started {
		f.model, f.score = f.sim.World().Model(), game.Score{}
		f.question.Store(nil)
		f.do(game.Reset, "", 0)
	}
	f.started = true
	for _, t := range f.teams {
		if t.wanted.Load() == nil { // the usual case
			continue
		}
		w := t.wanted.Swap(nil)
		w.state.fill(t.team, f.model, truth)
		close(w.done)
	}
}

// next returns the team's world state after the next step, or nil if ctx ends first.
func (t *followingTeam) next(ctx context.Context) *WorldState {
	w := &stateRequest{done: make(chan struct{})}
	t.wanted.Store(w)
	select {
	case <-w.done:
		return &w.state
	case <-ctx.Done():
		return nil
	}
}
