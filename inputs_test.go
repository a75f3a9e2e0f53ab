package omnipitch

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
	"github.com/omnipitch/omnipitch/worlds/command"
	"github.com/omnipitch/omnipitch/worlds/condition"
)

// kept is a ReplaySource that stores inputs and returns them again.
type kept struct {
	inputs []Input
	next   int
	until  int64 // step at which the replay is over; 0: never
}

func (k *kept) add(in *Input) {
	x := *in
	if x.Command != nil {
		c := *x.Command
		x.Command = &c
	}
	k.inputs = append(k.inputs, x)
}

func (k *kept) Next(step int64, moment Moment) (*Input, error) {
	if k.next == len(k.inputs) || k.inputs[k.next].Step != step || k.inputs[k.next].Moment != moment {
		return nil, nil
	}
	k.next++
	return &k.inputs[k.next-1], nil
}

func (k *kept) Steps() int64 { return 0 } // it keeps no restart from the announcement of time 0

func (k *kept) Over() bool { return k.until > 0 && k.next == len(k.inputs) }

func (k *kept) BeforeStep() error { return nil }

// chatter implements condition.Topics: its topics deliver numbers now and then.
type chatter struct {
	random    *rand.Rand
	receivers []func(*condition.Message)
}

func (c *chatter) Subscribe(_ string, fields []string, receive func(*condition.Message)) func() {
	c.receivers = append(c.receivers, receive)
	return func() {}
}

func (c *chatter) Take(now time.Duration) {
	for _, receive := range c.receivers {
		if c.random.IntN(20) == 0 {
			receive(&condition.Message{Arrived: now, Stamp: now,
				Values: []condition.Value{{Known: true, Number: c.random.Float64()}}})
		}
	}
}

