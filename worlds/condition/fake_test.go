package condition

import (
	"errors"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds/area"
	"github.com/omnipitch/omnipitch/worlds/game"
	"github.com/omnipitch/omnipitch/worlds/referee"
)

// fake is a world that changes only when a test changes it.
type fake struct {
	model   physics.Model
	truth   physics.Snapshot
	events  map[string]*Occurrences
	game    *game.Game
	decided []referee.Decision
	level   abstraction.Level
	deliver func(*sensors.Observation) // listener of observations
	wants   func(abstraction.Level) bool
	each    func()
	receive func(*Message) // subscriber of messages
	kept    []keyframe.Exchanger
}

func newFake() *fake {
	f := &fake{events: map[string]*Occurrences{"kick": {}}, level: abstraction.Raw}
	f.model.Step = 10 * time.Millisecond
	f.model.Field = physics.Field{Length: 18, Width: 12, GoalWidth: 2, GoalHeight: 1, GoalDepth: 0.5}
	f.model.Ball.Radius = 0.11
	f.model.Robots = []physics.Robot{{Name: "cyan1", Team: physics.Cyan, Dribbler: &physics.Dribbler{}},
		{Name: "magenta1", Team: physics.Magenta}}
	for i := range f.model.Robots {
		f.model.Robots[i].Body = physics.Body{Radius: 0.25, Height: 0.8}
	}
	f.model.Obstacles = []physics.Obstacle{{Name: "box", SizeX: 0.5, SizeY: 1, Height: 0.3}}
	f.truth.Robots, f.truth.Obstacles = make([]physics.RobotState, 2), make([]physics.ObstacleState, 1)
	f.truth.Ball.HeldBy = -1
	f.robot(0, 0, 0)
	f.robot(1, 0, 0)
	f.obstacle(0, 0)
	f.game = game.New(&f.model.Field, f.model.Ball.Radius)
	return f
}

func (f *fake) Model() *physics.Model    { return &f.model }
func (f *fake) Truth() *physics.Snapshot { return &f.truth }
func (f *fake) Areas() area.Areas        { return area.Of(&f.model.Field, nil) }
func (f *fake) Game() *game.Game         { return f.game }
func (f *fake) Decisions() (func() []referee.Decision, error) {
	return func() []referee.Decision { return f.decided }, nil
}
func (f *fake) EachStep(each func())      { f.each = each }
func (f *fake) Keep(m keyframe.Exchanger) { f.kept = append(f.kept, m) }
func (f *fake) Subscribe(_ string, _ []string, receive func(*Message)) error {
	f.receive = receive
	return nil
}

func (f *fake) Level(_, sensor string) (func() abstraction.Level, error) {
	if sensor != "omni" {
		return nil, errors.New("there is no such sensor")
	}
	return func() abstraction.Level { return f.level }, nil
}

func (f *fake) Listen(_, sensor string, wants func(abstraction.Level) bool, observe func(*sensors.Observation)) error {
	if sensor != "omni" {
		return errors.New("there is no such sensor")
	}
	f.wants, f.deliver = wants, observe
	return nil
}

func (f *fake) Event(name string) (*Occurrences, error) {
	if h := f.events[name]; h != nil {
		return h, nil
	}
	return nil, errors.New("there is no such event")
}

func (f *fake) step() {
	f.truth.Step++
	f.truth.Time += f.model.Step
}

func (f *fake) ball(x, y, z float64)      { f.truth.Ball.PosW = mgl64.Vec3{x, y, z} }
func (f *fake) robot(i int, x, y float64) { f.truth.Robots[i].PoseWB = spatial.Planar(x, y, 0) }
func (f *fake) obstacle(x, y float64)     { f.truth.Obstacles[0].PoseWO = spatial.Planar(x, y, 0) }

// touch makes two bodies touch each other in this step.
func (f *fake) touch(a, b physics.BodyID) { f.truth.Touches = []physics.Touch{{A: a, B: b}} }

// sees delivers a frame of the camera, captured now, with the given objects.
func (f *fake) sees(names ...string) {
	f.level = abstraction.Objects
	list := &abstraction.ObjectList{}
	for _, name := range names {
		list.Detections = append(list.Detections, abstraction.Detection{Name: name})
	}
	f.deliver(&sensors.Observation{Stamp: f.truth.Time, Objects: list})
}

// steps takes n steps, and delivers a frame in one of every `every` steps.
func (f *fake) steps(n, every int) {
	for i := range n {
		if f.step(); every > 0 && i%every == 0 {
			f.sees()
		}
	}
}

// shows delivers a uniform grey image.
func (f *fake) shows(grey byte) {
	image := render.NewImage(4, 2)
	for i := range image.Pix {
		image.Pix[i] = grey
	}
	f.deliver(&sensors.Observation{Stamp: f.truth.Time, Color: image})
}

func at[T any](x T) *T { return &x }
