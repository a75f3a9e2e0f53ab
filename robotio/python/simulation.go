package python

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/robotio/replay"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
	"github.com/omnipitch/omnipitch/worlds/expectation"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// simulation is one running world of a Python program.
type simulation struct {
	sim      *omnipitch.Sim
	replay   *replay.Replay // which sim is part of; nil for a world that runs
	vision   Assessment     // of the vision that is assessed, or nil
	table    *table
	verdicts []expectation.Verdict // since the last reset
	told     int                   // number of verdicts that Python knows
	asked    bool                  // an action waits for the next step
	err      error                 // of a listener
	task     *taskRun              // nil until Python asks for it
	overview overview
}

// openRequest asks for a simulation.
type openRequest struct {
	World  string          `json:"world"`  // name or path of a world
	Replay string          `json:"replay"` // or path of a recording
	Text   string          `json:"text"`   // or the text of a world file
	Table  json.RawMessage `json:"table"`  // or a world file as a JSON object
	Seed   *uint64         `json:"seed"`   // nil: the world's
	Levels []string        `json:"levels"` // as of --level: ROBOT.SENSOR=LEVEL
	// Sensors are patterns of names ROBOT.SENSOR. Python observes the sensors that match any of them.
	Sensors  []string        `json:"sensors"`
	Renderer string          `json:"renderer"`
	Assess   json.RawMessage `json:"assess"` // options of an assessment, which chooses the sensor
	Batch    bool            `json:"batch"`  // other simulations step at the same time
}

// opened describes a simulation to Python.
type opened struct {
	Simulation int      `json:"simulation"`
	World      string   `json:"world"`
	Seed       uint64   `json:"seed"`
	Step       int64    `json:"step_ns"`
	Robots     []string `json:"robots"`
	Agents     []string `json:"agents"` // of the world's task
	Obstacles  []string `json:"obstacles"`
	Sensors    []string `json:"sensors"` // observed ones, in the order of the table's rows after the first
	Table      int      `json:"table"`   // offset of the table in the shared memory
	Warnings   []string `json:"warnings"`
	Bodies     []string `json:"bodies"`      // names of the bodies of touches and events, by number
	EventKinds []string `json:"event_kinds"` // by number
	Begin      int64    `json:"begin_ns"`    // of a recording
	End        int64    `json:"end_ns"`
}

// setLevels sets the levels that a request asks for.
func (r *openRequest) setLevels(w *worlds.World) error {
	var errs []error
	for _, l := range r.Levels {
		if err := w.ApplyLevel(l); err != nil {
			errs = append(errs, fmt.Errorf("levels: %w", err))
		}
	}
	return errors.Join(errs...)
}

// load reads the world of a request.
func (r *openRequest) load() (w *worlds.World, err error) {
	text := []byte(r.Text)
	if r.Table != nil {
		if text, _, err = schema.FromJSON(r.Table); err != nil {
			return nil, fmt.Errorf("world: %w", err)
		}
	}
	switch {
	case r.World != "":
		w, err = worlds.Load(r.World, r.setLevels)
	default:
		w, err = worlds.Parse("world", text, r.setLevels)
	}
	if err != nil {
		return nil, err
	}
	return w.Reseeded(context.Background(), r.Seed)
}

// open starts a simulation, or a replay.
func open(r *openRequest, m *memory, cache *omnipitch.Cache, assess Assess) (*simulation, opened, error) {
	s := &simulation{}
	options := omnipitch.Options{Renderer: r.Renderer, NoWorker: r.Batch, Cache: cache,
		OnVerdict: func(v expectation.Verdict) { s.verdicts = append(s.verdicts, v) }}
	start := s.start
	if r.Replay != "" {
		start = s.startReplay
	}
	warnings, err := start(r, options, assess)
	if err != nil {
		s.close()
		return nil, opened{}, err
	}
	w := s.sim.World()
	o := opened{World: w.Name, Seed: w.Seed, Step: int64(w.Time.Step), Robots: []string{}, Obstacles: []string{},
		Sensors: []string{}, Warnings: append(append([]string{}, w.Warnings()...), warnings...)}
	if w.Task != nil {
		o.Agents = w.Task.Agents
	}
	o.describeBodies(w.Model())
	if err := s.listen(r.Sensors, m, &o); err != nil {
		s.close()
		return nil, opened{}, err
	}
	if err := s.showBegin(&o); err != nil {
		s.close()
		return nil, opened{}, err
	}
	return s, o, nil
}

// start starts the world of a request.
func (s *simulation) start(r *openRequest, options omnipitch.Options, assess Assess) (warnings []string, err error) {
	w, err := r.load()
	if err != nil {
		return nil, inputError{err}
	}
	if err := s.assess(r, w, &options, assess); err != nil {
		return nil, err
	}
	if s.sim, err = omnipitch.New(w, options); err == nil && s.vision != nil {
		err = s.vision.Follow(s.sim)
	}
	return nil, err
}

func (s *simulation) close() {
	s.overview.close()
	switch {
	case s.replay != nil:
		s.replay.Close()
		s.replay.Recording().Close()
	case s.sim != nil:
		s.sim.Close()
	}
}

