package match

import (
	"time"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
	"github.com/omnipitch/omnipitch/worlds/coach"
	"github.com/omnipitch/omnipitch/worlds/condition"
	"github.com/omnipitch/omnipitch/worlds/expectation"
	"github.com/omnipitch/omnipitch/worlds/game"
	"github.com/omnipitch/omnipitch/worlds/radio"
	"github.com/omnipitch/omnipitch/worlds/task"
)

// Simulation gives a Director access to the running world.
type Simulation interface {
	// Truth returns the present state of all bodies, always at the same address.
	Truth() *physics.Snapshot
	// World returns the running world. Accepts returns an error if the simulation accepts no inputs from outside. Any
	// goroutine may call both of them.
	World() *worlds.World
	Accepts() error
	// Do carries out an action of the world itself. Place moves a body, as Place of action.Simulation does, unless the
	// body is absent.
	Do(a action.Action) error
	Place(name string, poseWB spatial.Pose, twistInW spatial.Twist) error
	// PlaceObstacle moves an obstacle in the engine. Truth shows the new pose after the next step.
	PlaceObstacle(obstacle int, poseWO spatial.Pose, twistInW spatial.Twist) error
	// Level returns a function that returns the level of a sensor's next frame.
	Level(robot, sensor string) (func() abstraction.Level, error)
	// Listen calls observe with each observation of a sensor at a level for which accepts returns true.
	Listen(robot, sensor string, accepts func(abstraction.Level) bool,
		observe func(*sensors.Observation)) (remove func(), err error)
	// Subscribe calls receive with each message of a topic, at the beginning of a step. Unsubscribe ends all
	// subscriptions.
	Subscribe(topic string, fields []string, receive func(*condition.Message))
	Unsubscribe()
	// Hidden reports whether listeners receive nothing, because a replay jumps to another time.
	Hidden() bool
}

// Director carries out what a world prescribes. Its methods belong to the goroutine that steps.
type Director struct {
	sim       Simulation
	world     *worlds.World
	model     *physics.Model
	officials officials
	coach     coach.Coach
	events    []event
	happened  []int    // indices of the events that have happened in the present step
	pending   eventSet // events that the present step has still to test
	affected  eventSet // events whose condition depends on more than occurrences of events: actions may change it
	judge     *expectation.Judge
	episode   *task.Episode // of the world's task; nil if it has none
	people    []walker
	around    *obstructions // what people avoid
	radios    radios

	eventNames map[string]int // indices of the events with names

	unlisten  []func()             // functions that remove the listeners of conditions
	eachStep  []func()             // functions that conditions call for each new state
	kept      []keyframe.Exchanger // memory of conditions
	onEvent   []func(*worlds.Event)
	onVerdict []func(expectation.Verdict)
	onSpeech  []func(action.Speak)
}

// New makes a Director of a simulation. Begin must be called before its other methods.
func New(sim Simulation) *Director { return &Director{sim: sim} }

// Begin prepares for time 0 of a world. The simulation's state must be the initial one. Listeners stay registered.
func (d *Director) Begin(world *worlds.World, model *physics.Model) error {
	d.world, d.model = world, model
	d.people, d.around = newPeople(world, model)
	d.officials.begin(world, model, d.sim.Truth().Ball.PosW)
	d.radios.begin(world)
	d.coach = coach.Coach{}
	return d.bindConditions()
}

// Happen judges the game in the new state, and then carries out the world's events of this time.
func (d *Director) Happen() error {
	if err := d.judgeGame(); err != nil {
		return err
	}
	if err := d.comeBack(); err != nil {
		return err
	}
	if err := d.doEvents(); err != nil {
		return err
	}
	d.coach.Observe(d.officials.game.State())
	return nil
}

// Judge judges the world's expectations in the present state, and reports events and the referee's decisions to
// listeners.
func (d *Director) Judge() {
	d.judge.Step()
	if d.episode != nil {
		d.episode.Step()
	}
	if !d.sim.Hidden() {
		d.reportEvents()
		d.officials.announce()
	}
}

// End decides all expectations that are undecided, as at the end of a run.
func (d *Director) End() { d.judge.End() }

