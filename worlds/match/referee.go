package match

import (
	"fmt"
	"slices"
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
	"github.com/omnipitch/omnipitch/worlds/game"
	"github.com/omnipitch/omnipitch/worlds/referee"
)

// officials keep the state of the game, and judge the game if the world has an automatic referee. Without an automatic
// referee they only count goals.
type officials struct {
	game       *game.Game
	board      game.Scoreboard
	roster     *game.Roster
	referee    *referee.Referee   // nil: no automatic referee
	decided    []referee.Decision // decisions of the present step
	onDecision []func(*referee.Decision)
}

// begin starts the game of a world.
func (o *officials) begin(world *worlds.World, model *physics.Model, ballW [3]float64) {
	o.game, o.referee, o.decided = game.New(&model.Field, model.Ball.Radius), nil, nil
	o.board = game.NewScoreboard()
	o.roster = game.NewRoster(model, world.Rules.Repair, world.Rules.DoubleYellow)
	switch world.Referee {
	case worlds.RefereeAuto:
		o.referee = referee.New(world.Rules.Rules, model)
	case worlds.RefereeRefbox, worlds.RefereeGameController: // these start the game
		o.command(game.Reset, "", 0)
	}
	o.ballPlaced(ballW)
}

// command gives a command of the referee box to the game, at the sim time now.
func (o *officials) command(c game.Command, team physics.Team, now time.Duration) {
	o.board.Command(o.game.State(), c, team, now)
	o.game.Command(c, team)
}

// ballPlaced notifies the game and the referee that an action has moved the ball.
func (o *officials) ballPlaced(ballW [3]float64) {
	o.game.BallPlaced(ballW)
	if o.referee != nil {
		o.referee.BallPlaced(ballW)
	}
}

func (o *officials) exchange(c *keyframe.Codec) {
	c.Part("game", "")
	o.game.Exchange(c)
	o.board.Exchange(c)
	c.Part("roster", "")
	o.roster.Exchange(c)
	if o.referee != nil {
		c.Part("referee", "")
		o.referee.Exchange(c)
	}
	if c.Restoring() {
		o.decided = nil
	}
}

// sign adds the referee and its active rules to the fingerprint of key frames.
func (o *officials) sign(f *keyframe.Fingerprint, rules *referee.Rules) {
	if o.referee == nil {
		return
	}
	f.Add("referee")
	f.Add(string(rules.Book))
	for _, rule := range referee.RulesOf(rules.Book) {
		if !slices.Contains(rules.Off, rule) {
			f.Add(rule)
		}
	}
}

// announce passes the decisions of the present step to functions of Match.OnDecision.
func (o *officials) announce() {
	for i := range o.decided {
		d := o.decided[i]
		for _, f := range o.onDecision {
			f(&d)
		}
	}
}

// Report is the state of a game, and the summary of its referee's decisions.
type Report struct {
	game.State
	Tally *referee.Tally // nil without an automatic referee
}

// report returns the state of the game. In a world without an automatic referee it returns nil until the state of the
// game first changes.
func (o *officials) report() *Report {
	r := Report{State: o.game.State()}
	switch {
	case o.referee != nil:
		t := *o.referee.Tally()
		t.Rules = slices.Clone(t.Rules)
		r.Tally = &t
	case r.State == game.Begun():
		return nil
	}
	return &r
}

// judgeGame judges the game in the new state and carries out the referee's orders.
func (d *Director) judgeGame() error {
	o, truth := &d.officials, d.sim.Truth()
	if o.referee == nil {
		before := o.game.State().Score
		o.game.Observe(truth.Ball.PosW)
		for _, team := range [...]physics.Team{physics.Cyan, physics.Magenta} {
			if o.game.State().Score.Of(team) > before.Of(team) {
				o.board.Score(team, true)
			}
		}
		return nil
	}
	decisions, orders := o.referee.Observe(truth, o.game.State(), o.roster.Standings())
	o.decided = decisions
	for i := range orders {
		var a action.Action = &action.GameCommand{Command: orders[i].Command, Team: orders[i].Team,
			Number: orders[i].Number, Offence: orders[i].Removal.Offence, For: orders[i].Removal.For}
		if orders[i].Command == "" {
			a = &action.Place{Name: "ball", X: orders[i].BallPosW[0], Y: orders[i].BallPosW[1]}
		}
		if err := d.sim.Do(a); err != nil {
			return fmt.Errorf("referee at %v: %w", truth.Time, err)
		}
	}
	return nil
}

// refereeOff is the distance of the referee from the touch line, beside the halfway line, m. It is a guess.
const refereeOff = 1.0

// GameCommand carries out a command of the referee box, as action.Simulation describes. It also whistles if the command
// begins or ends play.
func (d *Director) GameCommand(c *action.GameCommand) error {
	if c.Command.ForRobot() {
		return d.commandRobot(c)
	}
	d.officials.command(c.Command, c.Team, d.now())
	if c.Command == game.Reset {
		d.officials.roster.Reset(d.now())
	}
	d.coach.Commanded(d.officials.game.State())
	length := c.Command.Whistle()
	if length == 0 {
		return nil
	}
	var whistle action.Whistle
	whistle.SetDefaults()
	whistle.Y, whistle.For = -(d.model.Field.Width/2 + refereeOff), length
	return d.sim.Do(&whistle)
}

// commandRobot carries out a command of the referee box for a robot. A robot that is sent off is placed next to the
// field.
func (d *Director) commandRobot(c *action.GameCommand) error {
	roster := d.officials.roster
	robot, err := roster.Find(c.Team, c.Number)
	if err != nil {
		return err
	}
	leaves := false
	if c.Command == game.Penalise {
		leaves = roster.Penalise(robot, game.Removal{Offence: c.Offence, For: c.For}, d.now())
	} else {
		leaves = roster.Command(c.Command, robot, d.now())
	}
	if !leaves {
		return nil
	}
	return d.sim.Place(d.model.Robots[robot].Name, roster.ParkedPose(robot), spatial.Twist{})
}

// comeBack places a robot back on the field if the robot's time off the field is over and the game is stopped.
func (d *Director) comeBack() error {
	robot, poseWB, ok := d.officials.roster.Returning(d.sim.Truth(), d.officials.game.State().Phase)
	if !ok {
		return nil
	}
	return d.sim.Place(d.model.Robots[robot].Name, poseWB, spatial.Twist{})
}