// listen makes the table and listens to the sensors that match a pattern.
func (s *simulation) listen(patterns []string, m *memory, o *opened) error {
	w := s.sim.World()
	for _, x := range w.AllObstacles() {
		o.Obstacles = append(o.Obstacles, x.Name)
	}
	for _, pattern := range patterns {
		if pattern == "*" {
			continue // fits any world
		}
		if err := w.CheckSensors(pattern); err != nil {
			return inputError{fmt.Errorf("sensors: %q: %w", pattern, err)}
		}
	}
	text := len("post_minus_right") // as long as any name of the simulator's own
	var all [][2]string
	for i := range w.Robots {
		r := &w.Robots[i]
		o.Robots = append(o.Robots, r.Name)
		text = max(text, utf8.RuneCountInString(r.Name))
		for k := range r.Sensors {
			if name := r.Sensors[k].Name; worlds.MatchesSensor(patterns, r.Name, name) {
				all = append(all, [2]string{r.Name, name})
				o.Sensors = append(o.Sensors, r.Name+"."+name)
			}
		}
	}
	for _, name := range o.Obstacles {
		text = max(text, utf8.RuneCountInString(name))
	}
	for _, p := range w.Model().Props { // walls, boxes and cylinders, too
		text = max(text, utf8.RuneCountInString(p.Name))
	}
	for _, kind := range w.Kinds() {
		text = max(text, utf8.RuneCountInString(kind))
	}
	t, err := newTable(m, 1+len(all), text)
	if err != nil {
		return err
	}
	s.table, o.Table = t, t.offset
	for i, name := range all {
		if _, err := s.sim.Listen(name[0], name[1], omnipitch.Listener{Observe: func(obs *sensors.Observation) {
			s.err = errors.Join(s.err, t.putObservation(1+i, obs))
		}}); err != nil {
			return err
		}
	}
	return s.putTruth()
}

// putTruth shows the true state to Python.
func (s *simulation) putTruth() error {
	at := s.sim.Truth().Time
	if s.replay != nil {
		at = s.replay.Now()
	}
	return s.table.putTruth(s.sim.Truth(), at)
}

// reset starts the world again, with another seed if seed is not nil, and takes the first step.
func (s *simulation) reset(ctx context.Context, seed *uint64) error {
	w, err := s.sim.World().Reseeded(ctx, seed)
	if err != nil {
		return inputError{err}
	}
	if err := s.sim.Restart(w); err != nil {
		return inputError{err}
	}
	s.table.clear()
	s.verdicts, s.told = nil, 0
	return s.step(ctx, 1)
}

// advance takes the steps that begin within the given sim time, at least one, or as many as ctx allows.
func (s *simulation) advance(ctx context.Context, d time.Duration) error {
	step := s.sim.World().Time.Step
	return s.step(ctx, max(1, int64((d+step/2)/step)))
}

func (s *simulation) step(ctx context.Context, n int64) error {
	s.asked = false
	for range n {
		if ctx.Err() != nil {
			break
		}
		if err := s.sim.Step(); errors.Is(err, omnipitch.ErrEnd) {
			break // of a recording
		} else if err != nil {
			return err
		}
		if s.err != nil {
			return s.err
		}
	}
	return s.putTruth()
}

// do carries out an action, a JSON object with one key as in world files.
func (s *simulation) do(body []byte) error {
	_, a, err := action.Parse(body)
	if err == nil {
		err = action.Check(a)
	}
	if err == nil {
		err = s.sim.Do(a)
	}
	if err != nil {
		return inputError{err}
	}
	s.asked = true
	return nil
}

// saved is the exact state of a simulation, and what Python has observed.
type saved struct {
	state []byte
	rows  []kept
	task  *savedTask
}

// save returns the state.
func (s *simulation) save() (*saved, error) {
	if s.asked {
		return nil, inputError{errors.New("save: an action waits for the next step: step first")}
	}
	state, err := s.sim.Replay().AppendState(nil)
	if err != nil {
		return nil, inputError{fmt.Errorf("save: %w", err)}
	}
	return &saved{state, s.table.save(), s.task.save()}, nil
}

// restore sets the state. It may be that of another simulation of the same world.
func (s *simulation) restore(from *saved) error {
	if len(from.rows) != len(s.table.slots) {
		return inputError{errors.New("restore: the state is of a simulation with other sensors")}
	}
	if err := s.task.enter(from.task); err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	if err := s.sim.Replay().RestoreState(from.state); err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	s.asked, s.verdicts, s.told = false, nil, 0
	s.task.restore(from.task)
	return s.table.restore(from.rows)
}

// appendNews appends what Python does not know yet of a simulation.
func (s *simulation) appendNews(news []update, number int) []update {
	t := s.table
	if t.told == len(t.forms) && s.told == len(s.verdicts) {
		return news
	}
	u := update{Simulation: number, FormsFrom: t.told, Forms: t.forms[t.told:], VerdictsFrom: s.told,
		Verdicts: []verdictJSON{}}
	for _, v := range s.verdicts[s.told:] {
		u.Verdicts = append(u.Verdicts, verdictJSON{v.Name, string(v.Outcome), v.At.Seconds(), v.Expected, v.Was})
	}
	t.told, s.told = len(t.forms), len(s.verdicts)
	return append(news, u)
}