// busy is a world in which external inputs have consequences. Its events and players command the same robots as the
// inputs.
func busy(t *testing.T) *worlds.World {
	w, err := worlds.Parse("busy.toml", []byte(`
name = "busy"
[physics]
engine = "planar"
[[robot]]
for_each = [{ name = "a", x = -2 }, { name = "b", x = 0 }, { name = "c", x = 2 }]
name = "{name}"
model = "nubot"
pose = { x_m = "{x}" }
sensor = [
  { name = "omni", level = "objects", image = { width_px = 24, height_px = 24 } },
  { name = "front", level = "objects", image = { width_px = 24, height_px = 24 }, head = { pan_limit_deg = 90 } },
]
player = { chase_ball = {} }
radio = { delay_ms = 12, jitter_ms = 8, loss = 0.2, bandwidth_kbit_s = 20, topic = [{ name = "plan", type = "std_msgs/String" }] }
[[event]]
at_s = 0.2
every_s = 0.4
cut_radio = { robot = "c" }
[[event]]
at_s = 0.25
every_s = 0.4
restore_radio = { team = "cyan" }
[[event]]
repeat = true
when = { topic_value = { topic = "/chance", field = "data", over = 0.5 } }
place = { name = "ball", y_m = 1, vx_m_s = 2 }
[[event]]
at_s = 0.05
every_s = 0.035
kick = { robot = "b", way = "flat", speed_m_s = 3, now = true, reach_m = 2 }
[[event]]
at_s = 0.11
every_s = 0.2
drive = { robot = "c", vy_m_s = 1, for_s = 0.06 }
[[event]]
at_s = 0.3
every_s = 0.3
set_level = { robot = "a", sensor = "omni", level = "objects" }
[[event]]
at_s = 0.4
every_s = 0.3
play = { robot = "a", patrol = { way_points = [{ x_m = 3 }, { x_m = -3 }] } }
`))
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// fromOutside changes a Sim from several goroutines, once per turn, at any point of the current step.
func fromOutside(t *testing.T, sim *Sim, turns <-chan struct{}) (done *sync.WaitGroup) {
	done = &sync.WaitGroup{}
	levels := []abstraction.Level{abstraction.Objects, abstraction.Truth, abstraction.Features}
	for seed, robot := range []string{"a", "b", "c"} {
		done.Go(func() {
			random := rand.New(rand.NewPCG(uint64(seed), 1))
			for range turns {
				for range random.IntN(100) {
					runtime.Gosched()
				}
				var err error
				switch random.IntN(13) {
				case 0:
					err = sim.Do(&action.SetLevel{Robot: robot, Sensor: "omni", Level: levels[random.IntN(3)]})
				case 1:
					err = sim.Do(&action.BreakSensor{Robot: robot, Sensor: "front", Fault: sensors.Frozen})
				case 2:
					err = sim.Do(&action.HealSensor{Robot: robot, Sensor: "front"})
				case 3:
					err = sim.Do(&action.Drive{Robot: robot, VX: -1, For: 20 * time.Millisecond})
				case 4:
					err = sim.Do(&action.SetBallHandling{Robot: robot, Enable: random.IntN(2) == 0})
				case 5:
					err = sim.Do(&action.Play{Robot: robot, Choice: sim.World().Robots[1].Player.Choice})
				case 12:
					err = sim.Match().Send(robot, []string{"", "plan"}[random.IntN(2)],
						fmt.Append(nil, random.Uint64()))
				case 6:
					at := &action.Place{Name: robot, X: random.Float64(), Y: random.Float64()}
					if random.IntN(2) == 0 {
						at.RelativeTo = "ball"
					}
					push := &action.Push{Name: "ball", FX: random.Float64(), For: 50 * time.Millisecond}
					sim.Clock().After(0, func(time.Duration) {
						if err := sim.Do(at, push); err != nil {
							t.Error(err)
						}
					})
				case 7:
					look := &action.LookAt{Robot: robot, Sensor: "front", X: 1, Y: random.Float64()}
					sim.Clock().After(0, func(time.Duration) {
						if err := sim.Do(look); err != nil {
							t.Error(err)
						}
					})
				default:
					err = sim.Do(&action.Drive{Robot: robot, VX: random.Float64(), Omega: random.Float64()},
						&action.Kick{Robot: robot, Way: "flat", Speed: 2, Now: random.IntN(4) == 0, Reach: 2})
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	return done
}

// The same external inputs, replayed, give the same run: states, levels and observations.
func TestRaceInputsMakeTheSameRun(t *testing.T) {
	const steps = 1500
	record := &kept{}
	world := busy(t)
	sim := must.Get(New(world, Options{OnInput: record.add, Topics: &chatter{random: rand.New(rand.NewPCG(1, 2))}}))(t)
	defer sim.Close()
	was := newWitness(t, sim)
	// before time 0 is announced
	must.Do(t, sim.Do(&action.Place{Name: "ball", X: -1, VX: 1}, &action.SetLevel{Robot: "b", Sensor: "omni",
		Level: abstraction.Truth}))
	turns := make(chan struct{}, 2)
	outside := fromOutside(t, sim, turns)
	for i := range steps {
		if i%(steps/5) == steps/10 {
			another, err := world.WithSeed(uint64(i))
			if err == nil {
				err = sim.Restart(another)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		turns <- struct{}{}
		must.Do(t, sim.Step())
	}
	close(turns)
	outside.Wait()

	kinds := map[string]int{}
	for _, in := range record.inputs {
		switch {
		case in.Command != nil:
			kinds["command"]++
		case in.Action != nil:
			kinds["action"]++
		case in.World != nil:
			kinds["world"]++
		case in.Message != nil:
			kinds["message"]++
		case in.Radio != nil:
			kinds["radio"]++
		}
	}
	if kinds["command"] < 100 || kinds["action"] < 50 || kinds["radio"] < 50 || kinds["world"] != 5 ||
		kinds["message"] < 10 {
		t.Fatalf("inputs: %v", kinds)
	}

	again := must.Get(New(busy(t), Options{Replay: record}))(t)
	defer again.Close()
	is := newWitness(t, again)
	for range steps {
		must.Do(t, again.Step())
	}
	if record.next < len(record.inputs) && record.inputs[record.next].Step <= again.Truth().Step {
		t.Errorf("%d of %d inputs were taken; the next: %+v", record.next, len(record.inputs),
			record.inputs[record.next])
	}
	must.Equal(t, is.content, was.content, "content")
}

// A replay accepts no external inputs until it is over.
func TestARecordingIsNotChangedFromOutside(t *testing.T) {
	record := &kept{inputs: []Input{{Step: 5, Moment: AsStepped, Command: &command.Robot{Robot: "a",
		Command: physics.Command{TwistB: physics.PlanarTwist{VX: 1}}}}}, until: 5}
	sim := must.Get(New(busy(t), Options{Replay: record}))(t)
	defer sim.Close()
	ask := func() []error {
		_, asked := sim.Ask(t.Context(), nil, &action.Kick{Robot: "a", Way: "flat", Speed: 1, Now: true})
		return []error{asked, sim.Restart(nil), sim.Do(&action.Drive{Robot: "a", VX: 1}),
			sim.Do(&action.SetLevel{Robot: "a", Sensor: "omni", Level: abstraction.Truth}),
			sim.Do(&action.Place{Name: "ball"}), sim.Do(&action.Reset{})}
	}
	for i, err := range ask() {
		if !errors.Is(err, ErrReplaying) {
			t.Errorf("%d: got %v, want %v", i, err, ErrReplaying)
		}
	}
	if err := sim.Do(&action.SetSpeed{Speed: "2"}); err != nil {
		t.Errorf("speed: %v", err)
	}
	for range 5 {
		must.Do(t, sim.Step())
	}
	if err := sim.Do(&action.Drive{Robot: "a", VX: 1}, &action.Place{Name: "ball"}); err != nil {
		t.Errorf("after the inputs: %v", err)
	}
}

// A replay fails for inputs that the world cannot have had.
func TestInputsOfAnotherWorld(t *testing.T) {
	other := must.Get(worlds.Load("nubot-single"))(t)
	for name, in := range map[string]Input{
		"robot": {Command: &command.Robot{Robot: "nobody"}},
		"command": {Command: &command.Robot{Robot: "a",
			Command: physics.Command{TwistB: physics.PlanarTwist{VX: 1e9}}}},
		"sensor": {Action: &action.SetLevel{Robot: "a", Sensor: "none", Level: abstraction.Truth}},
		"field":  {Action: &action.Place{Name: "ball", X: 1e9}},
		"topic":  {Message: &TopicMessage{Subscription: 1}},
		"before": {Message: &TopicMessage{Subscription: -1}},
		"world":  {World: other},
	} {
		in.Step, in.Moment = 1, AsStepped
		sim := must.Get(New(busy(t), Options{Replay: &kept{inputs: []Input{in}}}))(t)
		if err := sim.Step(); err == nil {
			t.Errorf("%s: is taken", name)
		}
		sim.Close()
	}
}

// Inputs cause no allocations in the goroutine that steps.
func TestToldInputsAllocateNothing(t *testing.T) {
	var commands int
	sim := must.Get(New(busy(t), Options{OnInput: func(in *Input) { commands++ }}))(t)
	defer sim.Close()
	drive := []action.Action{&action.Drive{Robot: "a", VX: 1}}
	step := func() {
		must.Do(t, errors.Join(sim.Do(drive...), sim.takeInputs(AsStepped)))
	}
	did := testing.AllocsPerRun(100, step)
	sim.inputs.told = nil
	if alone := testing.AllocsPerRun(100, step); did > alone || commands != 101 {
		t.Errorf("%v allocations with a listener, %v without; %d inputs", did, alone, commands)
	}
}

// Ask returns the outcome of a step that has taken the command, at whatever point of a step Ask is called.
func TestRaceAnswersAreOfTheCommandsStep(t *testing.T) {
	w := busy(t)
	w.Events, w.Robots = nil, w.Robots[:1] // the robot is at x = −2, and nothing moves the ball
	w.Robots[0].Player = nil
	sim := must.Get(New(w, Options{}))(t)
	defer sim.Close()
	must.Do(t, sim.Do(&action.Place{Name: "ball", X: -1}))
	var asking sync.WaitGroup
	done := make(chan struct{})
	asking.Go(func() {
		defer close(done)
		for i := range 10_000 {
			reach := []float64{0.1, 2}[i%2] // too short for the ball, and long enough
			got, err := sim.Ask(t.Context(), nil, &action.Dribble{Robot: "a", Reach: reach})
			if err != nil || got.Reachable != (reach == 2) {
				t.Errorf("asked %d times: reachable within %v m: %v, %v", i, reach, got.Reachable, err)
				return
			}
		}
	})
	for more := true; more; {
		must.Do(t, sim.Step())
		select {
		case <-done:
			more = false
		default:
		}
	}
	asking.Wait()
}
