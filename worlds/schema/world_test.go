package schema_test

import (
	"errors"
	"math"
	"time"

	"github.com/omnipitch/omnipitch/physics/rules"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// world is a small world with every kind of field.
type world struct {
	common
	Seed   int64              `toml:"seed" range:"[0, inf)" doc:"key of all randomness"`
	Field  field              `toml:"field"`
	Step   time.Duration      `toml:"step_ms" range:"(0, 100]"`
	Engine engine             `toml:"engine" oneof:"ode|planar"`
	Robots []robot            `toml:"robot" merge:"name"`
	Wind   [3]float64         `toml:"wind_m_s"`
	Tags   []string           `toml:"tags" minlen:"1" match:"name"`
	Grid   [][]float64        `toml:"grid" range:"[0, 1]"`
	Drag   map[string]float64 `toml:"drag" range:"[0, inf)" match:"name"`
	Lamps  map[string]*lamp   `toml:"lamp"`
	Small  int8               `toml:"small"`
	Count  uint8              `toml:"count"`
	Limit  float64            `toml:"limit_m" range:"(0, inf]"`
	Gain   float32            `toml:"gain"`
	Any    any                `toml:"any"`
	Loud   bool               `toml:"loud"`
	Fixed  int                `toml:"version" fixed:"true"`
	Hidden string
	Never  string `toml:"-"`
}

type common struct {
	Name string `toml:"name" required:"true" match:"name"`
}

type engine string

type robot struct {
	Name    string   `toml:"name" required:"true" match:"name"`
	Pose    pose     `toml:"pose"`
	Sensors []sensor `toml:"sensor" merge:"name"`
}

func (r *robot) SetDefaults() { r.Pose.Heading = math.Pi / 2 }

type pose struct {
	X       float64 `toml:"x_m"`
	Heading float64 `toml:"heading_deg" range:"[-360, 360]"`
}

type sensor struct {
	Name   string        `toml:"name" required:"true"`
	Rate   float64       `toml:"rate_hz" required:"true" range:"(0, 1000]"`
	Lag    time.Duration `toml:"latency_ms" range:"[0, inf)"`
	Fov    float64       `toml:"fov_deg" was:"angle_deg" range:"(0, 360)"`
	Level  string        `toml:"level" oneof:"|raw|ideal|features|objects|truth"`
	Mirror *mirror       `toml:"mirror"`
}

func (s *sensor) SetDefaults() { s.Fov, s.Level = math.Pi, "raw" }

type mirror struct {
	Rim  float64 `toml:"rim_radius_mm" range:"(0, inf)"`
	Lens float64 `toml:"lens_radius_mm"`
}

// Validate has one rule that no tag can express.
func (m mirror) Validate() error {
	err := rules.Check(m)
	if m.Rim < m.Lens {
		return errors.Join(err, &rules.Violation{Field: "Rim", Value: m.Rim, Rule: "must not be smaller than {Lens}"})
	}
	return err
}

type lamp struct {
	Power float64 `toml:"power_w" range:"[0, inf)"`
}

func (l *lamp) SetDefaults() { l.Power = 40 }

// field is a name or a table.
type field struct {
	Length float64 `toml:"length_m" range:"(0, 100)"`
	Width  float64 `toml:"width_m" required:"true"`
}

func (f *field) TakesName() {}

func (f *field) BindNode(n *schema.Node) error {
	if n.IsTable() {
		return n.Bind(f)
	}
	fields := map[string]field{"msl-18x12": {18, 12}, "msl-22x14": {22, 14}}
	name, _ := n.Text()
	found, ok := fields[name]
	if !ok {
		return n.Errorf("must be the name of a field or a table")
	}
	*f = found
	return nil
}

func defaultWorld() world {
	return world{Step: 5 * time.Millisecond, Engine: "ode", Tags: []string{"match"}, Limit: math.Inf(1),
		Field: field{18, 12}}
}

func bind(text string, dst any) (*schema.File, error) {
	f, err := schema.Parse("w.toml", []byte(text))
	if err != nil {
		return nil, err
	}
	return f, f.Bind(dst)
}
