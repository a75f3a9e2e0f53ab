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

// Simulation is what follows a box, or is announced by one: an omnipitch.Sim.
type Simulation interface {
	World() *worlds.World
	Game() game.State
	Standings() []game.Standing // of the world's robots, in their order
	Do(...action.Action) error
	After(d time.Duration, f func(due time.Duration)) (stop func())
	OnStep(f func(*physics.Snapshot))
}

// FollowConfig says which box a simulation follows.
type FollowConfig struct {
	Addr  string        // host:port
	Say   func(string)  // as ClientConfig.Say; nil: nobody listens
	Retry time.Duration // as ClientConfig.Retry
}

// Following is a simulation's connection to a box, as each of its teams.
type Following struct {
	sim      Simulation
	warnings warnings
	teams    []*followingTeam // of the world, cyan first
	pending  chan struct{}    // one for each command that waits for the simulation
	ctx      context.Context
	stop     context.CancelFunc
	running  sync.WaitGroup

	// These belong to the goroutine that steps.
	score game.Score // as the box has it
	model *physics.Model
	begun bool // a world has been shown at its beginning
}

// followingTeam is one team's connection.
type followingTeam struct {
	team   physics.Team
	client *Client
	spoken chan struct{} // closed when the box has said something
	once   sync.Once
	wanted atomic.Pointer[wantedState]
}

// wantedState is a world state that the next step is to fill.
type wantedState struct {
	state WorldState
	made  chan struct{}
}

var bothTeams = []physics.Team{physics.Cyan, physics.Magenta}

// maxPending bounds the commands that wait for the simulation: what comes beyond that waits on the wire.
const maxPending = 64

// Follow has a simulation's game do what a box commands. The game is stopped when a world begins, until the box starts
// it; its score is the box's. The teams of the world's robots connect one after the other, as the box's operator admits
// them, and send their world states. It must be called before the first step. Commands are inputs of the run, as Do's
// are; the run never waits for the box.
func Follow(sim Simulation, cfg FollowConfig) *Following {
	f := &Following{sim: sim, warnings: warnings{say: cfg.Say}, pending: make(chan struct{}, maxPending),
		model: sim.World().Model()}
	f.ctx, f.stop = context.WithCancel(context.Background())
	for _, team := range bothTeams {
		if !slices.ContainsFunc(f.model.Robots, func(r physics.Robot) bool { return r.Team == team }) {
			continue
		}
		t := &followingTeam{team: team, spoken: make(chan struct{})}
		t.client = NewClient(ClientConfig{Addr: cfg.Addr, Name: string(team), Say: cfg.Say, Retry: cfg.Retry,
			Received: func(m Message) { f.received(t, m) }, WorldState: t.next})
		t.client.warnings = &f.warnings // the box tells both teams the same
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

// connect connects the teams, each when the box has said something to the one before: a team that connects while the
// box's operator is asked about another is turned away, and the game reset (clientValidation in its Comms).
func (f *Following) connect() {
	for _, t := range f.teams {
		f.running.Go(func() { t.client.Run(f.ctx) })
		select {
		case <-t.spoken:
		case <-f.ctx.Done():
			return
		}
	}
}

// received passes a message on to the goroutine that steps. The box sends each to both teams: it is taken from one
// connection, so that commands stay in their order.
func (f *Following) received(t *followingTeam, m Message) {
	t.once.Do(func() { close(t.spoken) })
	if m.Command == Welcome || m.Command == IsAlive || !f.leads(t) {
		return
	}
	c := gameCommands[m.Command]
	if c == "" {
		f.warnings.warn(string(m.Command), "referee box: %s changes nothing in the simulation", m.Command)
		return
	}
	var team physics.Team
	if c.ForOneTeam() {
		if team = f.target(m.TargetTeam); team == "" {
			f.warnings.warn("target", "referee box: %s for team %.40q, which is neither of the teams that it has "+
				"welcomed: it is left out", m.Command, m.TargetTeam)
			return
		}
	}
	number := 0
	if c.ForRobot() {
		if m.RobotID == nil {
			f.warnings.warn("robot "+string(m.Command), "referee box: %s names no robot: it changes nothing in the "+
				"simulation", m.Command)
			return
		}
		number = *m.RobotID
	}
	select {
	case f.pending <- struct{}{}:
		f.sim.After(0, func(time.Duration) {
			<-f.pending
			f.command(c, team, number)
		})
	case <-f.ctx.Done():
	}
}

// leads tells whether commands are taken from a team's connection: there is none to a team before it.
func (f *Following) leads(t *followingTeam) bool {
	first := slices.IndexFunc(f.teams, func(other *followingTeam) bool {
		return other == t ||
			other.client.Connected()
	})
	return f.teams[first] == t
}

// target returns the team that the box calls so, or none. If the box has named one of the two alone, whoever else is
// meant is the other.
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

// command has the game do what the box commands. Goals that the ball scores are counted by the game itself: the score
// becomes the box's when the box changes it, and at the next start.
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
	f.do(c, team, number)
}

func (f *Following) correctScore() {
	for _, team := range bothTeams {
		for more := f.score.Of(team) - f.sim.Game().Score.Of(team); more > 0; more-- {
			f.do(game.Goal, team, 0)
		}
		for less := f.sim.Game().Score.Of(team) - f.score.Of(team); less > 0; less-- {
			f.do(game.SubGoal, team, 0)
		}
	}
}

func (f *Following) do(c game.Command, team physics.Team, number int) {
	if err := f.sim.Do(&action.GameCommand{Command: c, Team: team, Number: number}); err != nil {
		f.warnings.warn("refused", "referee box: %s: %v", boxCommands[c], err)
	}
}

// step stops the game when a world begins again, and fills the world states that are wanted.
func (f *Following) step(truth *physics.Snapshot) {
	if truth.Step == 0 && f.begun {
		f.model, f.score = f.sim.World().Model(), game.Score{}
		f.do(game.Reset, "", 0)
	}
	f.begun = true
	for _, t := range f.teams {
		if t.wanted.Load() == nil { // as in nearly every step
			continue
		}
		w := t.wanted.Swap(nil)
		w.state.fill(t.team, f.model, truth)
		close(w.made)
	}
}

// next returns what the team sees after the next step, or nil when ctx has ended.
func (t *followingTeam) next(ctx context.Context) *WorldState {
	w := &wantedState{made: make(chan struct{})}
	t.wanted.Store(w)
	select {
	case <-w.made:
		return &w.state
	case <-ctx.Done():
		return nil
	}
}
