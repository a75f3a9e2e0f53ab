package refbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
)

// WorldState is what a team tells a box of itself and of what it sees. Metres, radians and seconds; in the team's
// frame: the origin is the middle of the field, y runs to the opponents' goal, x to the right of it, and a heading is
// counted from y, counter-clockwise, in [0, 2π). Sources: the box's MSLWMD-schema; its AudienceClient, which turns the
// second team's states by half a turn; for headings the ASML Falcons' fixPhi and RTDBAdapterLogging, which write its
// logs.
type WorldState struct {
	TeamName  string
	Intention string
	Robots    []RobotState
	Balls     []BallState
	Obstacles []ObstacleState
	AgeMs     float64 // how old all of it is
}

// RobotState is one robot of the team.
type RobotState struct {
	ID           int     `json:"id"`
	Pose         Vec3    `json:"pose"` // x, y, heading
	TargetPose   Vec3    `json:"targetPose"`
	Velocity     Vec3    `json:"velocity"` // along the frame's axes, m/s, and of the heading, rad/s
	Intention    string  `json:"intention"`
	BatteryLevel Decimal `json:"batteryLevel"` // percent
	BallEngaged  int     `json:"ballEngaged"`  // 1: has the ball
}

// BallState is a ball that the team sees, surely or not.
type BallState struct {
	Position   Vec3    `json:"position"`
	Velocity   Vec3    `json:"velocity"`
	Confidence Decimal `json:"confidence"` // 0 to 1
}

// ObstacleState is what else the team sees.
type ObstacleState struct {
	Position   Vec2    `json:"position"`
	Velocity   Vec2    `json:"velocity"`
	Radius     Decimal `json:"radius"`
	Confidence Decimal `json:"confidence"`
}

// Decimal is a number that is written with three digits after the point, as teams do; Vec2 and Vec3 are several. A
// number that is not known is null: NaN here.
type (
	Decimal float64
	Vec2    [2]float64
	Vec3    [3]float64
)

const worldState = "worldstate" // the type of the message

// Append appends the state as it is sent, with its NUL byte.
func (w *WorldState) Append(b []byte) []byte {
	text, err := json.Marshal(struct {
		Type      string          `json:"type"`
		TeamName  string          `json:"teamName"`
		Intention string          `json:"intention"`
		Robots    []RobotState    `json:"robots"`
		Balls     []BallState     `json:"balls"`
		Obstacles []ObstacleState `json:"obstacles"`
		AgeMs     float64         `json:"ageMs"`
	}{worldState, w.TeamName, w.Intention, list(w.Robots), list(w.Balls), list(w.Obstacles), w.AgeMs})
	if err != nil {
		panic(err) // numbers that are not known are null
	}
	return append(append(b, text...), 0)
}

// list is a list that is not nil, which JSON would have as null.
func list[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// ParseWorldState reads a world state without its NUL byte. It fails as a box does on keys of the whole that are
// missing, and on lists and numbers that are not what the box's schema says.
func ParseWorldState(text []byte) (*WorldState, error) {
	fields, err := parseObject(text)
	if err != nil {
		return nil, err
	}
	var typ string
	w := &WorldState{}
	if err := take(fields, "type", &typ, "must be "+worldState); err != nil {
		return nil, err
	}
	if typ != worldState {
		return nil, fmt.Errorf("type = %.40q: must be %s", typ, worldState)
	}
	err = errors.Join(
		take(fields, "teamName", &w.TeamName, "must be a text"), take(fields, "intention", &w.Intention,
			"must be a text"),
		take(fields, "robots", &w.Robots, "must be a list of robots: id and ballEngaged are whole numbers, pose, "+
			"targetPose and velocity three numbers each"),
		take(fields, "balls", &w.Balls, "must be a list of balls: position and velocity are three numbers each, "+
			"confidence is one"),
		take(fields, "obstacles", &w.Obstacles, "must be a list of obstacles: position and velocity are two numbers "+
			"each, radius and confidence one"),
		take(fields, "ageMs", &w.AgeMs, "must be a number"))
	if err != nil {
		return nil, err
	}
	return w, nil
}

func (d Decimal) MarshalJSON() ([]byte, error) { return appendNumber(nil, float64(d)), nil }
func (v Vec2) MarshalJSON() ([]byte, error)    { return appendNumbers(nil, v[:]), nil }
func (v Vec3) MarshalJSON() ([]byte, error)    { return appendNumbers(nil, v[:]), nil }

func (v *Vec2) UnmarshalJSON(text []byte) error { return readNumbers(text, v[:]) }
func (v *Vec3) UnmarshalJSON(text []byte) error { return readNumbers(text, v[:]) }

func appendNumbers(b []byte, numbers []float64) []byte {
	b = append(b, '[')
	for i, x := range numbers {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendNumber(b, x)
	}
	return append(b, ']')
}

func appendNumber(b []byte, x float64) []byte {
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0):
		return append(b, "null"...)
	case math.Abs(x) < 0.0005:
		x = 0 // and not -0.000
	}
	return strconv.AppendFloat(b, x, 'f', 3, 64)
}

func readNumbers(text []byte, to []float64) error {
	var numbers []*float64
	if err := json.Unmarshal(text, &numbers); err != nil {
		return err
	}
	if len(numbers) != len(to) {
		return fmt.Errorf("must be %d numbers", len(to))
	}
	for i, x := range numbers {
		to[i] = math.NaN()
		if x != nil {
			to[i] = *x
		}
	}
	return nil
}
