package worlds

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/rules"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/models"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// Wall is a wall along a polyline, with doors and windows. It never moves.
type Wall struct {
	Name      string       `toml:"name" match:"name" fixed:"true" doc:"name in labels; left out, wall1 for the first wall, wall2 for the second, and so on"`
	Points    [][2]float64 `toml:"points" required:"true" minlen:"2" maxlen:"5000" range:"[-100, 100]" doc:"corners of the wall's centre line, each [x, y] in m"`
	Closed    bool         `toml:"closed" doc:"whether a last segment joins the last point with the first"`
	Height    float64      `toml:"height_m" range:"[0.05, 20]"`
	Thickness float64      `toml:"thickness_m" range:"[0.01, 5]"`
	Material  Material     `toml:"material"`
	Openings  []Opening    `toml:"opening" maxlen:"1000" doc:"doors and windows"`
}

// SetDefaults sets an inner wall of a building.
func (w *Wall) SetDefaults() {
	w.Height, w.Thickness = 2.5, 0.1
	w.Material.SetDefaults()
}

// Opening is a rectangular hole through a segment of a wall: a door or a window.
type Opening struct {
	Segment int      `toml:"segment" range:"[0, 5000]" doc:"index of the wall's segment; segment 0 leads from the first point to the second"`
	At      float64  `toml:"at_m" required:"true" range:"[0, 300]" doc:"distance from the segment's first point to the opening, along the segment"`
	Width   float64  `toml:"width_m" range:"[0.01, 300]"`
	Bottom  float64  `toml:"bottom_m" range:"[0, 20]" doc:"height of the opening's lower edge: 0 for a door, the sill for a window"`
	Top     float64  `toml:"top_m" range:"(0, 20]" doc:"height of the opening's upper edge; the wall above it is the lintel"`
	Kind    string   `toml:"kind" match:"name" fixed:"true" doc:"kind of the opening, such as door. The opening then has a frame, and levels without images, labels and conditions know it by this kind"`
	Name    string   `toml:"name" match:"name" fixed:"true" doc:"name of an opening with a kind; left out, the names of wall and kind and the place in the wall's list, such as north_door1"`
	Frame   Material `toml:"frame" doc:"material of the frame around an opening with a kind"`
}

// SetDefaults sets a door.
func (o *Opening) SetDefaults() {
	o.Width, o.Top = 0.9, 2.05
	o.Frame = Material{Color: "#6f5b45", Repeat: 1, Gloss: 0.3}
}

// Box is a box such as a shelf, a step or, with a mass, a crate that robots push.
type Box struct {
	Name     string     `toml:"name" required:"true" match:"name" fixed:"true"`
	Kind     string     `toml:"kind" match:"name" fixed:"true" doc:"kind of the box, such as shelf, for levels without images, labels and conditions; left out, obstacle"`
	Pose     Pose       `toml:"pose" doc:"pose of the centre"`
	Z        float64    `toml:"z_m" range:"[0, 20]" doc:"height of the lower side over the floor"`
	Size     [3]float64 `toml:"size_m" required:"true" range:"[0.01, 100]" doc:"length along the box's x axis, width along its y axis, and height"`
	Material Material   `toml:"material"`
	Mobile
}

// SetDefaults sets the default material.
func (b *Box) SetDefaults() { b.Material.SetDefaults() }

// Cylinder is an upright cylinder such as a column or, with a mass, a bin that robots push.
type Cylinder struct {
	Name     string   `toml:"name" required:"true" match:"name" fixed:"true"`
	Kind     string   `toml:"kind" match:"name" fixed:"true" doc:"kind of the cylinder, such as column, as of a box"`
	Pose     Pose     `toml:"pose" doc:"pose of the axis"`
	Z        float64  `toml:"z_m" range:"[0, 20]" doc:"height of the lower end over the floor"`
	Radius   float64  `toml:"radius_m" required:"true" range:"[0.01, 20]"`
	Height   float64  `toml:"height_m" required:"true" range:"[0.01, 20]"`
	Material Material `toml:"material"`
	Mobile
}

