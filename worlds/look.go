package worlds

import (
	"errors"

	"github.com/omnipitch/omnipitch/physics/rules"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/models"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// Look is the visible shape of a robot, in the robot's frame on the floor, in m. A world file gives it by the name of a
// shipped look, by a path, or by a table.
type Look struct {
	About   string       `toml:"about" doc:"one sentence for omnipitch worlds"`
	Wide    float64      `toml:"width_scale" range:"[0.1, 10]" doc:"factor for sizes and places along x and y"`
	High    float64      `toml:"height_scale" range:"[0.1, 10]" doc:"factor for heights; digits keep their size"`
	Hull    render.Color `toml:"hull_color" doc:"colour of parts with paint hull, as #rrggbb, where the skin gives none"`
	Cover   render.Color `toml:"cover_color" doc:"colour of parts with paint cover, likewise"`
	Stripe  render.Color `toml:"stripe_color" doc:"colour of parts with paint stripe, likewise"`
	Prisms  []LookPrism  `toml:"prism" maxlen:"100" doc:"upright solids: boxes, cylinders, cones, pyramids"`
	Rods    []LookRod    `toml:"rod" maxlen:"100" doc:"cylinders between two points"`
	Numbers []LookNumber `toml:"number" maxlen:"20" doc:"last digit of the robot's number"`
}

// SetDefaults sets the scales, and the colours of a robot without a look.
func (l *Look) SetDefaults() {
	l.Wide, l.High, l.Hull, l.Cover, l.Stripe = 1, 1, "#131315", "#4d4f52", "#e8e8e4"
}

// LookPrism is an upright solid whose cross-section is a regular polygon, stretched along x and y.
type LookPrism struct {
	Sides int        `toml:"sides" range:"[3, 32]" doc:"number of sides, the first of which faces the direction at_deg; from 12 on the solid is shaded as if it were round"`
	Size  [2]float64 `toml:"size_m" required:"true" range:"[0.002, 2]" doc:"sizes along x and y at the lower end"`
	Z     [2]float64 `toml:"z_m" required:"true" range:"[0, 2]" doc:"heights of the lower and the upper end"`
	Taper float64    `toml:"taper" range:"[0.01, 20]" doc:"size at the upper end, divided by the size at the lower end"`
	X     float64    `toml:"x_m" range:"[-1, 1]" doc:"distance from the robot's axis, in the direction at_deg"`
	Y     float64    `toml:"y_m" range:"[-1, 1]" doc:"distance to the left of that direction"`
	LookFinish
}

// SetDefaults sets a black box.
func (p *LookPrism) SetDefaults() {
	p.Sides, p.Taper = 4, 1
	p.LookFinish.SetDefaults()
}

// Validate reports every broken rule, including that the solid has a height.
func (p *LookPrism) Validate() error {
	err := rules.Check(p)
	if !(p.Z[0] < p.Z[1]) {
		err = errors.Join(err, &rules.Violation{Field: "Z", Rule: "must rise from the lower end to the upper end"})
	}
	return err
}

// LookRod is a cylinder.
type LookRod struct {
	From   [3]float64 `toml:"from_m" required:"true" range:"[-1, 2]" doc:"middle of one end, with x in the direction at_deg"`
	To     [3]float64 `toml:"to_m" required:"true" range:"[-1, 2]" doc:"middle of the other end"`
	Radius float64    `toml:"radius_m" required:"true" range:"[0.001, 1]"`
	LookFinish
}

// SetDefaults sets a black rod.
func (r *LookRod) SetDefaults() { r.LookFinish.SetDefaults() }

// Validate reports every broken rule, including that the rod has a length.
func (r *LookRod) Validate() error {
	err := rules.Check(r)
	if r.From == r.To {
		err = errors.Join(err, &rules.Violation{Field: "To", Rule: "must differ from {From}"})
	}
	return err
}

// LookNumber is the last digit of the robot's number, in strokes 6 mm thick.
type LookNumber struct {
	X      float64 `toml:"x_m" required:"true" range:"[-1, 1]" doc:"distance from the robot's axis, in the direction at_deg, which the digit faces"`
	Y      float64 `toml:"y_m" range:"[-1, 1]" doc:"distance to the left of that direction"`
	Z      float64 `toml:"z_m" required:"true" range:"[0, 2]" doc:"height of its middle"`
	Height float64 `toml:"height_m" required:"true" range:"[0.01, 1]" doc:"height of the digit"`
	Pitch  float64 `toml:"pitch_deg" range:"[-90, 90]" doc:"angle by which it leans back"`
	LookFinish
}

// SetDefaults sets a black digit.
func (n *LookNumber) SetDefaults() { n.LookFinish.SetDefaults() }

// Values of LookFinish.Paint.
const (
	ColorPaint  = "color"
	HullPaint   = "hull"
	CoverPaint  = "cover"
	StripePaint = "stripe"
	CardPaint   = "card"
)

// LookFinish says where copies of a part of a look are, and of what they are made.
type LookFinish struct {
	Shown bool         `toml:"shown" doc:"whether the robot has this part"`
	At    []float64    `toml:"at_deg" range:"[-360, 360]" minlen:"1" maxlen:"16" doc:"directions of the copies of the part, about the robot's axis, anticlockwise from x"`
	Paint string       `toml:"paint" oneof:"color|hull|cover|stripe|card" doc:"which colour the part has: color, one of the skin, or that of the team's cards"`
	Color render.Color `toml:"color" doc:"colour as #rrggbb, sRGB; with another paint than color it has no effect"`
	Gloss float64      `toml:"gloss" range:"[0, 1]" doc:"how smooth the surface is: 0 is matt as cloth, 1 is polished"`
	Metal bool         `toml:"metal" doc:"whether the surface is bare metal"`
}

// SetDefaults sets a single copy of black plastic.
func (f *LookFinish) SetDefaults() {
	f.Shown, f.At, f.Paint, f.Color, f.Gloss = true, []float64{0}, ColorPaint, "#131315", 0.6
}

// Surface returns the material for renderers, with the colour c. A colour that World.Validate reports is black.
func (f *LookFinish) Surface(c render.Color) render.Material {
	linear, _ := c.Linear()
	metalness := 0.0
	if f.Metal {
		metalness = 1
	}
	return models.Surface(linear, nil, 1-f.Gloss, metalness)
}

// TakesName marks, for package schema, that a world file may give the look by a name or a path.
func (l *Look) TakesName() {}

// BindNode accepts a name, a path or a table. Random values of a look's file are drawn for each robot.
func (l *Look) BindNode(n *schema.Node) error {
	name, ok := n.Text()
	if !ok {
		return n.Bind(l)
	}
	file, err := sourcesOf(n).open(lookFiles, name, n.File())
	if err != nil {
		return n.Errorf("%w", err)
	}
	return n.In(file).Bind(l)
}
