package reproduce

import (
	"bytes"
	"errors"
	"sort"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision/locate"
	"github.com/omnipitch/omnipitch/render/calibration"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
)

// scanLines is the number of rays of the line finder, and reach their length, m; both as in refbot.
const (
	scanLines = 360
	reach     = 7
)

// rawSensor returns a robot's first sensor of a kind. It fails if there is none or if the sensor is not at level raw.
func rawSensor(r *worlds.Robot, kind sensors.Kind) (*sensors.Config, error) {
	for i := range r.Sensors {
		if c := &r.Sensors[i]; c.Kind == kind {
			if c.Level != abstraction.Raw {
				return nil, console.BadInputf("robot %s: sensor %s: level = %q: must be raw", r.Name, c.Name, c.Level)
			}
			return c, nil
		}
	}
	return nil, console.BadInputf("robot %s: needs a sensor of kind %s", r.Name, kind)
}

// markingsOf returns a field's lines, as a team would configure them.
func markingsOf(w *worlds.World) *locate.Field {
	f := &w.Field
	return locate.NewField(locate.Markings{Pitch: pitch.Pitch{Length: f.Length, Width: f.Width}, LineWidth: f.LineWidth,
		CentreCircle: f.CentreCircle, CornerArc: f.CornerArc})
}

// omniOf calibrates a robot's omni camera in the same way as omnipitch calibration --format ocamcalib.
func omniOf(sim *omnipitch.Sim, robot string, cfg *sensors.Config) (m *vision.OmniModel, mount vision.OmniMount,
	err error) {
	cam, ok := sim.Sensors().Camera(robot, cfg.Name)
	if !ok {
		return nil, mount, console.BadInputf("robot %s: %s is not a camera", robot, cfg.Name)
	}
	if cfg.Mount.Roll != 0 || cfg.Mount.Pitch != 0 {
		return nil, mount, console.BadInputf("robot %s: sensor %s: mount.roll_deg, mount.pitch_deg: must be 0", robot,
			cfg.Name)
	}
	model, err := calibration.Central(cam.Model(), cam.PoseBC())
	if err != nil {
		return nil, mount, err
	}
	fit, err := calibration.FitOCam(calibration.Sample(model, 92))
	if err != nil {
		return nil, mount, err
	}
	var file bytes.Buffer
	if err := calibration.WriteOCamCalib(&file, fit); err != nil {
		return nil, mount, err
	}
	m, err = vision.ReadOmniModel(&file)
	return m, vision.OmniMount{X: cfg.Mount.X, Y: cfg.Mount.Y, Height: cfg.Mount.Z, Yaw: cfg.Mount.Yaw, Mirrored: true},
		err
}

// floorOf returns the floor points of the pixels of a robot's omni camera.
func floorOf(sim *omnipitch.Sim, robot string, cfg *sensors.Config) (*vision.Floor, error) {
	m, mount, err := omniOf(sim, robot, cfg)
	if err != nil {
		return nil, err
	}
	return vision.NewFloor(m, mount, reach), nil
}

// viewOf returns the model of a camera with a lens, as the camera's messages describe it. The pitch of the mount has
// the error pitchError, in rad.
func viewOf(sim *omnipitch.Sim, robot string, cfg *sensors.Config, pitchError float64) (*vision.View, error) {
	p, mount, err := pinholeOf(sim, robot, cfg)
	if err != nil {
		return nil, err
	}
	mount.Pitch += pitchError
	return vision.NewPinholeView(p, mount), nil
}

// pinholeOf returns the model and the mount of a camera with a lens, as the camera's messages describe it.
func pinholeOf(sim *omnipitch.Sim, robot string, cfg *sensors.Config) (p *vision.Pinhole, mount vision.PinholeMount,
	err error) {
	cam, ok := sim.Sensors().Camera(robot, cfg.Name)
	if !ok {
		return nil, mount, console.BadInputf("robot %s: %s is not a camera", robot, cfg.Name)
	}
	if cfg.Mount.Roll != 0 {
		return nil, mount, console.BadInputf("robot %s: sensor %s: mount.roll_deg: must be 0", robot, cfg.Name)
	}
	k, name, d := optics.Lens(cam.Model())
	width, height := cam.Model().Size()
	p, err = vision.NewPinhole(width, height, [9]float64{k.FX, 0, k.CX, 0, k.FY, k.CY, 0, 0, 1}, name, d)
	m := &cfg.Mount
	return p, vision.PinholeMount{X: m.X, Y: m.Y, Height: m.Z, Yaw: m.Yaw, Pitch: m.Pitch}, err
}

