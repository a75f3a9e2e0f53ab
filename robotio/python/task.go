package python

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"time"
	"unsafe"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction/random"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
	"github.com/omnipitch/omnipitch/worlds/task"
)

// order is what Python asks of one world in the request decide.
type order uint8

const (
	keep      order = iota // the world stays as it is
	decide                 // the agents act until the next decision
	nextStart              // the next episode begins
	newStart               // the first episode of another seed begins
)

// firstWait is the longest sim time in which the sensors deliver their first observations after a start. It is a guess:
// above the latency of vision.
const firstWait = time.Second

// tasks describes the blocks of shared memory in which several worlds exchange observations and actions with Python.
// The first index of each block is that of the world.
type tasks struct {
	Blocks  []blockJSON `json:"blocks"`
	Agents  []string    `json:"agents"`
	Teams   []string    `json:"teams"` // of each agent
	Columns []string    `json:"columns"`
	Actions []string    `json:"actions"`
	States  []string    `json:"states"`
	Offset  int         `json:"offset"` // of the memory of all blocks, a multiple of the size of a page
	Size    int         `json:"size"`

	memory *memory
}

// blockJSON is an array in shared memory.
type blockJSON struct {
	Name   string `json:"name"`
	DType  string `json:"dtype"`
	Shape  []int  `json:"shape"`
	Offset int    `json:"offset"` // from the offset of all blocks
}

// taskRun is a world with a task.
type taskRun struct {
	*simulation
	*task.Task
	order     *order
	seed      *uint64
	actions   []float32
	rows      []float32
	images    []byte
	state     []float32
	rewards   []float64
	ended     []byte // terminated, truncated and success
	views     []*task.View
	robots    []physics.Robot // in the model's order
	agents    []agent
	pending   map[string]bool // sensors that have not delivered since the start
	first     uint64          // seed of the first episode
	episode   uint64
	decisions int64 // decisions of this episode that have ended
}

// block reserves memory for an array of worlds, and returns the part of each world.
func block[T any](t *tasks, name, dtype string, worlds int, shape ...int) func(world int) []T {
	n := 1
	for _, d := range shape {
		n *= d
	}
	var one T
	offset := t.Size
	t.Blocks = append(t.Blocks, blockJSON{name, dtype, append([]int{worlds}, shape...), offset})
	t.Size += aligned(worlds * n * int(unsafe.Sizeof(one)))
	return func(world int) []T {
		at := t.Offset + offset + world*n*int(unsafe.Sizeof(one))
		return unsafe.Slice((*T)(unsafe.Pointer(&t.memory.data[at])), n)
	}
}

// startTasks prepares the tasks of simulations of one world.
func startTasks(m *memory, all []*simulation) (*tasks, error) {
	if len(all) == 0 || all[0].sim.World().Task == nil {
		return nil, inputError{errors.New("task: the world has no [task]")}
	}
	w := all[0].sim.World()
	model, cfg, n := w.Model(), w.Task, len(all)
	t := &tasks{Agents: cfg.Agents, Columns: cfg.Columns(), Actions: cfg.ActionColumns(model),
		States: task.StateColumns(model), memory: m}
	for _, name := range cfg.Agents {
		r, _ := w.Robot(name)
		t.Teams = append(t.Teams, string(r.Team))
	}
	agents := len(cfg.Agents)
	orders, seeds := block[order](t, "orders", "u1", n), block[uint64](t, "seeds", "<u8", n)
	actions := block[float32](t, "actions", "<f4", n, agents, len(t.Actions))
	var rows func(int) []float32
	var images func(int) []byte
	if cfg.Observe.Image == "" {
		rows = block[float32](t, "observations", "<f4", n, agents, len(t.Columns))
	} else {
		c, _ := w.Sensor(cfg.Agents[0], cfg.Observe.Image)
		images = block[byte](t, "observations", "u1", n, agents, c.Image.Height, c.Image.Width, 3)
	}
	states := block[float32](t, "states", "<f4", n, len(t.States))
	rewards, ended := block[float64](t, "rewards", "<f8", n, agents), block[byte](t, "ended", "u1", n, 3)
	page := os.Getpagesize()
	offset, err := m.allocate(t.Size + page)
	if err != nil {
		return nil, err
	}
	t.Offset = (offset + page - 1) / page * page
	for i, one := range all {
		r := &taskRun{simulation: one, Task: cfg, order: &orders(i)[0], seed: &seeds(i)[0], actions: actions(i),
			state: states(i), rewards: rewards(i), ended: ended(i), first: one.sim.World().Seed}
		if images != nil {
			r.images = images(i)
		} else {
			r.rows = rows(i)
		}
		if err := r.listen(); err != nil {
			return nil, err
		}
		for _, name := range cfg.Agents {
			k := slices.IndexFunc(r.robots, func(robot physics.Robot) bool { return robot.Name == name })
			r.agents = append(r.agents, agent{robot: k, sideways: task.DrivesSideways(&r.robots[k])})
		}
		one.task = r
	}
	return t, nil
}

