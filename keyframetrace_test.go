package omnipitch

import (
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/engine"
	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
	"github.com/omnipitch/omnipitch/worlds/expectation"
	"github.com/omnipitch/omnipitch/worlds/game"
	"github.com/omnipitch/omnipitch/worlds/player"
)

// stateLog holds all states of an engine: after each step, and after each placement of a body.
type stateLog struct{ steps [][]*physics.Snapshot }

// recorded is an engine whose states are logged.
type recorded struct {
	physics.Engine
	log *stateLog
}

func (e *recorded) record() {
	var now physics.Snapshot
	e.Engine.Snapshot(&now)
	last := len(e.log.steps) - 1
	e.log.steps[last] = append(e.log.steps[last], &now)
}

func (e *recorded) Step(commands []physics.Command) error {
	err := e.Engine.Step(commands)
	e.log.steps = append(e.log.steps, nil)
	e.record()
	return err
}

func (e *recorded) PlaceRobot(robot int, poseWB spatial.Pose, twist spatial.Twist) error {
	defer e.record()
	return e.Engine.PlaceRobot(robot, poseWB, twist)
}

func (e *recorded) PlaceObstacle(obstacle int, poseWO spatial.Pose, twist spatial.Twist) error {
	defer e.record()
	return e.Engine.PlaceObstacle(obstacle, poseWO, twist)
}

func (e *recorded) PlaceBall(posW mgl64.Vec3, twist spatial.Twist) error {
	defer e.record()
	return e.Engine.PlaceBall(posW, twist)
}

// playback is an engine that plays a stateLog back, and computes nothing.
type playback struct {
	log          *stateLog
	step, placed int
}

func (e *playback) Step([]physics.Command) error {
	if e.step, e.placed = e.step+1, 0; e.step >= len(e.log.steps) {
		return errors.New("the log is over")
	}
	return nil
}

func (e *playback) place() error {
	if e.placed++; e.placed >= len(e.log.steps[e.step]) {
		return fmt.Errorf("step %d: nothing was placed here", e.step)
	}
	return nil
}

func (e *playback) Snapshot(s *physics.Snapshot)                         { e.log.steps[e.step][e.placed].CopyTo(s) }
func (e *playback) PlaceRobot(int, spatial.Pose, spatial.Twist) error    { return e.place() }
func (e *playback) PlaceObstacle(int, spatial.Pose, spatial.Twist) error { return e.place() }
func (e *playback) PlaceBall(mgl64.Vec3, spatial.Twist) error            { return e.place() }
func (e *playback) Push(physics.BodyID, mgl64.Vec3, mgl64.Vec3)          {}
func (e *playback) MoveJoints(int, []int, []physics.JointTarget) error   { return nil }
func (e *playback) PlayAnimation(int, int) error                         { return nil }
func (e *playback) Close()                                               {}

// telling is a renderer whose images show all their inputs: their first bytes are a hash of the view and of the batch.
type telling struct{}

func (telling) Render(b *render.Batch) error {
	for i := range b.Views {
		v := &b.Views[i]
		c := keyframe.Append(nil)
		c.Value(&b.PosesWB)
		if b.Shading != nil {
			c.Value(&b.Shading.Light)
			c.Value(&b.Shading.Carpet)
			for k := range b.Shading.Materials {
				c.Value(&b.Shading.Materials[k].Color)
			}
		}
		c.Value(&v.PoseWC)
		if v.Before != nil && v.Truth != nil {
			c.Value(v.Before)
		}
		c.Uint(&v.NoiseKey)
		sum := fnv.New64a()
		sum.Write(c.Data())
		hash := sum.Sum(nil)
		if v.Color != nil {
			clear(v.Color.Pix)
			copy(v.Color.Pix, hash)
		}
		if v.Depth != nil {
			for k := range v.Depth.Z {
				v.Depth.Z[k] = 2
			}
			v.Depth.Z[0] = 1 + float32(hash[0])/256
		}
		if v.Truth != nil {
			v.Truth.Labels[0] = uint16(hash[0])
		}
	}
	return nil
}

func (telling) Close() {}

// trace is a Sim and a log of its output for each step.
type trace struct {
	sim    *Sim
	engine *playback // nil: the engine of the world
	log    *stateLog
	inputs kept
	steps  map[int64][]string
}

func (x *trace) note(args ...any) {
	x.steps[x.sim.truth.Step] = append(x.steps[x.sim.truth.Step], fmt.Sprint(args...))
}

