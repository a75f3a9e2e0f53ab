package action

import (
	"errors"
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
)

// Place moves the ball, a robot or an obstacle to a pose, and sets its twist. Robots and obstacles stand on the floor.
// The ball gets its initial orientation.
type Place struct {
	Name       string `toml:"name" required:"true" doc:"ball, or the name of a robot or an obstacle"`
	RelativeTo string `toml:"relative_to" doc:"ball, or the name of the robot or obstacle in whose frame the position, the orientation and the velocities are given; left out: the world"`

	X       float64 `toml:"x_m" range:"[-50, 50]" doc:"position, towards the goal that cyan attacks"`
	Y       float64 `toml:"y_m" range:"[-50, 50]" doc:"position, to the left of that direction"`
	Z       float64 `toml:"z_m" range:"[-50, 50]" doc:"height; for the ball, of its centre, which is never below the floor"`
	Heading float64 `toml:"heading_deg" doc:"heading, anticlockwise from x; a quaternion overrides it"`
	QX      float64 `toml:"qx" doc:"orientation as a quaternion"`
	QY      float64 `toml:"qy"`
	QZ      float64 `toml:"qz"`
	QW      float64 `toml:"qw"`
	VX      float64 `toml:"vx_m_s" range:"[-50, 50]"`
	VY      float64 `toml:"vy_m_s" range:"[-50, 50]"`
	VZ      float64 `toml:"vz_m_s" range:"[-50, 50]"`
	WX      float64 `toml:"wx_deg_s" range:"[-2865, 2865]" doc:"angular velocity about x"`
	WY      float64 `toml:"wy_deg_s" range:"[-2865, 2865]"`
	WZ      float64 `toml:"wz_deg_s" range:"[-2865, 2865]"`
}

func (p *Place) Validate(w World) error {
	err := violation("name", p.Name, w.FindBody(p.Name))
	if p.RelativeTo != "" {
		err = errors.Join(err, violation("relative_to", p.RelativeTo, w.FindBody(p.RelativeTo)))
	}
	return err
}

// TurnRound turns the pose's orientation by 180°.
func (p *Place) TurnRound() {
	p.Heading += math.Pi
	p.QX, p.QY, p.QZ, p.QW = p.QY, -p.QX, p.QW, -p.QZ
}

// TurnFrame turns the frame of RelativeTo by 180° about z. The pose and the velocities in the world stay.
func (p *Place) TurnFrame() {
	p.X, p.Y, p.VX, p.VY, p.WX, p.WY = -p.X, -p.Y, -p.VX, -p.VY, -p.WX, -p.WY
	p.Heading += math.Pi
	p.QX, p.QY, p.QZ, p.QW = -p.QY, p.QX, p.QW, -p.QZ
}

func (p *Place) Do(s Simulation) error {
	pose, twist, err := p.goal(s)
	if err != nil {
		return err
	}
	return s.Place(p.Name, pose, twist)
}

// goal returns the pose and the twist of the body, in W.
func (p *Place) goal(s Simulation) (pose spatial.Pose, twist spatial.Twist, err error) {
	pose = spatial.Planar(p.X, p.Y, p.Heading)
	pose.Pos[2] = p.Z
	if rot := (mgl64.Quat{V: mgl64.Vec3{p.QX, p.QY, p.QZ}, W: p.QW}); rot.Len() > 1e-6 {
		pose.Rot = rot.Normalize()
	}
	twist = spatial.Twist{Lin: mgl64.Vec3{p.VX, p.VY, p.VZ}, Ang: mgl64.Vec3{p.WX, p.WY, p.WZ}}
	if p.RelativeTo != "" {
		frame, err := s.Pose(p.RelativeTo)
		if err != nil {
			return pose, twist, err
		}
		pose = frame.Mul(pose)
		twist = spatial.Twist{Lin: frame.Rotate(twist.Lin), Ang: frame.Rotate(twist.Ang)}
	}
	if p.Name != "ball" {
		pose = spatial.Planar(pose.Pos[0], pose.Pos[1], pose.Heading())
	}
	return pose, twist, nil
}
