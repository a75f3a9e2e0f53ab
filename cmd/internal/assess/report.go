package assess

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/go-gl/mathgl/mgl64"
)

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
	id         string     // of an obstacle: a name, a team, or a track number; empty if missing
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
	stamp, arrived time.Duration // sim time; for a message without a header, stamp is the time of arrival
	stamped        bool
	reports        []report
}
