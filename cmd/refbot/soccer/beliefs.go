package soccer

import (
	"math"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
)

// The methods below report to observers what the player believes after a frame. The poses are in the frame map, and are
// predicted to the time of the command.

// Pose fills in the robot's pose. It returns false if the pose is unknown.
func (p *Player) Pose(m *msg.PoseStamped) bool {
	w := p.model.World()
	m.Header = p.header()
	m.Pose = p.inMap(w.Me.Pos, w.Me.Heading)
	return w.Known
}

// Ball fills in the ball's position. It returns false if the position is unknown.
func (p *Player) Ball(m *msg.PointStamped) bool {
	w := p.model.World()
	m.Header = p.header()
	m.Point = p.inMap(w.Ball.Pos, 0).Position
	m.Point.Z = w.Ball.Height
	return w.Known && w.Ball.Known
}

// Others fills in the positions of other robots and obstacles. It returns false if the robot's own pose is unknown.
func (p *Player) Others(m *msg.PoseArray) bool {
	w := p.model.World()
	m.Header, m.Poses = p.header(), m.Poses[:0]
	for i := range w.Others {
		m.Poses = append(m.Poses, p.inMap(w.Others[i].Pos, 0))
	}
	return w.Known
}

// Path fills in the planned path from the robot's position. The path of a robot that does not drive is empty.
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

// inMap converts a pose from the team's field frame to the frame map. The x axis of map points to the goal that the
// cyan team attacks.
func (p *Player) inMap(at pitch.Vec, heading float64) msg.Pose {
	if p.team == msg.TeamMagenta {
		at, heading = at.Mul(-1), heading+math.Pi
	}
	sin, cos := math.Sincos(heading / 2)
	return msg.Pose{Position: msg.Point{X: at[0], Y: at[1]}, Orientation: msg.Quaternion{Z: sin, W: cos}}
}