// SetDefaults sets the default material.
func (c *Cylinder) SetDefaults() { c.Material.SetDefaults() }

// Material is the appearance of a wall, a box or a cylinder.
type Material struct {
	Color   render.Color `toml:"color" doc:"colour as #rrggbb, sRGB, by which the texture is multiplied; left out, #e4e0d8, and #ffffff with a texture"`
	Texture string       `toml:"texture" fixed:"true" doc:"PNG or JPEG file on all sides, relative to the folder of this file. On sides, its lower edge lies at the lower edge of the wall, the box or the cylinder. Of metal only its mean colour shows"`
	Repeat  float64      `toml:"repeat_m" range:"[0.01, 100]" doc:"width of the texture's image, which repeats in both directions; around a cylinder it repeats a whole number of times"`
	Gloss   float64      `toml:"gloss" range:"[0, 1]" doc:"how smooth the surface is: 0 is matt as plaster, 1 is as smooth as glazed tiles or polished metal"`
	Metal   bool         `toml:"metal" doc:"whether the surface is bare metal, which reflects its surroundings in its own colour"`
	texture *render.Texture
}

// SetDefaults sets white paint.
func (m *Material) SetDefaults() { m.Color, m.Repeat, m.Gloss = "#e4e0d8", 1, 0.1 }

// BindNode also reads the image of the texture. Errors in this file therefore point at its name in the world file.
func (m *Material) BindNode(n *schema.Node) (err error) {
	if textured(n, "texture") {
		m.Color = white
	}
	if err := n.Bind(m); err != nil {
		return err
	}
	m.texture, err = texture(n, "texture", m.Texture)
	return err
}

// TextureSize returns the width and the height, in m, that the texture's image has on the surface, or 0 without one.
func (m *Material) TextureSize() (width, height float64) {
	if m.texture == nil {
		return 0, 0
	}
	return m.Repeat, m.Repeat * m.texture.Aspect()
}

// Surface returns the material for renderers. A colour that World.Validate reports is black.
func (m *Material) Surface() render.Material {
	color, _ := m.Color.Linear()
	metalness := 0.0
	if m.Metal {
		metalness = 1
	}
	return models.Surface(color, m.texture, 1-m.Gloss, metalness)
}

// Piece is a wall, the frame of an opening, a box or a cylinder that never moves, with its default name if the file
// gives none.
type Piece struct {
	Name  string
	Boxes []spatial.UprightBox // in W
	Material
	form, kind string // as in physics.Prop
	Path       string // in the world's file, such as wall[2]
}

// Pieces returns the walls with the frames of their openings, and the boxes and cylinders of the world that never move,
// in this order.
func (w *World) Pieces() []Piece {
	all := make([]Piece, 0, len(w.Walls)+len(w.Boxes)+len(w.Cylinders))
	for i := range w.Walls {
		wall, path := &w.Walls[i], fmt.Sprintf("wall[%d]", i)
		name := cmp.Or(wall.Name, fmt.Sprintf("wall%d", i+1))
		all = append(all, Piece{name, wall.boxes(), wall.Material, physics.WallForm, "", path})
		for k := range wall.Openings {
			if o := &wall.Openings[k]; o.Kind != "" && 0 <= o.Segment && o.Segment < wall.segments() {
				own := cmp.Or(o.Name, fmt.Sprintf("%s_%s%d", name, o.Kind, k+1))
				all = append(all, Piece{own, wall.frame(o), o.Frame, physics.OpeningForm, o.Kind,
					fmt.Sprintf("%s.opening[%d]", path, k)})
			}
		}
	}
	add := func(form, name, kind string, i int, m Material, pose Pose, z float64, half mgl64.Vec3, mass float64) {
		if mass != 0 {
			return
		}
		all = append(all, Piece{name, []spatial.UprightBox{{Centre: mgl64.Vec3{pose.X, pose.Y, z + half[2]}, Half: half,
			Heading: pose.Heading, Round: form == "cylinder"}}, m, form, kind, fmt.Sprintf("%s[%d]", form, i)})
	}
	for i := range w.Boxes {
		b := &w.Boxes[i]
		add("box", b.Name, b.Kind, i, b.Material, b.Pose, b.Z, mgl64.Vec3(b.Size).Mul(0.5), b.Mass)
	}
	for i := range w.Cylinders {
		c := &w.Cylinders[i]
		add("cylinder", c.Name, c.Kind, i, c.Material, c.Pose, c.Z,
			mgl64.Vec3{c.Radius, c.Radius, c.Height / 2}, c.Mass)
	}
	if w.Map != nil {
		all = append(all, w.Map.piece())
	}
	return all
}

