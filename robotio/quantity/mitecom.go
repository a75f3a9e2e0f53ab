package quantity

import (
	"math"
	"slices"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/robotio/belief"
	"github.com/omnipitch/omnipitch/robotio/mitecom"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/radio"
)

// Names of the numbers of Mitecom.
var (
	mitecomRoles   = []string{"idling", "other", "striker", "supporter", "defender", "goalie"}
	mitecomActions = []string{"", "positioning", "going_to_ball", "trying_to_score", "waiting"}
	mitecomSides   = []string{"", "left", "middle", "right"}
)

// Numbers of a state of a robot.
const (
	mitecomActive    = 1
	mitecomPenalised = 2
)

// fullBelief is the belief of a confidence of 1.
const fullBelief = 255

// Mitecom returns what a robot tells as a message of Mitecom. c is the Context of that robot, with the present Truth.
// Unknown numbers are left out.
func (t *Told) Mitecom(c *Context) mitecom.Message {
	m := mitecom.Message{Team: uint16(c.Robot.Radio.Mitecom.Team), Robot: uint16(c.Robot.Number)}
	role := slices.Index(mitecomRoles, t.role(c.World))
	if role < 0 {
		role = slices.Index(mitecomRoles, "other")
	}
	m.Set(mitecom.Role, int32(role))
	m.Set(mitecom.Action, int32(max(slices.Index(mitecomActions, t.Action), 0)))
	state := int32(mitecomActive)
	if c.sentOff(c.state()) {
		state = mitecomPenalised
	}
	m.Set(mitecom.State, state)
	if t.PoseKnown {
		pose := teamFrame(c.Robot.Team).Mul(t.PoseW)
		setSeen(&m, mitecom.X, mitecom.Belief, Seen{pose.Pos, 1})
		m.Set(mitecom.Heading, whole(pose.Heading()/spatial.Degree))
	}
	setSeen(&m, mitecom.BallX, mitecom.BallBelief, t.BallB)
	setSeen(&m, mitecom.GoalX, mitecom.GoalBelief, t.GoalB)
	others := func(first mitecom.Key, all []Seen) {
		for i, s := range all {
			s.Pos = teamFrame(c.Robot.Team).Apply(s.Pos)
			key := first + mitecom.Key(3*i)
			setSeen(&m, key, key+2, s)
		}
	}
	others(mitecom.RivalX, t.RivalsW[:])
	others(mitecom.MateX, t.MatesW[:])
	m.Set(mitecom.Speed, whole(100*t.speed(c.World)))
	if s := t.ballTime(c.World); !math.IsNaN(s) {
		m.Set(mitecom.BallTime, whole(s))
	}
	m.Set(mitecom.KickRange, whole(100*t.kickRange(c.World)))
	m.Set(mitecom.Side, int32(max(slices.Index(mitecomSides, t.Side), 0)))
	return m
}

// setSeen adds a position, with its y after x, unless it is unknown.
func setSeen(m *mitecom.Message, x, belief mitecom.Key, s Seen) {
	if s.Confidence > 0 {
		m.Set(x, whole(1000*s.Pos[0]))
		m.Set(x+1, whole(1000*s.Pos[1]))
		m.Set(belief, max(1, whole(fullBelief*s.Confidence)))
	}
}

// whole returns the nearest number that a message can hold.
func whole(x float64) int32 {
	return int32(mgl64.Clamp(math.Round(x), math.MinInt32, math.MaxInt32))
}

// Hear returns what a message of Mitecom from a robot, given by its index in the world, tells. A position without a
// belief counts as sure.
func Hear(w *worlds.World, robot int, m *mitecom.Message) Told {
	t := Told{Robot: robot, Heard: &Heard{}}
	frame := teamFrame(w.Robots[robot].Team) // its own inverse
	number := func(key mitecom.Key) float64 {
		v, _ := m.Get(key)
		return float64(v)
	}
	seen := func(x, belief mitecom.Key) (s Seen) {
		_, knownX := m.Get(x)
		_, knownY := m.Get(x + 1)
		if !knownX || !knownY {
			return s
		}
		s = Seen{mgl64.Vec3{number(x) / 1000, number(x+1) / 1000, 0}, 1}
		if v, ok := m.Get(belief); ok {
			s.Confidence = mgl64.Clamp(float64(v)/fullBelief, 0, 1)
		}
		return s
	}
	inField := func(x, belief mitecom.Key) Seen {
		s := seen(x, belief)
		s.Pos = frame.Apply(s.Pos)
		return s
	}
	state, ok := m.Get(mitecom.State)
	t.Active, t.Heard.Penalised = !ok || state == mitecomActive || state == mitecomPenalised, state == mitecomPenalised
	if s := seen(mitecom.X, mitecom.Belief); s.Confidence > 0 {
		pose := spatial.Planar(s.Pos[0], s.Pos[1], spatial.WrapAngle(number(mitecom.Heading)*spatial.Degree))
		t.PoseW, t.PoseKnown = frame.Mul(pose), true
	}
	t.BallB, t.GoalB = seen(mitecom.BallX, mitecom.BallBelief), seen(mitecom.GoalX, mitecom.GoalBelief)
	for i := range t.RivalsW {
		key := mitecom.RivalX + mitecom.Key(3*i)
		t.RivalsW[i] = inField(key, key+2)
	}
	for i := range t.MatesW {
		key := mitecom.MateX + mitecom.Key(3*i)
		t.MatesW[i] = inField(key, key+2)
	}
	name := func(key mitecom.Key, names []string) string {
		if v, ok := m.Get(key); ok && v >= 0 && int(v) < len(names) {
			return names[v]
		}
		return ""
	}
	t.Role, t.Action = name(mitecom.Role, mitecomRoles), name(mitecom.Action, mitecomActions)
	t.Side = name(mitecom.Side, mitecomSides)
	t.Heard.Speed, t.Heard.KickRange = number(mitecom.Speed)/100, number(mitecom.KickRange)/100
	t.Heard.BallTime = math.NaN()
	if v, ok := m.Get(mitecom.BallTime); ok {
		t.Heard.BallTime = float64(v)
	}
	return t
}

// Belief returns what a robot tells, with the sim time at which it was sent.
func (t *Told) Belief(w *worlds.World, sent time.Duration) belief.Robot {
	r := belief.Robot{Name: w.Robots[t.Robot].Name, Status: &belief.Status{Topic: radio.MitecomTopic, Stamp: sent,
		Role: t.Role, Action: t.Action, Side: t.Side}}
	about := func(relative bool, places ...belief.Place) *belief.Belief {
		return &belief.Belief{Topic: radio.MitecomTopic, Stamp: sent, Relative: relative, Places: places}
	}
	if t.PoseKnown {
		r.Pose = about(false, belief.Place{X: t.PoseW.Pos[0], Y: t.PoseW.Pos[1], Heading: t.PoseW.Heading(),
			HasHeading: true, Confidence: 1})
	}
	seen := func(all ...Seen) (places []belief.Place) {
		for _, s := range all {
			if s.Confidence > 0 {
				places = append(places, belief.Place{X: s.Pos[0], Y: s.Pos[1], Z: s.Pos[2], Confidence: s.Confidence})
			}
		}
		return places
	}
	r.Ball = about(true, seen(t.BallB)...)
	r.Obstacles = about(false, seen(append(t.RivalsW[:], t.MatesW[:]...)...)...)
	return r
}
