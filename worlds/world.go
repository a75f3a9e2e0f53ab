package worlds

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds/area"
	"github.com/omnipitch/omnipitch/worlds/expectation"
	"github.com/omnipitch/omnipitch/worlds/player"
	"github.com/omnipitch/omnipitch/worlds/referee"
	"github.com/omnipitch/omnipitch/worlds/schema"
	"github.com/omnipitch/omnipitch/worlds/task"
)

// World is the content of a world file.
type World struct {
	Name           string          `toml:"name" required:"true" match:"name" fixed:"true" doc:"name of the world"`
	About          string          `toml:"about" doc:"one sentence for omnipitch worlds"`
	Include        []string        `toml:"include" fixed:"true" doc:"world files to build on; this file's keys override theirs, and its lists without names replace theirs"`
	Vars           templates       `toml:"vars" doc:"variables, for {name} in this file and in included ones; they override the variables of included files"`
	Seed           uint64          `toml:"seed" fixed:"true" doc:"seed of all randomness; the same seed gives the same run"`
	Field          Field           `toml:"field" doc:"the name of a field, the path of a file that gives every key of a field, or a table, which starts from msl-18x12; left out, msl-18x12; false: none, only the floor"`
	Floor          Floor           `toml:"floor" doc:"floor of the hall"`
	Look           string          `toml:"look" oneof:"plain|natural" doc:"light model: natural has lamps in a ceiling, windows, soft shadows, and light reflected by walls and floor; plain has one distant lamp and uniform ambient light"`
	Light          render.Lighting `toml:"light"`
	Hall           Hall            `toml:"hall" doc:"surroundings of the field"`
	Time           timesync.Config `toml:"time"`
	Physics        physics.Config  `toml:"physics"`
	Ball           Ball            `toml:"ball" doc:"the ball; false: the world has no ball"`
	Teams          Teams           `toml:"team"`
	Referee        string          `toml:"referee" oneof:"off|auto|refbox|gamecontroller" doc:"referee: auto is the automatic referee, with the rules of [rules]; refbox is the referee box of [refbox], and gamecontroller the GameController of [gamecontroller], which run follows; off counts goals and judges nothing else"`
	Refbox         Refbox          `toml:"refbox" doc:"MSL referee box that a run follows with referee = \"refbox\""`
	GameController GameController  `toml:"gamecontroller" doc:"GameController that a run follows with referee = \"gamecontroller\", or that a run is with --gamecontroller-server"`
	RCSSSMJ        RCSSSMJ         `toml:"rcsssmj" doc:"how run --rcsssmj serves agents of RoboCup's 3D Simulation League"`
	Rules          Rules           `toml:"rules" doc:"rules of the automatic referee"`
	Models         templates       `toml:"model" doc:"a table for each robot model, by its name or path: keys for robots with that model, unless they or their team give them"`
	Robots         []Robot         `toml:"robot" merge:"name" maxlen:"500" doc:"robots, at least one; 500 take 2 s of one core to start and 90 MB, without images, and a step takes 3 ms"`
	Obstacles      []Obstacle      `toml:"obstacle" merge:"name" maxlen:"500" doc:"black boxes and people"`
	Boards         []Board         `toml:"board" merge:"name" maxlen:"100"`
	Props          []Prop          `toml:"prop" merge:"name"`
	Map            *Map            `toml:"map" doc:"map of the ROS map server whose occupied cells are walls"`
	Walls          []Wall          `toml:"wall" merge:"name" maxlen:"5000" doc:"walls along polylines, with doors and windows"`
	Boxes          []Box           `toml:"box" merge:"name" maxlen:"5000" doc:"boxes; those with mass_kg move"`
	Cylinders      []Cylinder      `toml:"cylinder" merge:"name" maxlen:"5000" doc:"upright cylinders, such as columns; those with mass_kg move"`

	Areas   []area.Area               `toml:"area" merge:"name" maxlen:"200" doc:"areas for conditions, in addition to the field's own"`
	Require []Requirement             `toml:"require" maxlen:"100" doc:"conditions that must hold at time 0; random values are drawn until they do. They replace those of included files"`
	Events  []Event                   `toml:"event" maxlen:"1000" doc:"events; they replace those of included files"`
	Expect  []expectation.Expectation `toml:"expect" merge:"name" maxlen:"1000"`
	Test    Test                      `toml:"test"`
	Task    *task.Task                `toml:"task" doc:"learning task: what agents observe and do, and what they are rewarded for"`
	Record  Recording                 `toml:"record"`

	Programs []Program `toml:"program" merge:"name" maxlen:"100" doc:"programs, started with --programs alone, unless the world ships with omnipitch"`

	file     *schema.File // file of the world; nil if the world was built in Go
	filename string
	seeded   bool // whether the seed was given by the caller and not by the file
	// number of times the random values were drawn until they were accepted; 0 if nothing is random
	draws  int
	others []func(*World) error // further checks
	failed schema.Failed
	given  []bool // for each robot, whether the files give its number; nil if the world was built in Go
}