// listen makes the views of the agents, and listens to the sensors that they need.
func (r *taskRun) listen() error {
	if err := r.look(); err != nil {
		return err
	}
	for i, v := range r.views {
		for _, sensor := range v.Sensors {
			name := r.Agents[i] + "." + sensor
			if _, err := r.sim.Listen(r.Agents[i], sensor, omnipitch.Listener{Observe: func(o *sensors.Observation) {
				delete(r.pending, name)
				r.views[i].See(sensor, o)
				if o.Color != nil && sensor == r.Observe.Image {
					n := len(r.images) / len(r.Agents)
					copy(r.images[i*n:(i+1)*n], o.Color.Pix)
				}
			}}); err != nil {
				return err
			}
		}
	}
	return nil
}

// look makes the views of the agents in a world that starts. Nothing has been observed.
func (r *taskRun) look() error {
	w := r.sim.World()
	model := w.Model()
	r.robots = model.Robots
	r.pending, r.decisions = map[string]bool{}, 0
	clear(r.rows)
	clear(r.images)
	r.views = r.views[:0]
	for i, agent := range r.Agents {
		var row []float32
		if columns := len(r.rows) / len(r.Agents); columns > 0 {
			row = r.rows[i*columns : (i+1)*columns]
		}
		v, err := w.Task.NewView(i, model, w.AllAreas(), r.sim.Truth(), r.sim.Match().Game, row)
		if err != nil {
			return err
		}
		for _, sensor := range v.Sensors {
			r.pending[agent+"."+sensor] = true
		}
		r.views = append(r.views, v)
	}
	return nil
}

// carryOut carries out the order of the request decide.
func (r *taskRun) carryOut(ctx context.Context) error {
	if r == nil {
		return inputError{errors.New("decide: the task has not been started")}
	}
	switch *r.order {
	case keep:
		return nil
	case nextStart:
		r.episode++
		return r.start(ctx)
	case newStart:
		r.first, r.episode = *r.seed, 0
		return r.start(ctx)
	}
	return r.decide(ctx)
}

// start begins an episode, and steps until each sensor has delivered.
func (r *taskRun) start(ctx context.Context) error {
	seed := r.first
	if r.episode > 0 {
		seed, _ = random.New(r.first, "task", "episode", 0).Bits(r.episode)
		seed >>= 1 // a world file has a signed integer
	}
	world, err := r.sim.World().Reseeded(ctx, &seed)
	if err != nil {
		return inputError{err}
	}
	if err := r.sim.Restart(world); err != nil {
		return inputError{err}
	}
	r.table.clear()
	r.verdicts, r.told = nil, 0
	if err := r.look(); err != nil {
		return err
	}
	if err := r.until(ctx, func() bool { return len(r.pending) > 0 && r.sim.Truth().Time < firstWait }); err != nil {
		return err
	}
	for r.decisionEnd(r.decisions+1) <= r.sim.Truth().Time {
		r.decisions++
	}
	r.report()
	clear(r.rewards)
	return nil
}

// decisionEnd returns the sim time at which a decision ends, the first step that is not before its due time, as for
// frames of sensors.
func (r *taskRun) decisionEnd(n int64) time.Duration {
	due, step := time.Duration(float64(n)/r.Rate*1e9), r.sim.World().Time.Step
	return (due + step - 1) / step * step
}

// decide lets the agents act until the next decision, or until the episode ends.
func (r *taskRun) decide(ctx context.Context) error {
	if err := r.act(); err != nil {
		return err
	}
	r.decisions++
	end := r.decisionEnd(r.decisions)
	episode := r.sim.Match().Episode()
	if err := r.until(ctx, func() bool {
		return r.sim.Truth().Time < end && episode.Outcome == task.Running
	}); err != nil {
		return err
	}
	r.report()
	return nil
}