// Jumped notes that the simulation has jumped to another time. No event counts as having happened in the present step.
func (d *Director) Jumped() {
	d.radios.forget()
	d.happened = d.happened[:0]
}

// DropMessages drops the radio messages that no step has taken. Any goroutine may call it.
func (d *Director) DropMessages() { d.radios.forget() }

// Verdicts returns a verdict for each expectation of the world, in the file's order.
func (d *Director) Verdicts() []expectation.Verdict {
	list := d.judge.Verdicts()
	for i := range list {
		list[i] = d.placed(list[i])
	}
	return list
}

// Radios returns the statistics of each robot with a radio.
func (d *Director) Radios() []radio.Report { return d.radios.network.Reports() }

// Standings returns for each robot, in the model's order, whether it is on the field.
func (d *Director) Standings() []game.Standing { return d.officials.roster.Standings() }

// Sign adds to the fingerprint of key frames everything of the Director that has a state in key frames.
func (d *Director) Sign(f *keyframe.Fingerprint) {
	f.Add("events")
	for i := range d.world.Events {
		f.Add(d.world.Events[i].Name)
	}
	f.Add("expectations")
	for i := range d.world.Expect {
		f.Add(d.world.Expect[i].Name)
	}
	if d.world.Task != nil {
		f.Add("task")
		for i := range d.world.Task.Rewards {
			f.Add(d.world.Task.Rewards[i].Name)
		}
	}
	f.AddNumber(uint64(len(d.kept)))
	signPeople(f, d.people)
	d.officials.sign(f, &d.world.Rules.Rules)
}

// Exchange saves or restores the state of the game, events, conditions, expectations, task, coach, people and radio.
func (d *Director) Exchange(c *keyframe.Codec) {
	d.officials.exchange(c)
	for i := range d.events {
		c.Part("event", d.world.Events[i].Name)
		d.events[i].Exchange(c)
	}
	c.Part("conditions", "")
	for _, memory := range d.kept {
		memory.Exchange(c)
	}
	d.judge.Exchange(c)
	if d.episode != nil {
		c.Part("task", "")
		d.episode.Exchange(c)
	}
	c.Part("coach", "")
	d.coach.Exchange(c)
	c.Part("people", "")
	for i := range d.people {
		d.people[i].Exchange(c)
	}
	c.Part("radio", "")
	d.radios.network.Exchange(c)
}

// TellTeam sends a team a message of the coach.
func (d *Director) TellTeam(team physics.Team, word coach.Word) {
	first := !d.coach.Speaks()
	if d.coach.Tell(team, word); first {
		d.coach.Observe(d.officials.game.State()) // the other team's robots receive the present state, too
	}
}

// Speak passes what a robot says to functions of Match.OnSpeech, unless the step is hidden.
func (d *Director) Speak(s action.Speak) {
	if d.sim.Hidden() {
		return
	}
	for _, f := range d.onSpeech {
		f(s)
	}
}

// BallPlaced notifies the game and the referee that an action has moved the ball.
func (d *Director) BallPlaced() { d.officials.ballPlaced(d.sim.Truth().Ball.PosW) }

// RobotPlaced notifies the referee that an action has moved a robot. Truth must have the new pose.
func (d *Director) RobotPlaced(robot int) {
	if d.officials.referee != nil {
		d.officials.referee.RobotPlaced(robot)
	}
}

// StartPose returns the pose at which a robot starts. A robot that has been sent off starts next to the field.
func (d *Director) StartPose(robot int) spatial.Pose {
	if d.Standings()[robot].Out != "" {
		return d.officials.roster.ParkedPose(robot)
	}
	return d.model.Robots[robot].Pose
}

// ClearCommands clears the commands of robots that may not play.
func (d *Director) ClearCommands(commands []physics.Command) {
	d.officials.roster.ClearCommands(commands)
}

// Report returns the state of the game. In a world without an automatic referee it returns nil until the state of the
// game first changes.
func (d *Director) Report() *Report { return d.officials.report() }

func (d *Director) now() time.Duration { return d.sim.Truth().Time }
