package condition

import (
	"errors"
	"strconv"
	"strings"
	"testing"
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
	f.model.Field = physics.Field{HasGoals: true, HasLines: true, HasBoards: true,
		Length: 18, Width: 12, GoalWidth: 2, GoalHeight: 1, GoalDepth: 0.5}
	f.model.Ball.Radius = 0.11
	f.model.Robots = []physics.Robot{{Name: "cyan1", Team: physics.Cyan, Dribbler: &physics.Dribbler{}},
		{Name: "magenta1", Team: physics.Magenta}}
	for i := range f.model.Robots {
		f.model.Robots[i].Body = physics.Body{Radius: 0.25, Height: 0.8}
	}
	f.model.Obstacles = []physics.Obstacle{{Name: "box", SizeX: 0.5, SizeY: 1, Height: 0.3}}
	box := func(name, form, kind string, x, y, long, wide, height float64) physics.Prop {
		return physics.Prop{Name: name, Form: form, Kind: kind, Boxes: []spatial.UprightBox{{
			Centre: mgl64.Vec3{x, y, height / 2}, Half: mgl64.Vec3{long / 2, wide / 2, height / 2}}}}
	}
	f.model.Props = []physics.Prop{box("rack1", "box", "shelf", 0, 20, 4, 0.5, 2),
		box("rack2", "box", "shelf", 9, 20, 4, 0.5, 2), box("north", physics.WallForm, "", 0, 18, 12, 0.2, 2.5)}
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
func (f *fake) touch(a, b physics.BodyID, at ...float64) {
	f.truth.Touches = []physics.Touch{{A: a, B: b}}
	copy(f.truth.Touches[0].PosW[:], at)
}

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

// run carries out a script of testdata: a command and its arguments in each line.
func (f *fake) run(t testing.TB, script string) {
	t.Helper()
	for line := range strings.Lines(script) {
		words := append(strings.Fields(line), "", "", "", "", "")
		n := make([]float64, len(words)-1)
		for i, word := range words[1:] {
			n[i], _ = strconv.ParseFloat(word, 64)
		}
		switch words[0] {
		case "":
		case "ball":
			f.ball(n[0], n[1], n[2])
		case "robot":
			f.robot(int(n[0]), n[1], n[2])
		case "obstacle":
			f.obstacle(n[0], n[1])
		case "held":
			f.truth.Ball.HeldBy = int(n[0])
		case "touch":
			f.touch(physics.BodyID(n[0]), physics.BodyID(n[1]), n[2:5]...)
		case "twist":
			*map[string]*spatial.Twist{"ball": &f.truth.Ball.TwistInW, "cyan1": &f.truth.Robots[0].TwistWBInW,
				"magenta1": &f.truth.Robots[1].TwistWBInW, "box": &f.truth.Obstacles[0].TwistWOInW}[words[1]] =
				spatial.Twist{Lin: mgl64.Vec3(n[1:4]), Ang: mgl64.Vec3(n[4:7])}
		case "game":
			f.game.Command(game.Command(words[1]), physics.Team(words[2]))
		case "decides":
			f.decided = []referee.Decision{{Rule: words[1], Robots: words[2:3], Command: game.Command(words[3]),
				Team: physics.Team(words[4])}}
		case "level":
			f.level = abstraction.Level(words[1])
		case "steps": // how many, and after how many the camera delivers
			f.steps(int(n[0]), int(n[1]))
		case "sees":
			f.sees(strings.Fields(line)[1:]...)
		case "features":
			list := &abstraction.FeatureList{Balls: make([]abstraction.BallFeature, 1)}
			if words[1] != "ball" {
				list = &abstraction.FeatureList{Obstacles: []abstraction.BoxFeature{{Name: words[1]}}}
			}
			f.deliver(&sensors.Observation{Stamp: f.truth.Time, Features: list})
		case "shows":
			f.shows(byte(n[0]))
		case "happens": // how often the event kick has happened, and when last, in s
			*f.events["kick"] = Occurrences{Count: int(n[0]), Last: time.Duration(n[1] * 1e9)}
		default:
			t.Fatalf("%q: there is no such command", line)
		}
	}
}
