package worlds

import (
	"strings"
	"time"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
)

// Event changes the world at a time: it sets a sensor's level, moves a goalkeeper's frame, turns a camera's head, or puts a body somewhere.
type Event struct {
	At    time.Duration `toml:"at_s" range:"[0, 1000000]" doc:"sim time; it happens before the step that starts then"`
	Set   string        `toml:"set" doc:"what to set: ROBOT.SENSOR.level, or ROBOT.frame of a goalkeeper that can extend it"`
	To    string        `toml:"to" doc:"the new value: a level; or left, right, up or in"`
	Aim   string        `toml:"aim" doc:"the camera whose head is to turn: ROBOT.SENSOR"`
	Pan   float64       `toml:"pan_deg" range:"[-180, 180]" doc:"where to, anticlockwise"`
	Tilt  float64       `toml:"tilt_deg" range:"[-90, 90]" doc:"where to, positive looks down"`
	Place string        `toml:"place" doc:"what to put somewhere, at rest: \"ball\", or the name of a robot, an obstacle or a board"`
	Pose  *Pose         `toml:"pose" doc:"where on the floor to put it"`
	Hang  *Hang         `toml:"hang" doc:"where in the air to put a board"`
}

// LevelChange returns what a level event sets, and false for other events.
func (e *Event) LevelChange() (robot, sensor string, level abstraction.Level, ok bool) {
	parts := strings.Split(e.Set, ".")
	if len(parts) != 3 || parts[2] != "level" {
		return "", "", "", false
	}
	return parts[0], parts[1], abstraction.Level(e.To), true
}

// extensions are what a frame can be set to.
var extensions = map[string]physics.Extension{
	"in": physics.NotExtended, "left": physics.ExtendLeft, "right": physics.ExtendRight, "up": physics.ExtendUp,
}

// FrameChange returns whose frame an event moves and where to, and false for other events.
func (e *Event) FrameChange() (robot string, to physics.Extension, ok bool) {
	robot, what, _ := strings.Cut(e.Set, ".")
	if what != "frame" {
		return "", 0, false
	}
	return robot, extensions[e.To], true
}

// Aiming returns the camera whose head an event turns, and false for other events.
func (e *Event) Aiming() (robot, sensor string, ok bool) {
	return strings.Cut(e.Aim, ".")
}
