package assess

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/condition"
)

// Config says whose vision is assessed, and by what.
type Config struct {
	Robot   string
	Sensor  string // the camera that the vision works with; empty: the robot's first omni camera, else its first camera
	Topics  []Topic
	Range   float64 // m: things that are farther away are not missed
	Visible float64 // share of a silhouette, 0 to 1: things of which less is visible are not missed
	Gate    float64 // m: what is reported farther from a thing, and a sixth of its distance more, is not that thing
}

// Defaults of a Config.
const (
	DefaultVisible = 0.5
	DefaultGate    = 0.5
	// of the distance: an error of a degree and a half in the elevation of a thing at 5 m, seen from 0.8 m
	gateGrows = 1.0 / 6
)

// MostTopics is how many topics are assessed at a time at most.
const MostTopics = 16

// complete fills in what is left out, and fails for what the world does not have.
func (c *Config) complete(w *worlds.World) (robot int, err error) {
	robot = slices.IndexFunc(w.Robots, func(r worlds.Robot) bool { return r.Name == c.Robot })
	if robot < 0 {
		var names []string
		for i := range w.Robots {
			names = append(names, w.Robots[i].Name)
		}
		return 0, fmt.Errorf("robot = %q: the world has no such robot, but %s", c.Robot,
			cmp.Or(strings.Join(names, ", "), "none"))
	}
	if len(c.Topics) == 0 || len(c.Topics) > MostTopics {
		return 0, fmt.Errorf("%d topics: must be 1 to %d", len(c.Topics), MostTopics)
	}
	for i := range c.Topics {
		t := &c.Topics[i]
		if !strings.HasPrefix(t.Name, "/") {
			t.Name = "/" + c.Robot + "/" + t.Name
		}
		if err := condition.CheckTopic(t.Name); err != nil {
			return 0, fmt.Errorf("topic = %q: %w", t.Name, err)
		}
		if slices.ContainsFunc(c.Topics[:i], func(o Topic) bool { return o.Name == t.Name }) {
			return 0, fmt.Errorf("topic = %q: stands twice", t.Name)
		}
	}
	if c.Visible == 0 {
		c.Visible = DefaultVisible
	}
	if c.Gate == 0 {
		c.Gate = DefaultGate
	}
	if !(c.Visible > 0 && c.Visible <= 1) {
		return 0, fmt.Errorf("visible = %v: must lie in (0, 1]", c.Visible)
	}
	if !(c.Gate > 0 && c.Gate <= 10) {
		return 0, fmt.Errorf("gate = %v: must lie in (0, 10]", c.Gate)
	}
	camera, err := findCamera(&w.Robots[robot], c.Sensor)
	if err != nil {
		return 0, err
	}
	c.Sensor = camera.Name
	if c.Range == 0 && camera.Vision != nil {
		c.Range = camera.Vision.MaxRange
	}
	if !(c.Range > 0 && c.Range <= 100) {
		return 0, fmt.Errorf("range = %v: must lie in (0, 100]", c.Range)
	}
	return robot, nil
}

// findCamera returns a robot's camera of a name, or the one that a vision most likely works with.
func findCamera(r *worlds.Robot, name string) (*sensors.Config, error) {
	var best *sensors.Config
	var names []string
	for i := range r.Sensors {
		s := &r.Sensors[i]
		if !s.Kind.TakesImages() {
			continue
		}
		names = append(names, s.Name)
		if s.Name == name {
			return s, nil
		}
		if best == nil || s.Kind == sensors.OmniKind && best.Kind != sensors.OmniKind {
			best = s
		}
	}
	switch {
	case best == nil:
		return nil, fmt.Errorf("robot = %q: has no camera", r.Name)
	case name != "":
		return nil, fmt.Errorf("sensor = %q: robot %s has no such camera, but %s", name, r.Name,
			strings.Join(names, ", "))
	}
	return best, nil
}

// period is that of the camera.
func (c *Config) period(w *worlds.World, robot int) (time.Duration, error) {
	for i := range w.Robots[robot].Sensors {
		if s := &w.Robots[robot].Sensors[i]; s.Name == c.Sensor {
			if s.Rate > 0 {
				return time.Duration(float64(time.Second) / s.Rate), nil
			}
		}
	}
	return 0, errors.New("sensor: has no rate")
}