// physics returns the piece as a body.
func (p *Piece) physics() physics.Prop {
	return physics.Prop{Name: p.Name, Form: p.form, Kind: p.kind, Boxes: p.Boxes}
}

// segments returns the number of a wall's segments.
func (w *Wall) segments() int {
	if w.Closed {
		return len(w.Points)
	}
	return len(w.Points) - 1
}

// ends returns the two points of a segment.
func (w *Wall) ends(segment int) (a, b mgl64.Vec2) {
	return w.Points[segment], w.Points[(segment+1)%len(w.Points)]
}

// boxes returns the pieces of a wall around its openings.
func (w *Wall) boxes() (all []spatial.UprightBox) {
	n := w.segments()
	for i := range n {
		a, b := w.ends(i)
		way := b.Sub(a)
		length := way.Len()
		if !(length > 0) {
			continue
		}
		add := func(from, to, bottom, top float64) {
			all = appendSlab(all, a, way, from, to, bottom, top, w.Thickness)
		}
		from, end := 0.0, length
		if i > 0 || w.Closed {
			from = -w.overlap((i+n-1)%n, i)
		}
		if i+1 < n || w.Closed {
			end += w.overlap(i, (i+1)%n)
		}
		for _, o := range w.openingsOf(i) {
			beside := 0.0 // what the frame takes
			if o.Kind != "" {
				beside = frameWidth
			}
			left, right := o.At-beside, o.At+o.Width+beside
			add(from, left, 0, w.Height)
			add(left, right, 0, o.Bottom-beside)
			add(left, right, o.Top+beside, w.Height)
			from = right
		}
		add(from, end, 0, w.Height)
	}
	return all
}

// appendSlab appends a box along a way from the point a: between two distances from a, and between two heights, m. It
// appends nothing if the box is empty.
func appendSlab(all []spatial.UprightBox, a, way mgl64.Vec2, from, to, bottom, top, thickness float64,
) []spatial.UprightBox {
	if to <= from || top <= bottom {
		return all
	}
	along := way.Mul(1 / way.Len())
	return append(all, spatial.UprightBox{Centre: a.Add(along.Mul((from + to) / 2)).Vec3((bottom + top) / 2),
		Half:    mgl64.Vec3{(to - from) / 2, thickness / 2, (top - bottom) / 2},
		Heading: math.Atan2(way[1], way[0])})
}

// The frame of an opening is as wide as frameWidth, and sticks out of both sides of the wall by frameDepth; in m. These
// are common measures of door frames.
const (
	frameWidth = 0.06
	frameDepth = 0.015
)

// frame returns the frame around an opening: two jambs, the head, and below a window the sill.
func (w *Wall) frame(o *Opening) (all []spatial.UprightBox) {
	a, b := w.ends(o.Segment)
	way := b.Sub(a)
	if !(way.Len() > 0) {
		return nil
	}
	bottom, top := max(o.Bottom-frameWidth, 0), min(o.Top+frameWidth, w.Height)
	add := func(from, to, bottom, top float64) {
		all = appendSlab(all, a, way, from, to, bottom, top, w.Thickness+2*frameDepth)
	}
	add(o.At-frameWidth, o.At, bottom, top)
	add(o.At+o.Width, o.At+o.Width+frameWidth, bottom, top)
	add(o.At, o.At+o.Width, o.Top, top)
	add(o.At, o.At+o.Width, bottom, o.Bottom)
	return all
}

