package sensors

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
)

// Devices are the kinds of sensors without pictures, a row each: its key is the kind, the name of its Go type and of its table in
// world files. The type implements deviceKind, in a file of the kind's name, beside the type of its readings.
type Devices struct {
	Odometry *Odometry `toml:"odometry" was:"encoders" doc:"faults of raw odometry"`
	IMU      *IMU      `toml:"imu" was:"inertial" doc:"faults of raw readings"`
	Laser    *Laser    `toml:"laser" doc:"beams and their errors"`
	Compass  *Compass  `toml:"compass" doc:"faults of raw headings"`
	Arms     *Arms     `toml:"arms" was:"displacement" doc:"faults of raw readings"`
	Bumper   *Bumper   `toml:"bumper" was:"switches" doc:"the switches"`
	Battery  *Battery  `toml:"battery" was:"gauge" doc:"faults of raw readings"`
}

// deviceKind is the configuration of one kind of sensor without pictures.
type deviceKind interface {
	SetDefaults()
	traits() traits // the same for all of the kind
	// build returns a sensor of this configuration.
	build(d device, site Site) (Sensor, error)
}

// crossKeyed is a table with rules that span several of its keys, or "" for the table itself.
type crossKeyed interface {
	Validate(violate func(key string, value any, rule string))
}

// traits are what all sensors of a kind have in common.
type traits struct {
	levels      abstraction.Levels
	rate        float64 // observations a second, unless configured
	reading     any     // what a device without pictures delivers, its zero value
	environment bool    // observes Instant.Environment
	integrates  bool    // the next reading depends on the world at the last one
	// needs, where there is one, returns why a robot cannot have such a sensor, or "".
	needs    func(*physics.Robot) string
	profiles []profile
}

// kind is a row of the table of kinds.
type kind struct {
	traits
	name     Kind
	tables   []string // of the configuration, that it has
	optional []string // and that it may have
	complete func(*Config)
	build    func(device, Site) (Sensor, error)
}

// kinds are all kinds, in the order of the documentation.
var kinds = slices.Concat(cameraKinds(), deviceKinds())

// deviceKinds makes the rows of Devices.
func deviceKinds() (all []kind) {
	rows := reflect.TypeFor[Devices]()
	for i := range rows.NumField() {
		key := rows.Field(i).Tag.Get("toml")
		table := func(c *Config) reflect.Value { return reflect.ValueOf(&c.Devices).Elem().Field(i) }
		fresh := func() reflect.Value { return reflect.New(rows.Field(i).Type.Elem()) }
		all = append(all, kind{
			traits: fresh().Interface().(deviceKind).traits(), name: Kind(key), tables: []string{key},
			complete: func(c *Config) {
				if t := table(c); t.IsNil() {
					t.Set(fresh())
					t.Interface().(deviceKind).SetDefaults()
				}
			},
			build: func(d device, site Site) (Sensor, error) { return table(d.cfg).Interface().(deviceKind).build(d, site) },
		})
	}
	return all
}

// rawAndTruth are the levels of devices whose readings nothing interprets.
var rawAndTruth = abstraction.Levels{abstraction.Raw, abstraction.Truth}

// row returns what is known of a kind: of one that is not listed that it has the levels of a simple device.
func (k Kind) row() kind {
	if i := slices.IndexFunc(kinds, func(row kind) bool { return row.name == k }); i >= 0 {
		return kinds[i]
	}
	own := k == OwnKind
	return kind{name: k, traits: traits{levels: rawAndTruth, rate: 30, environment: own, integrates: own}, complete: func(*Config) {},
		build: func(d device, _ Site) (Sensor, error) {
			return nil, fmt.Errorf("sensor %s: kind = %q: is no kind of sensor", d.cfg.Name, k)
		}}
}

// Kinds returns all kinds that a configuration can name.
func Kinds() []Kind {
	all := make([]Kind, len(kinds))
	for i := range kinds {
		all[i] = kinds[i].name
	}
	return all
}

// Choices are what a key of this type may be in a world file.
func (Kind) Choices() []string {
	var all []string
	for _, k := range Kinds() {
		all = append(all, string(k))
	}
	return all
}

// Pictures tells whether a device takes pictures.
func (k Kind) Pictures() bool { return slices.Contains(k.row().tables, "image") }

// Levels returns the rungs that make sense for a device.
func (k Kind) Levels() abstraction.Levels { return k.row().levels }

// Reading returns the zero value of what a device without pictures delivers, a struct; nil of a camera.
func (k Kind) Reading() any { return k.row().reading }

// NeedsEnvironment tells whether a device needs Instant.Environment.
func (k Kind) NeedsEnvironment() bool { return k.row().environment }

// Integrates tells whether a device's next reading depends on the world at its last: counted turns, whatever an Own keeps. The others
// rest while nobody listens.
func (k Kind) Integrates() bool { return k.row().integrates }

// Needs returns what a robot lacks for such a sensor, as a rule; "" if nothing.
func (k Kind) Needs(r *physics.Robot) string {
	if needs := k.row().needs; needs != nil {
		return needs(r)
	}
	return ""
}
