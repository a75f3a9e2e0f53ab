package recorder

import (
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/robotio/mapping"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/worlds/expectation"
	"github.com/omnipitch/omnipitch/worlds/game"
	"github.com/omnipitch/omnipitch/worlds/referee"
)

// truth writes the ground truth, the touches and the game states of a run to the recording.
type truth struct {
	bodies    output[msg.Truth]
	touches   output[msg.Touch]
	levels    output[msg.Level]
	game      output[msg.Game]
	verdicts  output[msg.Verdict]
	decisions output[msg.Decision]

	due     time.Duration // time at which the bodies are to be written next
	was     game.State
	started bool // whether was has a value
}

// state handles a new state. If on is true, it also writes the bodies, once per period. at is the time since the
// beginning of the first episode of the recording.
func (t *truth) state(s *physics.Snapshot, model *physics.Model, now game.State, at, period time.Duration, on bool) {
	if s.Time >= t.due && on {
		t.due = s.Time - s.Time%period + period
		t.fill(s, model)
		t.bodies.write(at, s.Time)
	}
	for i := range s.Events {
		e := &s.Events[i]
		m := &t.touches.message
		*m = msg.Touch{Header: msg.Header{Stamp: msg.TimeFrom(s.Time)}, Step: uint64(s.Step), Kind: e.Kind.String(),
			A:        model.BodyName(e.A),
			Position: msg.Point{X: e.PosW[0], Y: e.PosW[1], Z: e.PosW[2]}, Impulse: e.Impulse, Closing: e.Closing}
		if e.Kind.Pairwise() {
			m.B = model.BodyName(e.B)
		}
		t.touches.write(at, s.Time)
	}
	if now != t.was || !t.started {
		t.was, t.started = now, true
		t.game.message = msg.Game{Header: msg.Header{Stamp: msg.TimeFrom(s.Time)}, Phase: string(now.Phase),
			Half: string(now.Half), SetPiece: string(now.SetPiece),
			Team: string(now.Team), Cyan: uint32(now.Score.Cyan), Magenta: uint32(now.Score.Magenta)}
		t.game.write(at, s.Time)
	}
}

// fill stores a state in the message of ground truth.
func (t *truth) fill(s *physics.Snapshot, model *physics.Model) {
	m := &t.bodies.message
	m.Header.Stamp, m.Step, m.HeldBy = msg.TimeFrom(s.Time), uint64(s.Step), ""
	if s.Ball.HeldBy >= 0 {
		m.HeldBy = model.Robots[s.Ball.HeldBy].Name
	}
	m.Bodies = m.Bodies[:0]
	add := func(name string, p spatial.Pose, t spatial.Twist) {
		if !p.Absent() {
			m.Bodies = append(m.Bodies, body(name, p, t))
		}
	}
	add("ball", spatial.Pose{Pos: s.Ball.PosW, Rot: s.Ball.RotW}, s.Ball.TwistInW)
	for i := range s.Robots {
		add(model.Robots[i].Name, s.Robots[i].PoseWB, s.Robots[i].TwistWBInW)
	}
	for i := range s.Obstacles {
		add(model.Obstacles[i].Name, s.Obstacles[i].PoseWO, s.Obstacles[i].TwistWOInW)
	}
}

func body(name string, p spatial.Pose, t spatial.Twist) msg.Body {
	return msg.Body{Name: name, Pose: msg.Pose{Position: msg.Point{X: p.Pos[0], Y: p.Pos[1], Z: p.Pos[2]},
		Orientation: msg.Quaternion{X: p.Rot.V[0], Y: p.Rot.V[1], Z: p.Rot.V[2], W: p.Rot.W}},
		Twist: msg.Twist{Linear: vector(t.Lin), Angular: vector(t.Ang)}}
}

func vector(v mgl64.Vec3) msg.Vector3 { return msg.Vector3{X: v[0], Y: v[1], Z: v[2]} }

func (t *truth) level(c omnipitch.LevelChange, at time.Duration) {
	t.levels.message = msg.Level{Header: msg.Header{Stamp: msg.TimeFrom(c.Stamp)}, Robot: c.Robot, Sensor: c.Sensor,
		Level: string(c.Level), Frame: c.Frame}
	t.levels.write(at, c.Stamp)
}

func (t *truth) verdict(v expectation.Verdict, at time.Duration) {
	t.verdicts.message = msg.Verdict{Header: msg.Header{Stamp: msg.TimeFrom(v.At)}, Expectation: v.Name,
		Outcome: string(v.Outcome), Expected: v.Expected, Was: v.Was}
	t.verdicts.write(at, v.At)
}

func (t *truth) decision(d *referee.Decision, at time.Duration) {
	t.decisions.message = mapping.DecisionMessage(d)
	t.decisions.write(at, d.Time)
}