// newTrace makes a Sim of a world, with the world's engine, or if play is not nil with a playback of it.
func newTrace(t testing.TB, w *worlds.World, play *stateLog, cache *Cache, hooks ...func(*Options)) *trace {
	t.Helper()
	x := &trace{steps: map[int64][]string{}, log: &stateLog{steps: make([][]*physics.Snapshot, 1)}}
	opts := Options{
		Renderer: *keyFrameDraw, Cache: cache,
		OnVerdict: func(v expectation.Verdict) { x.note(v) },
		NewEngine: func(m *physics.Model) (physics.Engine, error) {
			engine, err := engine.New(m)
			e := &recorded{engine, x.log}
			e.record()
			return e, err
		},
	}
	if *keyFrameDraw == "" {
		opts.NewRenderer = func(*render.Scene) (render.Renderer, error) { return telling{}, nil }
	}
	if play == nil {
		opts.OnInput = x.inputs.add
	} else {
		opts.Replay = &x.inputs
		x.engine = &playback{log: play}
		opts.NewEngine = func(*physics.Model) (physics.Engine, error) { return x.engine, nil }
	}
	for _, hook := range hooks {
		hook(&opts)
	}
	sim := must.Get(New(w, opts))(t)
	x.sim = sim
	sim.OnStep(func(s *physics.Snapshot) {
		x.note("state ", s.Hash(), sim.Match().Game(), sim.light.Lighting, sim.commands.Taken)
	})
	sim.Sensors().OnLevel(func(c LevelChange) { x.note("level ", c) })
	sim.Clock().OnTick(func(now time.Duration) { x.note("clock ", now) })
	for _, r := range w.Robots {
		for i, s := range r.Sensors {
			l := Listener{Observe: x.observe}
			if i%3 == 1 { // some listeners do not want all frames
				l.Wants = func(abstraction.Level) bool { return sim.truth.Step/40%2 == 0 }
			}
			must.Get(sim.Listen(r.Name, s.Name, l))(t)
		}
	}
	return x
}

// observe notes all bits of an observation.
func (x *trace) observe(o *sensors.Observation) {
	c := keyframe.Append(nil)
	for _, part := range []any{o.Features, o.Objects, o.Color, o.Depth, o.Truth, o.Reading, &o.PoseBC} {
		switch p := part.(type) {
		case *abstraction.FeatureList:
			if p != nil {
				c.Value(p)
			}
		case *abstraction.ObjectList:
			if p != nil {
				c.Value(p)
			}
		case *render.Image:
			if p != nil {
				c.Bytes(&p.Pix)
			}
		case *render.Depth:
			if p != nil {
				c.Value(p)
			}
		case *render.Truth:
			if p != nil {
				c.Value(p)
			}
		case nil:
		default:
			c.Value(p)
		}
	}
	sum := fnv.New64a()
	sum.Write(c.Data())
	x.note(o.Robot, ".", o.Sensor, " ", o.Level, " ", o.Fault, " frame ", o.Frame, " of ", o.Stamp, ": ", sum.Sum64())
}

// moment is a key frame with the state of bodies at its time.
type moment struct {
	data   []byte
	state  *physics.Snapshot
	placed int // number of bodies placed in the step
	inputs int // number of inputs before it
}

func (x *trace) moment() *moment {
	m := &moment{data: x.sim.Replay().AppendKeyFrame(nil), state: x.sim.Truth().Clone(), inputs: len(x.inputs.inputs)}
	if x.engine == nil {
		m.placed = len(x.log.steps[m.state.Step]) - 1
	}
	return m
}

// advance takes a step, and notes the state of the game, events, expectations, people and radio after it.
func (x *trace) advance(t testing.TB) {
	t.Helper()
	must.Do(t, x.sim.Step())
	c := keyframe.Append(nil)
	x.sim.match.Exchange(c)
	sum := fnv.New64a()
	sum.Write(c.Data())
	x.note("match ", sum.Sum64())
}

