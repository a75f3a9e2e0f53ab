package legs

import (
	"math"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// player returns a robot with four animations of 1 s, three of which its motion control uses.
func player() *physics.Robot {
	r := &physics.Robot{Motion: &physics.MotionControl{GetUpFront: "front", GetUpBack: "back", KickLeft: "kick"}}
	r.Motion.SetDefaults()
	for _, name := range []string{"wave", "front", "back", "kick"} {
		r.Animations = append(r.Animations, physics.Animation{Name: name, Frames: []physics.KeyFrame{
			{Duration: time.Second}}})
	}
	return r
}

// leaning returns what a robot senses that leans forward by an angle.
func leaning(angle float64) Sense {
	return Sense{UpB: mgl64.Vec3{-math.Sin(angle), 0, math.Cos(angle)}}
}

// advance advances the state for some seconds, and returns the orders on the way.
func advance(c *Control, m *Motion, s Sense, seconds float64) (orders []Order) {
	for range int(math.Round(seconds / 0.005)) {
		if order := c.Advance(m, s, 0.005); order != NoOrder {
			orders = append(orders, order)
		}
	}
	return orders
}

// A robot that falls goes limp, lies still, and gets up by the animation of the side on which it lies.
func TestFallAndGetUp(t *testing.T) {
	for lean, animation := range map[float64]int64{1.5: 1, -1.5: 2} {
		c := NewControl(player())
		var m Motion
		must.Equal(t, len(advance(c, &m, leaning(0.7), 1)), 0, "orders while it leans")
		must.Equal(t, c.Advance(&m, leaning(0.8), 0.005), Relax, "order at a fall")
		moving := leaning(lean)
		moving.Rate = 2
		advance(c, &m, moving, 2)
		must.Equal(t, m.State, physics.Falling, "while it moves")
		advance(c, &m, leaning(lean), restTime+0.01)
		must.Equal(t, m.State, physics.Fallen, "once it rests")
		orders := advance(c, &m, leaning(lean), restTime+0.01)
		must.Equal(t, len(orders), 1, "orders")
		must.Equal(t, orders[0], Play, "order")
		must.Equal(t, m.Animation, animation, "animation")
		advance(c, &m, leaning(lean), 0.9)
		must.Equal(t, m.State, physics.GettingUp, "on its way")
		again := m
		advance(c, &m, leaning(0), 0.11)
		must.Equal(t, m.State, physics.Controllable, "upright")
		advance(c, &again, leaning(lean), 0.11)
		must.Equal(t, again.State, physics.Fallen, "if it lies again")
	}
}

// A robot whose motors commands have switched off falls without orders, and gets up once they are on.
func TestLimpRobotsStayDown(t *testing.T) {
	c := NewControl(player())
	var m Motion
	limp := func(lean float64) Sense {
		s := leaning(lean)
		s.Limp = true
		return s
	}
	must.Equal(t, len(advance(c, &m, limp(1.5), 5)), 0, "orders without motors")
	must.Equal(t, m.State, physics.Fallen, "without motors")
	upright := m
	must.Equal(t, len(advance(c, &upright, limp(0), 1)), 0, "orders on its feet")
	must.Equal(t, upright.State, physics.Controllable, "on its feet")
	must.Equal(t, c.Advance(&m, leaning(1.5), 0.005), Play, "order with motors")
}

// Somebody who puts a fallen robot on its feet gets it back in its posture.
func TestSetUpright(t *testing.T) {
	c := NewControl(player())
	m := Motion{State: physics.Falling}
	orders := advance(c, &m, leaning(0), 1)
	must.Equal(t, len(orders), 1, "orders")
	must.Equal(t, orders[0], Stand, "order")
	must.Equal(t, m.State, physics.Controllable, "state")
}

// A program handles falls itself if the robot's model says so.
func TestProgramHandlesFalls(t *testing.T) {
	r := player()
	r.Motion.HandleFalls = false
	var m Motion
	must.Equal(t, len(advance(NewControl(r), &m, leaning(1.5), 3)), 0, "orders")
	must.Equal(t, m.State, physics.Controllable, "state")
}

// An animation waits until the robot stands, is replaced by a newer one, and ends. A fall cancels it.
func TestAnimationWaits(t *testing.T) {
	c := NewControl(player())
	var m Motion
	m.Play(0)
	walking := leaning(0)
	walking.Walks = true
	must.Equal(t, len(advance(c, &m, walking, 1)), 0, "orders while it walks")
	must.Equal(t, m.State, physics.Walking, "state")
	must.Equal(t, c.Advance(&m, leaning(0), 0.005), Play, "order")
	must.Equal(t, m.State, physics.Animating, "state")
	must.Near(t, "progress", c.Progress(&m), 0, 0)
	advance(c, &m, leaning(0), 0.5)
	must.Near(t, "progress", c.Progress(&m), 0.5, 1e-9)
	m.Play(3)
	m.Play(2)
	advance(c, &m, leaning(0), 0.52)
	must.Equal(t, m.Animation, int64(2), "the next animation")
	m.Play(0)
	advance(c, &m, leaning(1), 0.2)
	must.Equal(t, m, Motion{State: physics.Falling, Time: m.Time, Rest: m.Rest}, "state in a fall")
}

// A kick needs a free robot, and an animation of the foot.
func TestKickChoosesTheFoot(t *testing.T) {
	c := NewControl(player())
	var m Motion
	if c.Kick(&m, -0.1) || !c.Kick(&m, 0.1) || c.Kick(&m, 0.1) {
		t.Error("must kick with the left foot alone, and once")
	}
	must.Equal(t, c.Advance(&m, leaning(0), 0.005), Play, "order")
	must.Equal(t, m.State, physics.Kicking, "state")
	if m = (Motion{State: physics.Fallen}); c.Kick(&m, 0.1) {
		t.Error("a fallen robot kicks")
	}
}

// A restored state is the saved one. Damaged states are refused.
func TestMotionExchange(t *testing.T) {
	c := NewControl(player())
	was := Motion{State: physics.Animating, Time: 0.3, Rest: 0.2, Animation: 2, Next: 4, NextKicks: true}
	out := keyframe.Append(nil)
	c.Exchange(&was, out)
	var is Motion
	c.Exchange(&is, keyframe.Restore(out.Data()))
	must.Equal(t, is, was, "state")
	for name, spoil := range map[string]func(*Motion){
		"state": func(m *Motion) { m.State = 7 }, "animation": func(m *Motion) { m.Animation = 4 },
		"next": func(m *Motion) { m.Next = 5 }, "time": func(m *Motion) { m.Time = math.NaN() },
	} {
		bad := was
		spoil(&bad)
		out := keyframe.Append(nil)
		c.Exchange(&bad, out)
		in := keyframe.Restore(out.Data())
		if c.Exchange(&is, in); in.Err() == nil {
			t.Errorf("a state with a bad %s is restored", name)
		}
	}
}
