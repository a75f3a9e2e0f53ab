package task

import (
	"errors"
	"fmt"
	"slices"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds/condition"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// Observe says what an agent observes: numbers in the order of these keys, or one image.
type Observe struct {
	Objects  *Objects `toml:"objects" doc:"objects that a camera reports at level objects or truth"`
	Pose     string   `toml:"pose" doc:"own pose: truth, or the name of a camera or laser scanner at a level that estimates it. The x axis points to the opponent's goal"`
	Places   []string `toml:"places" maxlen:"100" doc:"directions and distances of the centres of areas, by pose; opponent_goal and own_goal are the goals of the agent's team"`
	Velocity string   `toml:"velocity" doc:"own velocity, as parts of the robot's limits: truth, or the name of an odometry"`
	BallHeld bool     `toml:"ball_held" doc:"whether the agent holds the ball"`
	Laser    *Laser   `toml:"laser" doc:"distances that a laser scanner measures"`
	Game     bool     `toml:"game" doc:"state of the game: whether it is being played, whose set piece it is, and the agent's lead in goals"`
	Image    string   `toml:"image" doc:"name of a camera whose images are the whole observation"`
}

// Objects are lists of objects of a fixed length. Empty places are 0.
type Objects struct {
	Sensor    string `toml:"sensor" required:"true" doc:"name of the camera"`
	Ball      int    `toml:"ball" range:"[0, 1]" doc:"number of balls"`
	Teammates int    `toml:"teammates" range:"[0, 100]" doc:"number of teammates, the nearest first"`
	Opponents int    `toml:"opponents" range:"[0, 100]" doc:"number of opponents, the nearest first"`
	Obstacles int    `toml:"obstacles" range:"[0, 100]" doc:"number of obstacles, and of robots without a visible card, the nearest first"`
}

// Laser divides the scan of a laser scanner into sectors.
type Laser struct {
	Sensor  string `toml:"sensor" required:"true" doc:"name of the scanner"`
	Sectors int    `toml:"sectors" range:"[1, 1000]" doc:"number of sectors; each has the least distance of its beams, as a part of max_m"`
}

// SetDefaults sets sectors of about 10° for a usual scanner.
func (l *Laser) SetDefaults() { l.Sectors = 24 }

// TrueState is the value of Pose and Velocity for the true state.
const TrueState = "truth"

// validateObserve reports what the observation names and the agents do not have.
func (t *Task) validateObserve(w condition.World) error {
	o := &t.Observe
	var errs []error
	fail := func(key string, value any, rule string) {
		errs = append(errs, &schema.Violation{Key: key, Value: value, Rule: rule})
	}
	sensor := func(key, name, kinds string, ok func(*sensors.Config) bool, levels ...abstraction.Level) {
		for _, agent := range t.Agents {
			c, err := w.FindSensor(agent, name)
			fits := func(l abstraction.Level) bool { return slices.Contains(levels, l) }
			switch {
			case err != nil:
				fail(key, name, err.Error())
			case c != nil && !ok(c):
				fail(key, name, "must be "+kinds)
			case levels != nil && !w.CanBe(agent, name, fits):
				fail(key, name, fmt.Sprintf("of %s is at another level: must be at %v", agent, levels))
			default:
				continue
			}
			return
		}
	}
	camera := func(c *sensors.Config) bool { return c.Image != nil }
	laser := func(c *sensors.Config) bool { return c.Kind == "laser" }
	if x := o.Objects; x != nil {
		sensor("objects.sensor", x.Sensor, "a camera", camera, abstraction.Objects, abstraction.Truth)
	}
	if o.Pose != "" && o.Pose != TrueState {
		sensor("pose", o.Pose, "truth, a camera or a laser scanner", func(c *sensors.Config) bool {
			return camera(c) || laser(c)
		}, abstraction.Objects, abstraction.Pose, abstraction.Truth)
	}
	for i, name := range o.Places {
		if err := w.FindArea(areaOf(name, physics.Cyan)); err != nil {
			fail(fmt.Sprintf("places[%d]", i), name, err.Error())
		}
	}
	if len(o.Places) > 0 && o.Pose == "" {
		fail("places", nil, "needs pose")
	}
	if o.Velocity != "" && o.Velocity != TrueState {
		sensor("velocity", o.Velocity, "truth or an odometry", func(c *sensors.Config) bool { return c.Kind == "odometry" })
	}
	if x := o.Laser; x != nil {
		sensor("laser.sensor", x.Sensor, "a laser scanner", laser, abstraction.Raw, abstraction.Ideal)
	}
	if o.BallHeld {
		if err := w.FindPart("ball"); err != nil {
			fail("ball_held", nil, err.Error())
		}
	}
	switch {
	case o.Image != "":
		sensor("image", o.Image, "a camera", camera, abstraction.Raw, abstraction.Ideal)
		if len(t.Columns()) > 0 {
			fail("image", o.Image, "cannot be combined with other observations: an image is the whole observation")
		}
	case len(t.Columns()) == 0:
		fail("", nil, "needs an observation")
	}
	return errors.Join(errs...)
}

// areaOf returns the name of the area that a place names for a team.
func areaOf(place string, team physics.Team) string {
	switch {
	case place == "opponent_goal" && team == physics.Magenta, place == "own_goal" && team != physics.Magenta:
		return "cyan_goal"
	case place == "opponent_goal", place == "own_goal":
		return "magenta_goal"
	}
	return place
}

// Columns returns the names of the numbers that an agent observes. There are none if it observes an image.
func (t *Task) Columns() (names []string) {
	o := &t.Observe
	add := func(of string, columns ...string) {
		for _, c := range columns {
			names = append(names, of+"."+c)
		}
	}
	if x := o.Objects; x != nil {
		for _, slot := range x.slots() {
			for i := range slot.count {
				of := slot.name
				if of != "ball" {
					of += fmt.Sprint(i + 1)
				}
				add(of, "present", "distance", "cos", "sin", "vx", "vy")
			}
		}
	}
	if o.Pose != "" {
		add("pose", "known", "x", "y", "cos", "sin")
	}
	for _, place := range o.Places {
		add(place, "distance", "cos", "sin")
	}
	if o.Velocity != "" {
		add("velocity", "vx", "vy", "omega")
	}
	if o.BallHeld {
		names = append(names, "ball_held")
	}
	if x := o.Laser; x != nil {
		for i := range x.Sectors {
			names = append(names, fmt.Sprintf("laser%d", i+1))
		}
	}
	if o.Game {
		add("game", "playing", "own_set_piece", "opponent_set_piece", "lead")
	}
	return names
}

// slot is a list of objects of one kind.
type slot struct {
	name  string
	count int
}

func (o *Objects) slots() [4]slot {
	return [4]slot{{"ball", o.Ball}, {"teammate", o.Teammates}, {"opponent", o.Opponents}, {"obstacle", o.Obstacles}}
}

// ActionColumns returns the names of the numbers by which an agent acts.
func (t *Task) ActionColumns(m *physics.Model) (names []string) {
	for _, action := range t.Actions {
		switch {
		case action != Drive:
			names = append(names, action)
		case DrivesSideways(&m.Robots[robotIndex(m, t.Agents[0])]):
			names = append(names, "vx", "vy", "omega")
		default:
			names = append(names, "vx", "omega")
		}
	}
	return names
}

// DrivesSideways reports whether a robot can drive to its left.
func DrivesSideways(r *physics.Robot) bool {
	wheels, err := r.Drive.WheelSet()
	return err == nil && wheels.Drivable(physics.PlanarTwist{VY: 1}).VY > 0.5
}

func robotIndex(m *physics.Model, name string) int {
	return slices.IndexFunc(m.Robots, func(r physics.Robot) bool { return r.Name == name })
}
