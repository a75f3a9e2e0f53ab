package sensors

import (
	"fmt"
	"reflect"

	"github.com/omnipitch/omnipitch/abstraction/random"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/render"
)

// Sensor is one instance of a device on a robot.
type Sensor interface {
	Config() *Config
	// Observe fills obs, whose names, level, frame and stamp are set, for an instant. Cameras at rendered levels leave
	// it to the renderer (see Camera).
	Observe(at *Instant, obs *Observation)
	// Exchange passes what the sensor remembers from frame to frame to a codec, when all frames are done that have been
	// captured.
	Exchange(c *keyframe.Codec)
	// Break makes the reading that Observe has filled what the sensor delivers when it is broken by obs.Fault.
	Break(obs *Observation)
}

// device is what all sensors share.
type device struct {
	cfg   *Config
	noise random.Source
}

func (d *device) Config() *Config { return d.cfg }

// Exchange is that of a device whose frames have nothing to do with each other.
func (d *device) Exchange(*keyframe.Codec) {}

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
	// Cache is what sensors share that are alike; nil shares nothing.
	Cache *Cache
}

// New returns a sensor for a complete and valid configuration, which it keeps.
func New(cfg *Config, site Site) (Sensor, error) {
	if site.Cache == nil {
		site.Cache = &Cache{}
	}
	d := device{cfg: cfg, noise: random.New(site.Seed, site.Robot.Name, cfg.Name, 0)}
	if rule := cfg.Kind.Needs(site.Robot); rule != "" {
		return nil, fmt.Errorf("sensor %s: kind = %q: %s", cfg.Name, cfg.Kind, rule)
	}
	if cfg.Kind.TakesImages() {
		return newCamera(d, site)
	}
	var built Sensor
	err := fmt.Errorf("sensor %s: kind = %q: is no kind of sensor", cfg.Name, cfg.Kind)
	cfg.eachTable(func(_, key string, table reflect.Value) {
		if t, ok := table.Interface().(deviceKind); ok && Kind(key) == cfg.Kind {
			built, err = t.build(d, site)
		}
	})
	return built, err
}
