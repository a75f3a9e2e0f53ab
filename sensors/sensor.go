package sensors

import (
	"fmt"

	"github.com/omnipitch/omnipitch/abstraction/random"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/render"
)

// Sensor is one instance of a device on a robot.
type Sensor interface {
	Config() *Config
	// Observe fills obs, whose names, level, frame and stamp are set, for an instant. Cameras at rendered levels leave
	// it to the renderer (see Camera).
	Observe(at *Instant, obs *Observation)
}

// device is what all sensors share.
type device struct {
	cfg   *Config
	noise random.Source
}

func (d *device) Config() *Config { return d.cfg }

// Site is the robot that a sensor is mounted on.
type Site struct {
	Robot *physics.Robot
	Seed  uint64 // of the world
	Model *physics.Model
	// Hidden is what the sensor itself does not see: its own box or the mirror that it looks into, and what is behind
	// something else for good.
	Hidden []render.Hidden
	// Scene is what cameras see, and Body the robot in it; without it the robot hides nothing from its own cameras.
	Scene *render.Scene
	Body  *render.Body
	// Cache is what sensors of the same world share; nil shares nothing.
	Cache *Cache
}

// New returns a sensor for a complete and valid configuration, which it keeps.
func New(cfg *Config, site Site) (Sensor, error) {
	if site.Cache == nil {
		site.Cache = &Cache{}
	}
	d := device{cfg: cfg, noise: random.New(site.Seed, site.Robot.Name, cfg.Name, 0)}
	switch cfg.Kind {
	case OmniKind:
		return newOmni(d, site)
	case CameraKind:
		return newPlain(d, site)
	case KinectKind:
		return newKinect(d, site), nil
	case "odometry":
		return newOdometry(d, &site.Robot.Drive)
	case "imu":
		return newIMU(d), nil
	case "laser":
		return newLaser(d, &site.Model.Field), nil
	case "compass":
		return newCompass(d), nil
	case "arms":
		if site.Robot.Dribbler == nil {
			return nil, fmt.Errorf("sensor %s: the robot has no [dribbler] with arms", cfg.Name)
		}
		return &arms{d}, nil
	case "bumper":
		return &bumper{d, site.Model}, nil
	case "battery":
		if site.Robot.Drive.Motor == nil {
			return nil, fmt.Errorf("sensor %s: the robot has no [drive.motor] that draws on a battery", cfg.Name)
		}
		return &battery{d}, nil
	}
	return nil, fmt.Errorf("sensor %s: kind = %q: is no kind of sensor", cfg.Name, cfg.Kind)
}
