package worlds

import (
	"strings"
	"time"

	"github.com/omnipitch/omnipitch/abstraction"
)

// Event changes the world at a time: it sets a sensor's level, or it puts a body somewhere.
type Event struct {
	At    time.Duration `toml:"at_s" range:"[0, 1000000]" doc:"sim time; it happens before the step that starts then"`
	Set   string        `toml:"set" doc:"what to set: ROBOT.SENSOR.level"`
	To    string        `toml:"to" doc:"the new value"`
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
