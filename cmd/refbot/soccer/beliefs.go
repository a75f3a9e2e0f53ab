package soccer

import (
	"math"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
)

// What the robot believes after a frame, in the frame map, for who looks at it: of the time to which the world model
// predicts.

// Pose fills in where the robot believes to be, and returns false if it does not know.
func (p *Player) Pose(m *msg.PoseStamped) bool {
	w := p.model.World()
	m.Header = p.header()
	m.Pose = p.inMap(w.Me.Pos, w.Me.Heading)
	return w.Known
}

// Ball fills in where it believes the ball to be, and returns false if it does not know.
func (p *Player) Ball(m *msg.PointStamped) bool {
	w := p.model.World()
	m.Header = p.header()
	m.Point = p.inMap(w.Ball.Pos, 0).Position
	m.Point.Z = w.Ball.Height
	return w.Known && w.Ball.Known
}

// Others fills in where it believes other robots and obstacles to be.
func (p *Player) Others(m *msg.PoseArray) bool {
	w := p.model.World()
	m.Header, m.Poses = p.header(), m.Poses[:0]
	for i := range w.Others {
		m.Poses = append(m.Poses, p.inMap(w.Others[i].Pos, 0))
	}
	return w.Known
}

// Path fills in the way that it takes, from where it believes to be; one that stands has none.
func (p *Player) Path(m *msg.Path) bool {
	w := p.model.World()
	m.Header, m.Poses = p.header(), m.Poses[:0]
	if p.way == nil {
		return w.Known
	}
	m.Poses = append(m.Poses, msg.PoseStamped{Header: m.Header, Pose: p.inMap(w.Me.Pos, 0)})
	for _, at := range p.way {
		m.Poses = append(m.Poses, msg.PoseStamped{Header: m.Header, Pose: p.inMap(at, 0)})
	}
	return w.Known
}

func (p *Player) header() msg.Header {
	return msg.Header{Stamp: msg.TimeFrom(p.model.World().Now), FrameID: "map"}
}

// inMap returns a pose in the team's field frame as one in the map, whose x points to the goal that cyan attacks.
func (p *Player) inMap(at pitch.Vec, heading float64) msg.Pose {
	if p.team == msg.TeamMagenta {
		at, heading = at.Mul(-1), heading+math.Pi
	}
	sin, cos := math.Sincos(heading / 2)
	return msg.Pose{Position: msg.Point{X: at[0], Y: at[1]}, Orientation: msg.Quaternion{Z: sin, W: cos}}
}
