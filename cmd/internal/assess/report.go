package assess

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/go-gl/mathgl/mgl64"
)

// Kind is what a vision reports.
type Kind string

// Kinds. Robots are obstacles too.
const (
	Self      Kind = "self"
	Ball      Kind = "ball"
	Obstacles Kind = "obstacles"
)

// Kinds lists all kinds.
var Kinds = []Kind{Self, Ball, Obstacles}

// Topic is a topic of the vision. Kind is what its messages report; empty: what their type and the topic's name say.
type Topic struct {
	Name string
	Kind Kind
}

// ParseTopic reads TOPIC or TOPIC=KIND.
func ParseTopic(text string) (Topic, error) {
	name, kind, given := strings.Cut(text, "=")
	t := Topic{Name: name, Kind: Kind(kind)}
	if given && t.Kind != Self && t.Kind != Ball && t.Kind != Obstacles {
		return t, fmt.Errorf("%q: what it reports must be self, ball or obstacles", text)
	}
	return t, nil
}

// coordinates is a coordinate frame that positions are reported in.
type coordinates uint8

const (
	inMap     coordinates = iota // W
	inTeam                       // the team's field frame: the map, for magenta turned by half a turn
	inBase                       // B
	inOptical                    // the camera's optical frame
)

// report is one thing that a message says.
type report struct {
	kind       Kind
	frame      coordinates
	pos        mgl64.Vec3 // metres
	heading    float64    // rad; NaN where there is none
	confidence float64    // NaN where there is none
	id         string     // of an obstacle: a name, a team, or the number of a track; empty if there is none
}

// finite tells whether a report's position is made of numbers.
func (r *report) finite() bool {
	for _, x := range r.pos {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return false
		}
	}
	return !math.IsInf(r.heading, 0)
}

// message is what came on a topic at one time.
type message struct {
	topic          int
	stamp, arrived time.Duration // sim time; without a header the stamp is when it came
	stamped        bool
	reports        []report
}
