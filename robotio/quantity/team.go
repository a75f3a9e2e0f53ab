package quantity

import (
	"cmp"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/worlds"
)

// TeamMessages is the name of the list with what each teammate of a robot tells about itself and the field.
const TeamMessages = "team_messages"

// Told is what a robot knows, as it tells its teammates.
type Told struct {
	Robot     int  // index of the robot in World.Robots
	Active    bool // the robot is connected to its programs, and no radio is off; if false, nothing is known
	PoseW     spatial.Pose
	PoseKnown bool
	Role      string // as the robot's programs name it; empty if unknown
	Action    string // likewise
	Side      string // on which its team attacks, likewise
	BallB     Seen   // ball and opponents' goal, in the robot's axes
	GoalB     Seen
	RivalsW   [4]Seen // opponents and teammates that the robot sees, the nearest first; unknown if its pose is
	MatesW    [3]Seen
	Heard     *Heard // nil, unless the robot has told by Mitecom
}

// Heard is what a message of Mitecom tells besides.
type Heard struct {
	Penalised                  bool
	Speed, KickRange, BallTime float64 // m/s, m and s; BallTime is NaN if it is unknown
}

// Seen is a position in m. A confidence of 0 means that it is unknown.
type Seen struct {
	Pos        mgl64.Vec3
	Confidence float64
}

// See fills in what a camera's objects say.
func (t *Told) See(c *Context) {
	objects := c.Observation.Objects
	if objects.SelfKnown {
		t.PoseW, t.PoseKnown = objects.Self, true
	}
	if c.ball != nil {
		t.BallB = Seen{c.ball.PosB, c.ball.Visible}
	}
	if g := c.goal; g != nil && g.LeftKnown && g.RightKnown {
		t.GoalB = Seen{g.LeftB.Add(g.RightB).Mul(0.5), 1}
	}
	if !objects.SelfKnown {
		return
	}
	rivals, mates := 0, 0
	c.collect(func(d *abstraction.Detection) bool { return d.Team != "" }) // a robot whose card is seen
	slices.SortStableFunc(c.members, func(a, b int) int {
		return cmp.Compare(objects.Detections[a].PosB.Len(), objects.Detections[b].PosB.Len())
	})
	for _, i := range c.members {
		d := &objects.Detections[i]
		at := Seen{objects.Self.Apply(d.PosB), d.Visible}
		switch {
		case d.Team == string(c.Robot.Team) && mates < len(t.MatesW):
			t.MatesW[mates] = at
			mates++
		case d.Team != string(c.Robot.Team) && rivals < len(t.RivalsW):
			t.RivalsW[rivals] = at
			rivals++
		}
	}
}

// Locate sets the robot's pose in W, in m and rad.
func (t *Told) Locate(x, y, heading float64) {
	t.PoseW, t.PoseKnown = spatial.Planar(x, y, heading), true
}

// LocateBall sets the position of the ball, in m, in the robot's axes or in W. A position in W is of no use if the
// robot's pose is unknown.
func (t *Told) LocateBall(at mgl64.Vec3, inRobot bool, confidence float64) {
	switch {
	case inRobot:
		t.BallB = Seen{at, confidence}
	case t.PoseKnown:
		t.BallB = Seen{t.PoseW.Inverse().Apply(at), confidence}
	}
}

// messageQuantities adds the list of what a robot's teammates tell it.
func messageQuantities(q *Set) {
	m := NewSet()
	told := func(c *Context) *Told { return &c.told[c.Member] }
	m.Texts["name"] = func(c *Context) string { return c.World.Robots[told(c).Robot].Name }
	m.plain("number", func(c *Context) float64 { return float64(c.World.Robots[told(c).Robot].Number) })
	m.Texts["state"] = func(c *Context) string {
		switch t := told(c); {
		case !t.Active:
			return "inactive"
		case t.Heard != nil && t.Heard.Penalised, t.Heard == nil && c.sentOff(&c.Truth.Robots[t.Robot]):
			return "sent_off"
		}
		return "active"
	}
	m.Texts["role"] = func(c *Context) string { return told(c).role(c.World) }
	m.Texts["action"] = func(c *Context) string { return told(c).Action }
	m.Texts["side"] = func(c *Context) string { return told(c).Side }
	pose := func(c *Context) spatial.Pose { return teamFrame(c.Robot.Team).Mul(told(c).PoseW) }
	known := func(c *Context, x float64) float64 {
		if !told(c).PoseKnown {
			return math.NaN()
		}
		return x
	}
	m.length("field.x", func(c *Context) float64 { return known(c, pose(c).Pos[0]) }) // NaN: unknown
	m.length("field.y", func(c *Context) float64 { return known(c, pose(c).Pos[1]) })
	m.angle("field.heading", func(c *Context) float64 { return known(c, pose(c).Heading()) })
	seen := func(name string, get func(c *Context) Seen) {
		m.vec(name+".", func(c *Context) mgl64.Vec3 { return get(c).Pos })
		m.plain(name+".confidence", func(c *Context) float64 { return get(c).Confidence })
	}
	inField := func(name string, get func(*Told) Seen) {
		seen(name, func(c *Context) Seen {
			s := get(told(c))
			s.Pos = teamFrame(c.Robot.Team).Apply(s.Pos)
			return s
		})
	}
	seen("ball", func(c *Context) Seen { return told(c).BallB })
	seen("goal", func(c *Context) Seen { return told(c).GoalB })
	for i, letter := range []string{"a", "b", "c", "d"} {
		inField("rival_"+letter, func(t *Told) Seen { return t.RivalsW[i] })
		if i < len(Told{}.MatesW) {
			inField("mate_"+letter, func(t *Told) Seen { return t.MatesW[i] })
		}
	}
	m.length("top_speed", func(c *Context) float64 { return told(c).speed(c.World) })
	m.length("kick_range", func(c *Context) float64 { return told(c).kickRange(c.World) })
	m.plain("ball.time", func(c *Context) float64 { return told(c).ballTime(c.World) })
	q.list(TeamMessages, func(c *Context) int {
		if c.toldAt != c.Stamp || c.told == nil {
			c.told, c.toldAt = c.Tell(c.index, c.told[:0]), c.Stamp
		}
		return len(c.told)
	}, m)
}

// role returns the robot's role. If it is unknown, it is goalie for number 1, and other for the others.
func (t *Told) role(w *worlds.World) string {
	switch {
	case t.Role != "":
		return t.Role
	case w.Robots[t.Robot].Number == 1:
		return "goalie"
	}
	return "other"
}

// speed returns the largest speed of the robot, in m/s.
func (t *Told) speed(w *worlds.World) float64 {
	if t.Heard != nil {
		return t.Heard.Speed
	}
	return w.Robots[t.Robot].Drive.MaxSpeed
}

// kickRange returns how far a ball rolls from the fastest kick, in m. It is 0 without a kicker.
func (t *Told) kickRange(w *worlds.World) float64 {
	if t.Heard != nil {
		return t.Heard.KickRange
	}
	k := w.Robots[t.Robot].Kicker
	if k == nil {
		return 0
	}
	return k.MaxSpeed * k.MaxSpeed / (2 * w.Ball.RollingDecel)
}

// ballTime returns the time to the ball at the largest speed, in s. It is NaN if the ball is unknown.
func (t *Told) ballTime(w *worlds.World) float64 {
	if t.Heard != nil {
		return t.Heard.BallTime
	}
	if t.BallB.Confidence == 0 {
		return math.NaN()
	}
	return math.Hypot(t.BallB.Pos[0], t.BallB.Pos[1]) / t.speed(w)
}
