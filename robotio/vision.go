package robotio

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
)

// States of the ball in NuBot's BallInfo. Guess: its nodes only ask whether the state is that of not seeing it, 0.
const (
	ballNotSeen int32 = 0
	ballSeen    int32 = 1
)

// teamFrame returns the pose of the world in a team's field frame, whose x points to the opponent's goal.
func teamFrame(team physics.Team) spatial.Pose {
	if team == physics.Magenta {
		return spatial.Planar(0, 0, math.Pi)
	}
	return spatial.Identity()
}

// vision publishes what make builds from a camera's objects, at the levels that replace the robot's own vision.
func vision[T any](b *Bridge, r *worlds.Robot, cfg *sensors.Config, topic, typ string, build func(*sensors.Observation) *T) error {
	pub, err := ros1.Advertise[T](b.node, under(r.Name, topic), typ, ros1.PubOptions{Queue: 2})
	if err := b.keep(pub, err); err != nil {
		return err
	}
	return b.listen(r.Name, cfg.Name, omnipitch.Listener{
		Wants: func(l abstraction.Level) bool { return !l.Rendered() && pub.NumSubscribers() > 0 },
		Observe: func(o *sensors.Observation) {
			if o.Objects != nil && pub.NumSubscribers() > 0 {
				pub.Publish(build(o))
			}
		},
	})
}

// nearestBall returns the ball that a vision would take for the ball: the nearest.
func nearestBall(list *abstraction.ObjectList) *abstraction.Detection {
	var best *abstraction.Detection
	for i := range list.Detections {
		d := &list.Detections[i]
		if d.Kind == abstraction.BallKind && (best == nil || d.PosB.Len() < best.PosB.Len()) {
			best = d
		}
	}
	return best
}

func (b *Bridge) omniVision(r *worlds.Robot, cfg *sensors.Config, t topics) error {
	return vision(b, r, cfg, t.vision, "nubot_common/OminiVisionInfo", func(o *sensors.Observation) *msg.OminiVisionInfo {
		return omniVisionInfo(r, o)
	})
}

// omniVisionInfo places what the robot sees on the field as the robot does: by where it believes to be.
func omniVisionInfo(r *worlds.Robot, o *sensors.Observation) *msg.OminiVisionInfo {
	self := teamFrame(r.Team).Mul(o.Objects.Self)
	h := header(o, r.Name)
	info := &msg.OminiVisionInfo{Header: h}
	info.BallInfo.Header = h
	if ball := nearestBall(o.Objects); ball != nil {
		info.BallInfo = msg.BallInfo{
			Header: h, BallInfoState: ballSeen, RealPos: polar(ball.PosB[0], ball.PosB[1]),
			Pos: point(self.Apply(ball.PosB)), PosKnown: o.Objects.SelfKnown,
			Velocity: point(self.Rotate(ball.VelB)), VelocityKnown: ball.VelKnown,
		}
	}
	info.ObstacleInfo.Header = h
	for i := range o.Objects.Detections {
		d := &o.Objects.Detections[i]
		if d.Kind != abstraction.RobotKind && d.Kind != abstraction.ObstacleKind {
			continue
		}
		info.ObstacleInfo.Pos = append(info.ObstacleInfo.Pos, point(self.Apply(d.PosB)))
		info.ObstacleInfo.PolarPos = append(info.ObstacleInfo.PolarPos, polar(d.PosB[0], d.PosB[1]))
	}
	info.RobotInfo = []msg.RobotInfo{{
		Header: h, AgentID: int32(r.Number), Pos: point(self.Pos), Heading: msg.Angle{Theta: float32(self.Heading())},
		IsValid: o.Objects.SelfKnown,
	}}
	return info
}

func (b *Bridge) frontBall(r *worlds.Robot, cfg *sensors.Config, t topics) error {
	return vision(b, r, cfg, t.vision, "nubot_common/FrontBallInfo", func(o *sensors.Observation) *msg.FrontBallInfo {
		info := &msg.FrontBallInfo{Header: header(o, r.Name)}
		if ball := nearestBall(o.Objects); ball != nil {
			info.RealPos, info.PosKnown = polar(ball.PosB[0], ball.PosB[1]), true
		}
		return info
	})
}

func (b *Bridge) kinectBall(r *worlds.Robot, cfg *sensors.Config, t topics) error {
	return vision(b, r, cfg, t.vision, "nubot_common/BallInfo3d", func(o *sensors.Observation) *msg.BallInfo3d {
		info := &msg.BallInfo3d{Header: header(o, r.Name)}
		if ball := nearestBall(o.Objects); ball != nil {
			info.Pos, info.Velocity = point3(ball.PosB), point3(ball.VelB)
			info.PosKnown3d, info.PosKnown2d, info.VelocityKnown = true, true, ball.VelKnown
		}
		return info
	})
}

func point(v mgl64.Vec3) msg.Point2d {
	return msg.Point2d{X: float32(v[0] * centimetresPerMetre), Y: float32(v[1] * centimetresPerMetre)}
}

func point3(v mgl64.Vec3) msg.Point3d {
	return msg.Point3d{
		X: float32(v[0] * centimetresPerMetre), Y: float32(v[1] * centimetresPerMetre), Z: float32(v[2] * centimetresPerMetre),
	}
}
