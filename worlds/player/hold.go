package player

import (
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/keyframe"
)

// Hold is the behaviour of a robot that stays at a pose, and returns to it when it is pushed away. The robot does not
// use its dribbler, its kicker or its extension.
type Hold struct {
	Limits
	Pose *Pose `toml:"pose" doc:"pose to stay at; left out, the pose at its start"`
}

func (*Hold) Validate(string, World) error { return nil }

func (h *Hold) Start(m *physics.Model, robot int) Player {
	return &holder{driver: newDriver(m, robot, h.Limits), pose: h.Pose}
}

type holder struct {
	driver
	pose *Pose
}

func (h *holder) Command(now *physics.Snapshot, c *physics.Command) bool {
	if h.pose == nil {
		at := now.Robots[h.robot].PoseWB
		h.pose = &Pose{X: at.Pos[0], Y: at.Pos[1], Heading: at.Heading()}
	}
	h.drive(now, c, goal{place: Point{h.pose.X, h.pose.Y}.vec(), heading: h.pose.Heading})
	return true
}

func (h *holder) Exchange(c *keyframe.Codec) {
	h.driver.Exchange(c)
	c.Value(&h.pose)
}