// Values of World.Look.
const (
	LookPlain   = "plain"
	LookNatural = "natural"
)

// Values of World.Referee.
const (
	RefereeOff            = "off"
	RefereeAuto           = "auto"
	RefereeRefbox         = "refbox"
	RefereeGameController = "gamecontroller"
)

// Refbox is the address of the referee box.
type Refbox struct {
	Address string `toml:"address" fixed:"true" doc:"address as HOST, HOST:PORT or PORT; run --refbox overrides it"`
}

// GameController is the table gamecontroller.
type GameController struct {
	Address string        `toml:"address" fixed:"true" doc:"address of the GameController that a run follows, and the port at which its packets arrive, as ADDRESS, ADDRESS:PORT or PORT; run --gamecontroller overrides it"`
	Cyan    int           `toml:"cyan" range:"[0, 254]" fixed:"true" doc:"number that the league has given to team cyan; 0 for both teams: the first team of the first packet is cyan, and a run that is the GameController gives 1 and 2"`
	Magenta int           `toml:"magenta" range:"[0, 254]" fixed:"true" doc:"the same for team magenta"`
	Version int           `toml:"version" range:"[12, 20]" fixed:"true" doc:"version of the packets that a run sends: 20 or 19, Humanoid Soccer League; 18, Standard Platform League; 12, Humanoid League"`
	Delay   time.Duration `toml:"delay_s" range:"[0, 60]" fixed:"true" doc:"time for which robots are not told that a kick-off or a penalty kick has been started, as they are to hear the whistle; 10 s in the Humanoid Soccer League, 15 s in the Standard Platform League"`
}

// RCSSSMJ is the table rcsssmj.
type RCSSSMJ struct {
	TruePose bool              `toml:"true_pose" fixed:"true" doc:"whether agents get the true pose of their robot's imu, as perceptors pos and quat, as in the league"`
	Motors   map[string]string `toml:"motors" match:"name" fixed:"true" doc:"the joint of each of the league's motors, such as he1 = \"head_yaw\"; left out: the joints of Booster's T1 and K1"`
}

// Locate adds positions in the world's file to violations; see schema.File.
func (w *World) Locate(err error) error {
	if w.file == nil || err == nil {
		return err
	}
	return w.file.Locate(err)
}

// PlaceOfExpectation returns the file and the line of an expectation, such as shot.toml:21. The text is empty for a
// world that has no files, or that came with its files in a [Bundle].
func (w *World) PlaceOfExpectation(name string) string {
	i := slices.IndexFunc(w.Expect, func(e expectation.Expectation) bool { return e.Name == name })
	if i < 0 || w.file == nil || w.Source() != nil {
		return ""
	}
	o := w.file.Origin(fmt.Sprintf("expect[%d].name", i))
	if o.File == "" {
		return ""
	}
	return fmt.Sprintf("%s:%d", o.File, o.Line)
}

// NoErrorAt reports whether no error is known at a path of the file, such as robot[0].sensor, around it or below it.
// Checks of a file with errors use NoErrorAt to skip the parts with errors.
func (w *World) NoErrorAt(path string) bool { return !w.failed.Touches(path) }

// fail records errors. If a robot's model cannot be read, it also records that everything that a model gives is
// missing.
func (w *World) fail(err error) {
	w.failed = schema.FailedIn(err)
	for i := range w.Robots {
		if at := fmt.Sprintf("robot[%d].", i); w.failed.Touches(at + "model") {
			for _, part := range []string{"body", "drive", "kicker", "dribbler", "extension", "sensor"} {
				w.failed.Add(at + part)
			}
		}
	}
}

