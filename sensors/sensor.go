package sensors

import (
	"fmt"
	"reflect"
	"strings"
	"unsafe"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/abstraction/random"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/sensors/imaging"
	"github.com/omnipitch/omnipitch/sensors/outline"
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

// Cache keeps what sensors of one world share: those of robots of one model differ in nothing that takes long to make. The zero value is
// ready. It belongs to the goroutine that makes the sensors; what it has made does not change, and any may use it.
type Cache struct {
	grains     map[imaging.Imager]*imaging.Grain
	occlusions map[vantage]*abstraction.SelfOcclusion
}

// vantage is a place on a robot; bodies that share their parts look alike.
type vantage struct {
	parts   *render.Part
	without string // parts that the camera does not see
	posB    mgl64.Vec3
}

// grain returns a chip's noise.
func (c *Cache) grain(chip *imaging.Imager) *imaging.Grain {
	return shared(&c.grains, *chip, func() *imaging.Grain { return imaging.NewGrain(chip) })
}

// selfOcclusion returns what a robot hides from a camera at a place on it.
func (c *Cache) selfOcclusion(site Site, posB mgl64.Vec3) *abstraction.SelfOcclusion {
	var without []string
	for _, h := range site.Hidden {
		without = append(without, h.Part)
	}
	return shared(&c.occlusions, vantage{unsafe.SliceData(site.Body.Parts), strings.Join(without, "\n"), posB}, func() *abstraction.SelfOcclusion {
		return abstraction.NewSelfOcclusion(outline.Prisms(site.Scene, site.Body, without), posB)
	})
}

// shared returns what was made for a key, or makes it.
func shared[K comparable, V any](all *map[K]V, key K, build func() V) V {
	if v, ok := (*all)[key]; ok {
		return v
	}
	if *all == nil {
		*all = map[K]V{}
	}
	v := build()
	(*all)[key] = v
	return v
}
