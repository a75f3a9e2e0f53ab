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
	// Observe fills in obs for an instant. The names, the level, the frame and the stamp of obs are set. Cameras at
	// rendered levels leave it to the renderer (see Camera).
	Observe(at *Instant, obs *Observation)
	// Exchange passes the sensor's state to a codec, after all captured frames have been processed.
	Exchange(c *keyframe.Codec)
	// Break applies obs.Fault to the reading that Observe has filled in.
	Break(obs *Observation)
}

// device is the common part of all sensors.
type device struct {
	cfg   *Config
	noise random.Source
}

func (d *device) Config() *Config { return d.cfg }

// Exchange of a device without state does nothing.
func (d *device) Exchange(*keyframe.Codec) {}

// Site is the robot on which a sensor is mounted.
type Site struct {
	Robot *physics.Robot
	Seed  uint64 // of the world
	Model *physics.Model
	// Hidden lists what the sensor does not see: its own case or the mirror into which it looks, and permanently
	// occluded parts.
	Hidden []render.Hidden
	// Scene is the scene that cameras see, and Body the robot in it. Without it the robot occludes nothing for its own
	// cameras.
	Scene *render.Scene
	Body  *render.Body
	// Cache is shared between similar sensors; nil shares nothing.
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