// defaultWorld returns the world that an empty file gives.
func defaultWorld() World {
	return World{
		Seed:    1,
		Field:   defaultField(),
		Light:   render.DefaultLighting(),
		Time:    timesync.DefaultConfig(),
		Physics: physics.DefaultConfig(),
		Look:    LookNatural, Referee: RefereeOff,
		Refbox: Refbox{"127.0.0.1:28097"}, // default port of the referee box, on this machine
		// the broadcast address of this machine, and the league's port
		GameController: GameController{Address: "127.255.255.255:3838", Version: 20, Delay: 10 * time.Second},
		Rules:          Rules{referee.DefaultRules(referee.MSL)},
		Test:           Test{For: time.Minute},
		Record:         defaultRecording(),
		Ball:           Ball{physics.DefaultBall(), BallLook{Pattern: FootballPattern}},
		Hall:           Hall{Hall: render.DefaultHall(), Seed: 1},
	}
}

// Rules are the rules of the automatic referee.
type Rules struct{ referee.Rules }

// BindNode gives keys that the table leaves out the defaults of its book.
func (r *Rules) BindNode(n *schema.Node) error {
	if key := n.Get("book"); key != nil {
		if name, ok := key.Text(); ok && referee.Book(name).Known() {
			r.Rules = referee.DefaultRules(referee.Book(name))
		}
	}
	return n.Bind(r)
}

// CameraMargin is the distance from the start of a robot within which its cameras are expected, beyond the floor of the
// field, m. It is a guess.
const CameraMargin = 1

// SameAppearance reports whether another world shows the same things in the same light. The events of the two worlds
// may differ, and so may the places at which the ball and the robots start, unless people and clutter keep clear of
// them.
func (w *World) SameAppearance(other *World) bool {
	type things struct {
		field     Field
		floor     Floor
		light     render.Lighting
		hall      Hall
		ball      Ball
		robots    []Robot
		obstacles []Obstacle
		boards    []Board
		props     []Prop
		place     *Map
		walls     []Wall
		boxes     []Box
		cylinders []Cylinder
	}
	of := func(w *World) things {
		ball, robots := w.Ball, w.Robots
		x, y := w.Field.Half()
		x, y = x-CameraMargin, y-CameraMargin
		if w.Hall.Bystanders == 0 && w.Hall.Clutter == 0 {
			ball.X, ball.Y, ball.Z, ball.VX, ball.VY, ball.VZ = 0, 0, 0, 0, 0, 0
			robots = slices.Clone(robots)
			for i := range robots {
				if p := &robots[i].Pose; math.Abs(p.X) < x && math.Abs(p.Y) < y {
					*p = Pose{}
				}
			}
		}
		return things{w.Field, w.Floor, w.Light, w.Hall, ball, robots, w.Obstacles, w.Boards, w.Props, w.Map,
			w.Walls, w.Boxes, w.Cylinders}
	}
	return w == other || reflect.DeepEqual(of(w), of(other))
}

// Test says how the world's expectations are tested.
type Test struct {
	For time.Duration `toml:"for_s" range:"(0, 1000000]" doc:"sim time of a test"`
}

// Pose is a pose on the floor.
type Pose = player.Pose

// Model returns the physics model of the world.
func (w *World) Model() *physics.Model {
	scene := &physics.Model{
		Config: w.Physics, Step: w.Time.Step, Seed: w.Seed, Field: w.Field.Field, Ball: w.Ball.Ball,
	}
	for i := range w.Robots {
		scene.Robots = append(scene.Robots, w.Robots[i].physics())
	}
	for o := range w.obstacles {
		scene.Obstacles = append(scene.Obstacles, o.physics())
	}
	for i := range w.Props {
		scene.Props = append(scene.Props, w.Props[i].physics())
	}
	for _, p := range w.Pieces() {
		scene.Props = append(scene.Props, p.physics())
	}
	return scene
}

// Robot returns the robot with a name. The bool result is false if there is no such robot.
func (w *World) Robot(name string) (*Robot, bool) {
	for i := range w.Robots {
		if w.Robots[i].Name == name {
			return &w.Robots[i], true
		}
	}
	return nil, false
}

// Sensor returns the configuration of a sensor, given by the names of its robot and of the sensor. The bool result is
// false if there is no such sensor.
func (w *World) Sensor(robot, sensor string) (*sensors.Config, bool) {
	if r, ok := w.Robot(robot); ok {
		for j := range r.Sensors {
			if c := &r.Sensors[j]; c.Name == sensor {
				return c, true
			}
		}
	}
	return nil, false
}
