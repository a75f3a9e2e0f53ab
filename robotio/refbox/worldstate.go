package refbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
)

// WorldState is a team's message to a box about itself and what it sees, in metres, radians and seconds. Its frame is
// the team's: the origin is the centre of the field, y points to the opponents' goal, x to the right of it. A heading
// is measured counter-clockwise from y, in [0, 2π). Sources: the box's MSLWMD-schema; its AudienceClient, which turns
// the second team's states by half a turn; for headings the ASML Falcons' fixPhi and RTDBAdapterLogging, which write
// its logs.
type WorldState struct {
	TeamName  string
	Intention string
	Robots    []RobotState
	Balls     []BallState
	Obstacles []ObstacleState
	AgeMs     float64 // age of all data
}

// RobotState is one robot of the team.
type RobotState struct {
	ID           int     `json:"id"`
	Pose         Vec3    `json:"pose"` // x, y, heading
	TargetPose   Vec3    `json:"targetPose"`
	Velocity     Vec3    `json:"velocity"` // along the frame's axes in m/s, and of the heading in rad/s
	Intention    string  `json:"intention"`
	BatteryLevel Decimal `json:"batteryLevel"` // percent
	BallEngaged  int     `json:"ballEngaged"`  // 1: holds the ball
}

// BallState is a possible ball.
type BallState struct {
	Position   Vec3    `json:"position"`
	Velocity   Vec3    `json:"velocity"`
	Confidence Decimal `json:"confidence"` // 0 to 1
}

// ObstacleState is anything else that the team sees.
type ObstacleState struct {
	Position   Vec2    `json:"position"`
	Velocity   Vec2    `json:"velocity"`
	Radius     Decimal `json:"radius"`
	Confidence Decimal `json:"confidence"`
}

// Decimal is a number that is encoded with three digits after the decimal point, as teams do. Vec2 and Vec3 hold
// several. NaN is an unknown number and is encoded as null.
type (
	Decimal float64
	Vec2    [2]float64
	Vec3    [3]float64
)

const worldState = "worldstate" // value of the field type

// Append appends the encoded state with its NUL byte.
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
		panic(err) // cannot happen: NaN is encoded as null
	}
	return append(append(b, text...), 0)
}

// list returns s, or an empty list for nil, which JSON would encode as null.
func list[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// ParseWorldState parses a world state without its NUL byte. Like a box, it fails if a top-level key is missing or a
// list or number violates the box's schema.
func ParseWorldState(text []byte) (*WorldState, error) {
	fields, err := parseObject(text)
	if err != nil {
		return nil, err
	}
	var typ string
	w := &WorldState{}
	if err := parseField(fields, "type", &typ, "must be "+worldState); err != nil {
		return nil, err
	}
	if typ != worldState {
		return nil, fmt.Errorf("type = %.40q: must be %s", typ, worldState)
	}
	err = errors.Join(
		parseField(fields, "teamName", &w.TeamName, "must be a text"), parseField(fields, "intention", &w.Intention,
			"must be a text"),
		parseField(fields, "robots", &w.Robots,
			"must be a list of robots: id and ballEngaged are whole numbers, pose, "+
				"targetPose and velocity three numbers each"),
		parseField(fields, "balls", &w.Balls, "must be a list of balls: position and velocity are three numbers each, "+
			"confidence is one"),
		parseField(fields, "obstacles", &w.Obstacles, "must be a list of obstacles: position and velocity are two "+
			"numbers "+
			"each, radius and confidence one"),
		parseField(fields, "ageMs", &w.AgeMs, "must be a number"))
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
		x = 0 // not -0.000
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