// until takes at least one step, and further ones while more returns true.
func (r *taskRun) until(ctx context.Context, more func() bool) error {
	r.asked = false
	for again := true; again; again = more() && ctx.Err() == nil {
		if err := errors.Join(r.sim.Step(), r.err); err != nil {
			return err
		}
	}
	return r.putTruth()
}

// report writes what Python reads after a decision.
func (r *taskRun) report() {
	for _, v := range r.views {
		v.Look()
	}
	task.PutState(r.state, r.sim.Truth())
	episode := r.sim.Match().Episode()
	copy(r.rewards, episode.Rewards)
	clear(episode.Rewards)
	clear(r.ended)
	r.ended[0] = flag(episode.Outcome != task.Running)
	r.ended[1] = flag(episode.Outcome == task.Running && r.sim.Truth().Time >= r.Limit)
	r.ended[2] = flag(episode.Outcome == task.Success)
}

func flag(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// act gives the agents' commands.
func (r *taskRun) act() error {
	columns := len(r.actions) / len(r.Agents)
	for i, x := range r.actions {
		if x != x {
			return inputError{fmt.Errorf("actions of %s: a number is NaN", r.Agents[i/columns])}
		}
	}
	for i := range r.agents {
		if err := r.sim.Do(r.agents[i].decide(r, r.actions[i*columns:(i+1)*columns])...); err != nil {
			return inputError{err}
		}
	}
	return nil
}

// agent holds the actions of an agent, which each decision uses again.
type agent struct {
	robot    int
	sideways bool
	drive    action.Drive
	dribble  action.Dribble
	list     []action.Action
}

// decide returns the actions that a row of numbers stands for.
func (a *agent) decide(r *taskRun, row []float32) []action.Action {
	robot := &r.robots[a.robot]
	next := func() float64 {
		x := row[0]
		row = row[1:]
		return float64(max(-1, min(1, x)))
	}
	a.list = a.list[:0]
	for _, name := range r.Actions {
		switch name {
		case task.Drive:
			a.drive = action.Drive{Robot: robot.Name, VX: next() * robot.Drive.MaxSpeed}
			if a.sideways {
				a.drive.VY = next() * robot.Drive.MaxSpeed
			}
			a.drive.Omega = next() * robot.Drive.MaxOmega
			a.list = append(a.list, &a.drive)
		case task.Dribble:
			a.dribble = action.Dribble{Robot: robot.Name, Enable: next() > 0}
			a.list = append(a.list, &a.dribble)
		case task.Kick:
			if x := next(); x > 0 && r.sim.Truth().Ball.HeldBy == a.robot { // otherwise it would kick nothing
				a.list = append(a.list, &action.Kick{Robot: robot.Name, Way: "flat", Speed: x * robot.Kicker.MaxSpeed,
					Limit: math.Inf(1), Now: true})
			}
		}
	}
	return a.list
}

// savedTask is the state of a task that is not in the state of its world.
type savedTask struct {
	world          *worlds.World
	first, episode uint64
	decisions      int64
	rows, state    []float32
	images, ended  []byte
	rewards        []float64
}

func (r *taskRun) save() *savedTask {
	if r == nil {
		return nil
	}
	return &savedTask{r.sim.World(), r.first, r.episode, r.decisions, slices.Clone(r.rows), slices.Clone(r.state),
		slices.Clone(r.images), slices.Clone(r.ended), slices.Clone(r.rewards)}
}

// enter starts the world of a saved episode, if another one runs.
func (r *taskRun) enter(from *savedTask) error {
	if r == nil || from == nil || r.sim.World() == from.world {
		return nil
	}
	if err := errors.Join(r.sim.Restart(from.world), r.sim.Step()); err != nil {
		return err
	}
	return r.look()
}

func (r *taskRun) restore(from *savedTask) {
	if r == nil || from == nil {
		return
	}
	r.first, r.episode, r.decisions, r.pending = from.first, from.episode, from.decisions, nil
	copy(r.rows, from.rows)
	copy(r.state, from.state)
	copy(r.images, from.images)
	copy(r.ended, from.ended)
	copy(r.rewards, from.rewards)
}
