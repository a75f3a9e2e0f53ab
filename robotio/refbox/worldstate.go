package refbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// WorldState is a team's message to a referee box about its own robots and its observations, in metres, radians and
// seconds. It is in the team's frame: the origin is the centre of the field, y points to the opponents' goal, and x
// points to the right. A heading is measured counter-clockwise from y, in [0, 2π). Sources: the box's MSLWMD-schema;
// the box's AudienceClient, which turns the second team's states by half a turn; for headings, fixPhi and
// RTDBAdapterLogging of the ASML Falcons.
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
	Velocity     Vec3    `json:"velocity"` // velocity along the axes of the frame in m/s, and turn rate in rad/s
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

// ObstacleState is a thing that the team sees, except for the ball and the team's own robots.
type ObstacleState struct {
	Position   Vec2    `json:"position"`
	Velocity   Vec2    `json:"velocity"`
	Radius     Decimal `json:"radius"`
	Confidence Decimal `json:"confidence"`
}

// Decimal is a number that is encoded with three digits after the decimal point, like the numbers of real teams. Vec2
// and Vec3 hold several Decimals. NaN is an unknown number and is encoded as null.
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
		panic(err) // cannot happen, because NaN is encoded as null
	}
	return append(append(b, text...), 0)
}

// list returns s, or an empty list if s is nil, because JSON would encode nil as null.
func list[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// ParseWorldState parses a world state without its NUL byte. Like a real box, it fails if a top-level key is missing,
// or if a list or number violates the box's schema.
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

// TeamFrame converts the true state, which is in the world frame W, to the parts of a WorldState in the team's frame.
// The result is that of a team which sees everything without errors. Values that only a team itself knows have
// defaults: target poses are the current poses, and batteries are full.
// side of the goal that the team attacks: 1 if the goal is at +x of W, −1 if it is at −x
type TeamFrame struct{ side float64 }

// NewTeamFrame returns the frame of a team.
func NewTeamFrame(team physics.Team, field *physics.Field) TeamFrame {
	return TeamFrame{team.Attacks(field).Side}
}

// vector converts a position or a velocity.
func (f TeamFrame) vector(vW mgl64.Vec3) (x, y float64) { return -f.side * vW[1], f.side * vW[0] }

// heading converts a heading; 0 points to the opponents' goal, and the result is in [0, 2π).
func (f TeamFrame) heading(headingW float64) float64 {
	if f.side < 0 {
		headingW += math.Pi
	}
	if headingW = spatial.WrapAngle(headingW); headingW < 0 {
		headingW += 2 * math.Pi
	}
	return headingW
}

// Robot returns a robot of the team. held reports whether the robot holds the ball.
func (f TeamFrame) Robot(number int, poseWB spatial.Pose, twistInW spatial.Twist, held bool) RobotState {
	x, y := f.vector(poseWB.Pos)
	vx, vy := f.vector(twistInW.Lin)
	pose := Vec3{x, y, f.heading(poseWB.Heading())}
	r := RobotState{ID: number, Pose: pose, TargetPose: pose, Velocity: Vec3{vx, vy, twistInW.Ang[2]},
		BatteryLevel: 100}
	if held {
		r.BallEngaged = 1
	}
	return r
}

// Obstacle returns an obstacle or a robot of the other team.
func (f TeamFrame) Obstacle(radius float64, posW, velW mgl64.Vec3) ObstacleState {
	x, y := f.vector(posW)
	vx, vy := f.vector(velW)
	return ObstacleState{Position: Vec2{x, y}, Velocity: Vec2{vx, vy}, Radius: Decimal(radius), Confidence: 1}
}

// Ball returns the ball.
func (f TeamFrame) Ball(posW, velW mgl64.Vec3) BallState {
	x, y := f.vector(posW)
	vx, vy := f.vector(velW)
	return BallState{Position: Vec3{x, y, posW[2]}, Velocity: Vec3{vx, vy, velW[2]}, Confidence: 1}
}

// fill fills a team's world state from a snapshot of a model.
func (w *WorldState) fill(team physics.Team, model *physics.Model, truth *physics.Snapshot) {
	f := NewTeamFrame(team, &model.Field)
	w.TeamName = string(team)
	for i := range truth.Robots {
		r, at := &model.Robots[i], &truth.Robots[i]
		if at.PoseWB.Absent() {
			continue
		}
		if r.Team == team {
			w.Robots = append(w.Robots, f.Robot(r.Number, at.PoseWB, at.TwistWBInW, truth.Ball.HeldBy == i))
		} else {
			w.Obstacles = append(w.Obstacles, f.Obstacle(r.Body.Radius, at.PoseWB.Pos, at.TwistWBInW.Lin))
		}
	}
	for i := range truth.Obstacles {
		if o := &truth.Obstacles[i]; !o.PoseWO.Absent() {
			w.Obstacles = append(w.Obstacles, f.Obstacle(model.Obstacles[i].Radius(), o.PoseWO.Pos, o.TwistWOInW.Lin))
		}
	}
	if !model.Ball.Absent {
		w.Balls = append(w.Balls, f.Ball(truth.Ball.PosW, truth.Ball.TwistInW.Lin))
	}
}