// deeds returns random actions for each step: commands, and now and then an action with lasting effects.
func deeds(w *worlds.World, steps int, seed uint64) [][]action.Action {
	all, random := make([][]action.Action, steps), rand.New(rand.NewPCG(seed, 1))
	any := func() (*worlds.Robot, *sensors.Config) {
		r := &w.Robots[random.IntN(len(w.Robots))]
		if len(r.Sensors) == 0 {
			return r, &sensors.Config{}
		}
		return r, &r.Sensors[random.IntN(len(r.Sensors))]
	}
	number := func(x float64) *float64 { return &x }
	metered := slices.ContainsFunc(w.Robots, func(r worlds.Robot) bool {
		return slices.ContainsFunc(r.Sensors, func(s sensors.Config) bool {
			return s.AutoExposure != nil || s.AutoWhiteBalance != nil
		})
	})
	for n := range all {
		if len(w.Robots) == 0 {
			continue
		}
		r, s := any()
		if r.Player == nil {
			all[n] = append(all[n], &action.Drive{Robot: r.Name, VX: 1.5 * random.Float64(), Omega: 2*random.Float64() -
				1}, &action.Dribble{Robot: r.Name, Enable: n%2 == 0})
		}
		if random.IntN(8) != 0 {
			continue
		}
		var a action.Action
		switch random.IntN(20) {
		case 0:
			levels := s.Kind.Levels()
			if len(levels) == 0 {
				continue
			}
			a = &action.SetLevel{Robot: r.Name, Sensor: s.Name, Level: levels[random.IntN(len(levels))]}
		case 1, 2:
			faults := s.Kind.Faults()
			a = &action.BreakSensor{Robot: r.Name, Sensor: s.Name, Fault: faults[random.IntN(len(faults))]}
		case 3:
			a = &action.HealSensor{Robot: r.Name, Sensor: s.Name}
		case 4:
			light := &action.SetLight{Lamp: number(2 * random.Float64()), LampAzimuth: number(random.Float64()),
				Over: time.Duration(random.IntN(5)) * 100 * time.Millisecond}
			if metered { // the meter would compute the light of the hall again in each frame: a second each time
				light.LampAzimuth = nil
			}
			a = light
		case 5:
			a = &action.SetBallColor{Color: "#0000ff"}
		case 6:
			a = &action.Place{Name: "ball", X: random.Float64(), Y: random.Float64(), VX: 1}
		case 7:
			a = &action.GameCommand{Command: "goal", Team: physics.Cyan}
		case 8:
			a = &action.SetBallHandling{Robot: r.Name, Enable: random.IntN(2) == 0}
		case 9:
			a = &action.CutWires{Robot: r.Name}
		case 10:
			a = &action.SetHeadMode{Robot: r.Name, Sensor: s.Name, Mode: "search"}
		case 11:
			a = &action.AimHead{Robot: r.Name, Sensor: s.Name, Pan: random.Float64()}
		case 12:
			way := player.Way{Points: []player.Point{{X: random.Float64()}, {Y: random.Float64()}}}
			way.SetDefaults()
			a = &action.Follow{Robot: r.Name, Way: way}
		case 13:
			p := &action.Play{Robot: r.Name}
			switch random.IntN(4) {
			case 0:
				p.Hold = &player.Hold{}
				p.Hold.SetDefaults()
			case 1:
				p.ChaseBall = &player.ChaseBall{}
				p.ChaseBall.SetDefaults()
			case 2:
				p.Keeper = &player.Keeper{}
				p.Keeper.SetDefaults()
			default:
				p.Patrol = &player.Patrol{Way: player.Way{Points: []player.Point{{X: 1}, {Y: 1}, {X: -1}}},
					BackAndForth: true}
				p.Patrol.SetDefaults()
			}
			a = p
		case 14:
			a = &action.Kick{Robot: r.Name, Speed: 3}
		case 15:
			commands := []game.Command{game.Repair, game.RepairEnd, game.YellowCard, game.DoubleYellow}
			a = &action.GameCommand{Command: commands[random.IntN(len(commands))], Team: r.Team, Number: r.Number}
		case 16:
			a = &action.Push{Name: "ball", FX: random.Float64(), For: time.Duration(random.IntN(1e9))}
		case 17:
			a = &action.Delete{Name: r.Name}
		case 18:
			a = &action.Spawn{Place: action.Place{Name: r.Name, X: 3 * random.Float64(), Y: 1}}
		default:
			if len(w.Boards) > 0 {
				a = &action.Hang{Name: w.Boards[0].Name, PoseInAir: action.PoseInAir{X: random.Float64(), Z: 1}}
			}
		}
		if a != nil {
			all[n] = append(all[n], a)
		}
	}
	return all
}