// eyes is a robot's own self-localisation, from the lines in its omni images, odometry and compass.
type eyes struct {
	tracker *locate.Tracker
	finder  *vision.LineFinder
	field   *locate.Field
	live    []ownPose       // estimated poses at each odometry reading
	took    []time.Duration // time for each omni image
	seen    func(stamp time.Duration, e locate.Estimate)
}

// ownPose is a robot's estimated pose at a time.
type ownPose struct {
	stamp time.Duration
	pose  locate.Pose
}

// at returns the robot's estimated pose at the given time, interpolated between odometry readings. It returns false if
// there is no estimate for that time.
func (e *eyes) at(stamp time.Duration) (p locate.Pose, ok bool) {
	i := sort.Search(len(e.live), func(i int) bool { return e.live[i].stamp >= stamp })
	if i == len(e.live) || i == 0 && e.live[0].stamp > stamp {
		return p, false
	}
	b := e.live[i]
	if b.stamp == stamp {
		return b.pose, true
	}
	a := e.live[i-1]
	share := float64(stamp-a.stamp) / float64(b.stamp-a.stamp)
	return locate.Pose{Pos: a.pose.Pos.Add(b.pose.Pos.Sub(a.pose.Pos).Mul(share)), Heading: a.pose.Heading +
		share*pitch.Wrap(b.pose.Heading-a.pose.Heading)}, true
}

// open connects e to the sensors of a robot in a simulation.
func (e *eyes) open(sim *omnipitch.Sim, w *worlds.World, robot int) error {
	r := &w.Robots[robot]
	omni, err1 := rawSensor(r, sensors.OmniKind)
	compass, err2 := rawSensor(r, "compass")
	odometry, err3 := rawSensor(r, "odometry")
	if err := errors.Join(err1, err2, err3); err != nil {
		return err
	}
	return errors.Join(
		listen(sim, r.Name, compass.Name, func(o *sensors.Observation) {
			e.tracker.Compass(float64(o.Reading.(*sensors.CompassReading).Heading))
		}),
		listen(sim, r.Name, odometry.Name, func(o *sensors.Observation) {
			p := o.Reading.(*sensors.OdometryReading).PoseOB
			e.tracker.Odometry(o.Stamp, locate.Pose{Pos: pitch.Vec{p.Pos[0], p.Pos[1]}, Heading: p.Heading()})
			if own, ok := e.tracker.Pose(); ok {
				e.live = append(e.live, ownPose{o.Stamp, own})
			}
		}),
		listen(sim, r.Name, omni.Name, func(o *sensors.Observation) {
			begun := time.Now()
			found := e.tracker.Image(o.Stamp, e.finder.Find(o.Color.Pix))
			e.took = append(e.took, time.Since(begun))
			if found.Known && e.seen != nil {
				e.seen(o.Stamp, found)
			}
		}))
}

// forget discards the estimated pose, for example when the robot has been moved.
func (e *eyes) forget() { e.tracker, e.live = locate.NewTracker(e.field), e.live[:0] }

// listenToAll adds a listener to every sensor of a simulation. The listeners ignore their observations.
func listenToAll(sim *omnipitch.Sim) (err error) {
	for _, r := range sim.World().Robots {
		for k := range r.Sensors {
			_, e := sim.Listen(r.Name, r.Sensors[k].Name, omnipitch.Listener{Observe: func(*sensors.Observation) {}})
			err = errors.Join(err, e)
		}
	}
	return err
}

// listen calls f with each observation of a sensor.
func listen(sim *omnipitch.Sim, robot, sensor string, f func(*sensors.Observation)) error {
	_, err := sim.Listen(robot, sensor, omnipitch.Listener{Wants: func(abstraction.Level) bool { return true },
		Observe: f})
	return err
}
