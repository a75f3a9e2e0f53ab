package seat

import (
	"fmt"
	"math"
	"slices"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision/locate"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision/node"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
)

// NewHeadSight returns the vision of a robot by its first camera in a head that joints turn, and passes it what the
// robot's joints, inertial unit and odometry measure. It begins at the robot's pose in the world file. The camera and
// these sensors must be at level raw, the camera and the inertial unit must be mounted without rotation, and the field
// must be a shipped one. colors is the colour table of the camera.
func NewHeadSight(sim *omnipitch.Sim, robot int, colors *vision.ColorTable) (*node.HeadSight, error) {
	w := sim.World()
	r := &w.Robots[robot]
	at := fmt.Sprintf("robot[%d]", robot)
	camera := headCamera(r)
	if camera == nil {
		return nil, fmt.Errorf("%s.sensor: must have a camera at level raw with head.tilt_joint", at)
	}
	for _, kind := range headSensors {
		if firstRaw(r, kind) == nil {
			return nil, fmt.Errorf("%s.sensor: must have one of kind %s at level raw", at, kind)
		}
	}
	for _, c := range []*sensors.Config{camera, firstRaw(r, "imu")} {
		if m := &c.Mount; m.Roll != 0 || m.Pitch != 0 || m.Yaw != 0 {
			return nil, fmt.Errorf("%s: sensor %s: mount.roll_deg, pitch_deg, yaw_deg = %g, %g, %g: must be 0 for the vision",
				at, c.Name, m.Roll, m.Pitch, m.Yaw)
		}
	}
	markings, ok := locate.MarkingsOf(w.Field.Name)
	if !ok {
		return nil, fmt.Errorf("field.name = %q: must be a field that the vision knows, such as hsl-9x6", w.Field.Name)
	}
	m, ok := sim.Sensors().Camera(r.Name, camera.Name)
	if !ok {
		return nil, fmt.Errorf("%s: camera %s: has no images", at, camera.Name)
	}
	k, name, d := optics.Lens(m.Model())
	width, height := m.Model().Size()
	lens, err := vision.NewPinhole(width, height, [9]float64{k.FX, 0, k.CX, 0, k.FY, k.CY, 0, 0, 1}, name, d)
	if err != nil {
		return nil, fmt.Errorf("%s: camera %s: %w", at, camera.Name, err)
	}
	n, start := newNeck(w, robot, camera), floorPose(sim.Truth().Robots[robot].PoseWB)
	cfg := node.HeadConfig{Lens: lens, Colors: colors, Field: locate.NewField(markings), BallRadius: w.Ball.Radius,
		Neck: vision.Neck{Axes: n.tilt.PointB, Camera: camera.Mount.Pose().Pos.Sub(n.tilt.PointB)},
		Team: msg.TeamCyan, Number: uint8(r.Number), Start: &start}
	if r.Team == physics.Magenta {
		cfg.Team = msg.TeamMagenta
	}
	h := node.NewHeadSight(cfg)
	for kind, observe := range [...]func(*sensors.Observation){
		func(o *sensors.Observation) {
			pan, tilt := n.angles(o.Reading.(*sensors.JointsReading))
			h.Joints(o.Stamp, pan, tilt)
		},
		func(o *sensors.Observation) {
			m := o.Reading.(*sensors.IMUReading)
			h.IMU(o.Stamp, m.AccelS, m.GyroS)
		},
		func(o *sensors.Observation) {
			m := o.Reading.(*sensors.OdometryReading)
			h.Odometry(o.Stamp, floorPose(m.PoseOB), pitch.Vec{m.TwistB.VX, m.TwistB.VY}, m.TwistB.Omega)
		},
	} {
		if err := listenRaw(sim, r.Name, firstRaw(r, headSensors[kind]).Name, observe); err != nil {
			return nil, err
		}
	}
	return h, nil
}

// headSensors are the kinds of sensors that the vision of a camera in a head needs besides the camera.
var headSensors = [...]sensors.Kind{"joints", "imu", "odometry"}

// headCamera returns a robot's first camera at level raw that joints turn, or nil if there is none.
func headCamera(r *worlds.Robot) *sensors.Config {
	for i := range r.Sensors {
		if c := &r.Sensors[i]; c.Kind == sensors.CameraKind && c.Level == abstraction.Raw && c.Head != nil &&
			c.Head.OnJoints() {
			return c
		}
	}
	return nil
}

func listenRaw(sim *omnipitch.Sim, robot, sensor string, observe func(*sensors.Observation)) error {
	_, err := sim.Listen(robot, sensor, omnipitch.Listener{
		Wants:   func(level abstraction.Level) bool { return level == abstraction.Raw },
		Observe: observe,
	})
	return err
}

// neck is the joints that turn a head.
type neck struct{ pan, tilt physics.Joint }

func newNeck(w *worlds.World, robot int, camera *sensors.Config) (n neck) {
	joints, _ := w.Joints(robot)
	joint := func(name string) physics.Joint {
		return joints[slices.IndexFunc(joints, func(j physics.Joint) bool { return j.Name == name })]
	}
	return neck{joint(camera.Head.PanJoint), joint(camera.Head.TiltJoint)}
}

// angles returns the pan, anticlockwise, and the tilt, down, rad.
func (n *neck) angles(m *sensors.JointsReading) (pan, tilt float64) {
	for i := range m.Joints {
		switch j := &m.Joints[i]; j.Name {
		case n.pan.Name:
			pan = math.Copysign(1, n.pan.AxisB[2]) * (j.Position - n.pan.Zero)
		case n.tilt.Name:
			tilt = math.Copysign(1, n.tilt.AxisB[1]) * (j.Position - n.tilt.Zero)
		}
	}
	return pan, tilt
}

// floorPose returns the part of a pose that lies on the floor.
func floorPose(p spatial.Pose) locate.Pose {
	return locate.Pose{Pos: pitch.Vec{p.Pos[0], p.Pos[1]}, Heading: p.Heading()}
}

// seeByHead connects the player to the robot's own vision by the camera in its head.
func (s *seat) seeByHead(robot int, colors *vision.ColorTable) error {
	sight, err := NewHeadSight(s.sim, robot, colors)
	if err != nil {
		return err
	}
	s.camera = headCamera(&s.sim.World().Robots[robot]).Name
	return listenRaw(s.sim, s.name, s.camera, func(o *sensors.Observation) {
		sight.Game(s.game())
		s.answer(sight.Perception(o.Stamp, o.Color.Pix))
	})
}

// game returns the referee box's message.
func (s *seat) game() *msg.Game {
	g := s.sim.Match().Game()
	return &msg.Game{Phase: string(g.Phase), Half: string(g.Half), SetPiece: string(g.SetPiece), Team: string(g.Team),
		Cyan: uint32(g.Score.Cyan), Magenta: uint32(g.Score.Magenta)}
}