// overlap returns by how much two successive segments extend beyond their common point, so that their outer edges meet.
// At turns of more than 90° their ends are square.
func (w *Wall) overlap(before, after int) float64 {
	a, b := w.ends(before)
	c, d := w.ends(after)
	u, v := b.Sub(a), d.Sub(c)
	turn := math.Abs(math.Atan2(u[0]*v[1]-u[1]*v[0], u.Dot(v)))
	return w.Thickness / 2 * math.Tan(min(turn, math.Pi/2)/2)
}

// openingsOf returns the openings of a segment, in the order in which they follow each other.
func (w *Wall) openingsOf(segment int) (all []Opening) {
	for _, o := range w.Openings {
		if o.Segment == segment {
			all = append(all, o)
		}
	}
	slices.SortStableFunc(all, func(a, b Opening) int { return cmp.Compare(a.At, b.At) })
	return all
}

// Validate reports every broken rule: those of single fields, points that coincide, and openings that do not fit into
// their segments.
func (w *Wall) Validate() error {
	list := []error{rules.Check(w)}
	violate := func(field string, value any, rule string) {
		list = append(list, &rules.Violation{Field: field, Value: value, Rule: rule})
	}
	n := w.segments()
	for i := range n {
		if a, b := w.ends(i); a == b {
			violate(fmt.Sprintf("Points[%d]", (i+1)%len(w.Points)), nil, "must differ from the point before it")
		}
	}
	for i := range w.Openings {
		o := &w.Openings[i]
		at := fmt.Sprintf("Openings[%d].", i)
		if o.Segment >= n {
			violate(at+"Segment", o.Segment, fmt.Sprintf("the wall has %d segments, 0 to %d", n, n-1))
			continue
		}
		a, b := w.ends(o.Segment)
		if length := b.Sub(a).Len(); o.At+o.Width > length {
			violate(at+"Width", o.Width, fmt.Sprintf("with {At} = %.4g the opening ends beyond its segment, which is "+
				"%.4g m long", o.At, length))
		}
		if o.Name != "" && o.Kind == "" {
			violate(at+"Name", o.Name, "needs {Kind}: an opening without a kind is no body")
		}
		if o.Bottom >= o.Top {
			violate(at+"Bottom", o.Bottom, fmt.Sprintf("must be less than {Top}, %.4g", o.Top))
		}
		if o.Top > w.Height {
			violate(at+"Top", o.Top, fmt.Sprintf("must be at most {Height} of the wall, %.4g", w.Height))
		}
		for k := range w.Openings[:i] {
			if p := &w.Openings[k]; p.Segment == o.Segment && o.At < p.At+p.Width && p.At < o.At+o.Width {
				violate(at+"At", o.At, fmt.Sprintf("the opening overlaps opening[%d] of the same segment", k))
			}
		}
	}
	return errors.Join(list...)
}

// maxPieces bounds the boxes of which the bodies of all props, walls, boxes and cylinders consist.
const maxPieces = 20_000

// validatePieces reports props and pieces whose boxes are too many.
func (w *World) validatePieces() error {
	n := 0
	fail := func(path, key string) error {
		return &schema.Violation{Path: path, Key: key, Rule: fmt.Sprintf(
			"the bodies up to this one consist of %d boxes: must be at most %d in all", n, maxPieces)}
	}
	for i := range w.Props {
		if n += len(w.Props[i].solid.boxes); n > maxPieces {
			return fail(fmt.Sprintf("prop[%d]", i), "collides")
		}
	}
	for _, p := range w.Pieces() {
		if n += len(p.Boxes); n > maxPieces {
			return fail(p.Path, "name")
		}
	}
	return nil
}
