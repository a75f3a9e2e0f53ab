package worlds

import (
	"fmt"
	"reflect"
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
)

// World is a whole world file.
type World struct {
	Name      string          `toml:"name" required:"true" match:"name" fixed:"true" doc:"how the world is called"`
	About     string          `toml:"about" doc:"one sentence for omnipitch worlds"`
	Include   []string        `toml:"include" fixed:"true" doc:"world files to start from; this file's keys override theirs, its lists without names replace theirs"`
	Vars      templates       `toml:"vars" doc:"names with values, for {name} in this file and in those that it includes, whose own it overrides"`
	Seed      uint64          `toml:"seed" fixed:"true" doc:"of all randomness; the same seed gives the same run"`
	Field     Field           `toml:"field" doc:"the name of a field, the path of a file, which gives every key that a field needs, or a table, which starts from msl-18x12; msl-18x12 if left out"`
	Look      string          `toml:"look" oneof:"plain|natural" doc:"how light falls: natural is lamps in a ceiling, windows, soft shadows, and what comes back from walls and floor; plain is one distant lamp and the same light from all around"`
	Light     render.Lighting `toml:"light"`
	Hall      Hall            `toml:"hall" doc:"what is around the field"`
	Time      timesync.Config `toml:"time"`
	Physics   physics.Config  `toml:"physics"`
	Ball      Ball            `toml:"ball"`
	Teams     Teams           `toml:"team"`
	Referee   string          `toml:"referee" oneof:"off|auto|refbox" doc:"who judges the game: auto is the automatic referee, with the rules of [rules]; refbox: the referee box of [refbox], which run follows; off: goals are counted, and nothing else is judged"`
	Refbox    Refbox          `toml:"refbox" doc:"the MSL referee box that a run follows with referee = \"refbox\""`
	Rules     referee.Rules   `toml:"rules" doc:"of the automatic referee"`
	Models    templates       `toml:"model" doc:"a table for each robot model, by its name or path: keys that robots with that model get which neither they nor their team give"`
	Robots    []Robot         `toml:"robot" merge:"name" maxlen:"500" doc:"at least one; 500 take 2 s of one core to start and 90 MB, without images, and a step takes 3 ms"`
	Obstacles []Obstacle      `toml:"obstacle" merge:"name" maxlen:"500" doc:"black boxes and people"`
	Boards    []Board         `toml:"board" merge:"name" maxlen:"100"`
	Props     []Prop          `toml:"prop" merge:"name"`

	Areas   []area.Area               `toml:"area" merge:"name" maxlen:"200" doc:"for conditions; the field has its own"`
	Require []Requirement             `toml:"require" maxlen:"100" doc:"each a condition that the world keeps at time 0, where random values are drawn until it does; replace those of included files"`
	Events  []Event                   `toml:"event" maxlen:"1000" doc:"replace those of included files"`
	Expect  []expectation.Expectation `toml:"expect" merge:"name" maxlen:"1000"`
	Test    Test                      `toml:"test"`
	Record  Recording                 `toml:"record"`

	Programs []Program `toml:"program" merge:"name" maxlen:"100" doc:"started with --programs alone, unless the world ships with omnipitch"`

	file     *schema.File // that it was read from; nil of one that was built in Go
	filename string
	seeded   bool                 // with another seed than that of the file
	draws    int                  // until nothing was refused; 0 where nothing is random
	others   []func(*World) error // that have checked it
	failed   schema.Failed
	given    []bool // which robots' numbers the files give; nil of a world that was built in Go
}

// How light falls, as World.Look has it.
const (
	LookPlain   = "plain"
	LookNatural = "natural"
)

// Who judges the game, as World.Referee has it.
const (
	RefereeOff    = "off"
	RefereeAuto   = "auto"
	RefereeRefbox = "refbox"
)

// Refbox is where the referee box is.
type Refbox struct {
	Address string `toml:"address" fixed:"true" doc:"HOST, HOST:PORT or PORT; run --refbox gives another"`
}

// Locate gives rules that the world breaks a place in its file; see schema.File.
func (w *World) Locate(err error) error {
	if w.file == nil || err == nil {
		return err
	}
	return w.file.Locate(err)
}

// Sound tells whether nothing is known to be wrong with what stands at a path of the file, or below it, as in
// robot[0].sensor: it is not while a file with errors is checked further.
func (w *World) Sound(path string) bool { return !w.failed.Touches(path) }

// fail notes what is wrong; a robot whose model is not to be had lacks all that models have.
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

// defaultWorld is what an empty file means.
func defaultWorld() World {
	return World{
		Seed:    1,
		Field:   defaultField(),
		Light:   render.DefaultLighting(),
		Time:    timesync.DefaultConfig(),
		Physics: physics.DefaultConfig(),
		Look:    LookNatural, Referee: RefereeOff,
		Refbox: Refbox{"127.0.0.1:28097"}, // the box's own port, on this machine
		Rules:  referee.DefaultRules(),
		Test:   Test{For: time.Minute},
		Record: defaultRecording(),
		Ball:   Ball{physics.DefaultBall(), BallLook{Pattern: FootballPattern}},
		Hall:   Hall{Hall: render.Hall{Sheen: 0.4, Seams: 0.5}, Seed: 1},
	}
}

// LooksLike tells whether another world holds the same things in the same light, whatever happens to them.
func (w *World) LooksLike(other *World) bool {
	type things struct {
		field     Field
		light     render.Lighting
		hall      Hall
		ball      Ball
		robots    []Robot
		obstacles []Obstacle
		boards    []Board
		props     []Prop
	}
	of := func(w *World) things {
		return things{w.Field, w.Light, w.Hall, w.Ball, w.Robots, w.Obstacles, w.Boards, w.Props}
	}
	return w == other || reflect.DeepEqual(of(w), of(other))
}

// Test says how the world's expectations are tested.
type Test struct {
	For time.Duration `toml:"for_s" range:"(0, 1000000]" doc:"sim time that a test lasts"`
}

// Pose is a place on the floor.
type Pose = player.Pose

// Model returns the world as the physics sees it.
func (w *World) Model() *physics.Model {
	scene := &physics.Model{
		Config: w.Physics, Step: w.Time.Step, Seed: w.Seed, Field: w.Field.Field, Ball: w.Ball.Ball,
	}
	for i := range w.Robots {
		scene.Robots = append(scene.Robots, w.Robots[i].physics())
	}
	for i := range w.Obstacles {
		scene.Obstacles = append(scene.Obstacles, w.Obstacles[i].physics())
	}
	return scene
}

// Robot returns a robot by its name.
func (w *World) Robot(name string) (*Robot, bool) {
	for i := range w.Robots {
		if w.Robots[i].Name == name {
			return &w.Robots[i], true
		}
	}
	return nil, false
}

// Sensor returns a robot's sensor by their names.
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
