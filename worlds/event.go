package worlds

import (
	"strings"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/sensors"
)

// Event changes the world at a time: it sets a sensor's level, moves a goalkeeper's frame, turns a camera's head, or puts a body somewhere.
type Event struct {
	At    time.Duration    `toml:"at_s" range:"[0, 1000000]" doc:"sim time; it happens before anything observes that time"`
	Set   string           `toml:"set" doc:"what to set: ROBOT.SENSOR.level, or ROBOT.frame of a goalkeeper that can extend it"`
	To    string           `toml:"to" doc:"the new value: a level; or left, right, up or in"`
	Aim   string           `toml:"aim" doc:"the camera whose head is to turn: ROBOT.SENSOR"`
	Pan   float64          `toml:"pan_deg" range:"[-180, 180]" doc:"where to, anticlockwise"`
	Tilt  float64          `toml:"tilt_deg" range:"[-90, 90]" doc:"where to, positive looks down"`
	Gaze  string           `toml:"gaze" doc:"the camera whose head's controller is to do something, at a level above pictures: ROBOT.SENSOR"`
	Do    sensors.HeadMode `toml:"do" doc:"what: hold, at (look at point), search (for the ball), or track (follow it)"`
	Point *Point           `toml:"point" doc:"where to look, in the robot's frame"`
	Place string           `toml:"place" doc:"what to put somewhere, at rest: \"ball\", or the name of a robot, an obstacle or a board"`
	Pose  *Pose            `toml:"pose" doc:"where on the floor to put it"`
	Hang  *Hang            `toml:"hang" doc:"where in the air to put a board"`
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
var extensions = map[string]physics.ExtensionState{
	"in": physics.NotExtended, "left": physics.ExtendLeft, "right": physics.ExtendRight, "up": physics.ExtendUp,
}

// FrameChange returns whose frame an event moves and where to, and false for other events.
func (e *Event) FrameChange() (robot string, to physics.ExtensionState, ok bool) {
	robot, what, _ := strings.Cut(e.Set, ".")
	if what != "frame" {
		return "", 0, false
	}
	return robot, extensions[e.To], true
}

// Point is a place in a robot's frame.
type Point struct {
	X float64 `toml:"x_m" range:"[-100, 100]" doc:"forward"`
	Y float64 `toml:"y_m" range:"[-100, 100]" doc:"to the left"`
	Z float64 `toml:"z_m" range:"[-10, 100]" doc:"up"`
}

// Gazing returns the camera whose head's controller an event commands, and how, and false for other events.
func (e *Event) Gazing() (robot, sensor string, g sensors.HeadCommand, ok bool) {
	robot, sensor, ok = strings.Cut(e.Gaze, ".")
	g.Mode = e.Do
	if e.Point != nil {
		g.PointB = mgl64.Vec3{e.Point.X, e.Point.Y, e.Point.Z}
	}
	return robot, sensor, g, ok
}

// Aiming returns the camera whose head an event turns, and false for other events.
func (e *Event) Aiming() (robot, sensor string, ok bool) {
	return strings.Cut(e.Aim, ".")
}

// Extension returns where a frame is extended to by the word that world files have for it.
func Extension(word string) (to physics.ExtensionState, ok bool) {
	to, ok = extensions[word]
	return to, ok
}
