package assess

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/condition"
)

// Config selects the vision to assess, and the criteria.
type Config struct {
	Robot   string
	Sensor  string // the vision's camera; empty: the robot's first omni camera, else its first camera
	Topics  []Topic
	Range   float64 // largest distance, in m, at which a thing can count as missed
	Visible float64 // least visible fraction of the silhouette, 0 to 1, at which a thing can count as missed
	// Gate is the largest distance between a reported position and the thing, in m. A sixth of the thing's distance
	// from the robot is added to it.
	Gate float64
}

// Defaults of a Config.
const (
	DefaultVisible = 0.5
	DefaultGate    = 0.5
	// growth of the gate per metre of distance: an elevation error of 1.5° for a thing at 5 m, seen from a height of
	// 0.8 m
	gateGrows = 1.0 / 6
)

// MostTopics is the largest number of topics.
const MostTopics = 16

// complete sets defaults. It returns the index of the robot, or an error if the world lacks the robot or camera that c
// names.
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
			return 0, fmt.Errorf("topic = %q: is listed twice", t.Name)
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

// findCamera returns a robot's camera by name, or the camera that a vision most likely uses.
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

// period returns the camera's frame period.
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

// Kind is the kind of a reported thing.
type Kind string

// Kinds. Robots count as obstacles.
const (
	Self      Kind = "self"
	Ball      Kind = "ball"
	Obstacles Kind = "obstacles"
)

// Kinds lists all kinds.
var Kinds = []Kind{Self, Ball, Obstacles}

// Topic is a topic of the vision. Kind is the kind of thing that the topic's messages report. If Kind is empty, the
// type of the messages and the topic's name determine the kind.
type Topic struct {
	Name string
	Kind Kind
}

// ParseTopic parses TOPIC or TOPIC=KIND.
func ParseTopic(text string) (Topic, error) {
	name, kind, given := strings.Cut(text, "=")
	t := Topic{Name: name, Kind: Kind(kind)}
	if given && t.Kind != Self && t.Kind != Ball && t.Kind != Obstacles {
		return t, fmt.Errorf("%q: what it reports must be self, ball or obstacles", text)
	}
	return t, nil
}

// coordinates is the coordinate frame of reported positions.
type coordinates uint8

const (
	inMap     coordinates = iota // W
	inTeam                       // the team's field frame: the map for cyan, the map rotated by 180° for magenta
	inBase                       // B
	inOptical                    // the camera's optical frame
)

// report is one thing in a message.
type report struct {
	kind       Kind
	frame      coordinates
	pos        mgl64.Vec3 // m
	heading    float64    // rad; NaN if missing
	confidence float64    // NaN if missing
	id         string     // an obstacle's name, team or track number; empty if the message has none
}

// finite reports whether a report's position is finite.
func (r *report) finite() bool {
	for _, x := range r.pos {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return false
		}
	}
	return !math.IsInf(r.heading, 0)
}

// message is a decoded message.
type message struct {
	topic          int
	stamp, arrived time.Duration // sim times; without a header, stamp is the time of arrival
	stamped        bool
	reports        []report
}
