package worlds

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/models"
	"github.com/omnipitch/omnipitch/worlds/action"
	"github.com/omnipitch/omnipitch/worlds/files"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// Values of BallLook.Pattern.
const (
	FootballPattern = "football"
	StripesPattern  = "stripes"
	PlainPattern    = "plain"
	PanelsPattern   = "panels"
)

// Ball is the game's ball, with its appearance.
type Ball struct {
	physics.Ball
	BallLook
}

// TakesFalse marks, for package schema, that ball = false says that the world has no ball.
func (b *Ball) TakesFalse() {}

// BindNode accepts a table, or false for a world without a ball.
func (b *Ball) BindNode(n *schema.Node) error {
	if n.False() {
		b.Absent = true
		return nil
	}
	return n.Bind(b)
}

// BallLook is the appearance of a ball.
type BallLook struct {
	Color   render.Color `toml:"color" doc:"main colour as #rrggbb, sRGB; left out, yellow, about #efbc21"`
	Color2  render.Color `toml:"color2" doc:"colour of the pentagons or of every other stripe; left out, black"`
	Pattern string       `toml:"pattern" oneof:"football|stripes|plain|panels" doc:"pattern: football has pentagons on a ball of color; stripes has eight stripes from pole to pole, alternately of both colours; plain and panels have color alone, panels with the seams, spots and scratches of a used ball"`
}

// ExtraBall is an additional ball, which is not the game's ball. Images and their ground truth contain it, but nothing
// touches it. The referee, conditions and levels without images ignore it.
type ExtraBall struct {
	Name   string  `toml:"name" required:"true" match:"name" fixed:"true"`
	X      float64 `toml:"x_m" range:"[-50, 50]" doc:"position of the ball"`
	Y      float64 `toml:"y_m" range:"[-50, 50]" doc:"position of the ball"`
	Radius float64 `toml:"radius_m" range:"[0.02, 0.5]" doc:"radius; FIFA size 5 is 0.11"`
	BallLook
}

// SetDefaults sets a ball that looks like the game's ball.
func (b *ExtraBall) SetDefaults() {
	b.Radius, b.Pattern = physics.DefaultBall().Radius, FootballPattern
}

// looks returns the colours of balls, robots and pieces of the place with their paths in the world. The check of
// colours uses them.
func (w *World) looks() (all []placedColor) {
	all = append(all, placedColor{"ball", "color", w.Ball.Color}, placedColor{"ball", "color2", w.Ball.Color2},
		placedColor{"hall", "carpet_color", w.Hall.Carpet}, placedColor{"hall", "net_color", w.Hall.Net})
	for i := range w.Hall.Balls {
		b, path := &w.Hall.Balls[i], fmt.Sprintf("hall.ball[%d]", i)
		all = append(all, placedColor{path, "color", b.Color}, placedColor{path, "color2", b.Color2})
	}
	for _, p := range w.Pieces() {
		part := ".material"
		if p.form == physics.OpeningForm {
			part = ".frame"
		}
		all = append(all, placedColor{p.Path + part, "color", p.Color})
	}
	for i := range w.Robots {
		s, path := &w.Robots[i].Skin, fmt.Sprintf("robot[%d].skin", i)
		all = append(all, placedColor{path, "hull_color", s.Hull}, placedColor{path, "cover_color", s.Cover},
			placedColor{path, "stripe_color", s.Stripe})
	}
	return all
}

// placedColor is a colour and its path in a world.
type placedColor struct {
	path, key string
	color     render.Color
}

// Board is a chessboard in the air, for the calibration of cameras. Images show it, but nothing touches it.
type Board struct {
	Name    string           `toml:"name" required:"true" match:"name" fixed:"true"`
	Columns int              `toml:"columns" range:"[2, 50]" doc:"number of squares along the board's y axis"`
	Rows    int              `toml:"rows" range:"[2, 50]" doc:"number of squares along its z axis"`
	Square  float64          `toml:"square_m" range:"[0.001, 2]" doc:"side of a square"`
	Hang    action.PoseInAir `toml:"hang"`
}

// SetDefaults sets a board with 8 × 6 inner corners, at a height of half a metre.
func (b *Board) SetDefaults() { b.Columns, b.Rows, b.Square = 9, 7, 0.08 }

// Values of Obstacle.Looks.
const (
	LooksBox     = "box"
	LooksPerson  = "person"
	LooksReferee = "referee"
	// LooksCylinder is the value of an obstacle that is a cylinder of the place. World files do not give it.
	LooksCylinder = "cylinder"
)

// Obstacle is a body that moves: a black box or a person on the floor, or a box or a cylinder of the place with a mass.
type Obstacle struct {
	Name    string           `toml:"name" required:"true" match:"name" fixed:"true"`
	Looks   string           `toml:"looks" oneof:"box|person|referee" doc:"appearance: a black box, a person, or a person in a referee's black clothes, 1.75 m high unless height_m says so; for physics, for levels without images and for distance sensors all are boxes, and people do not fall over"`
	Kind    string           `toml:"kind" match:"name" fixed:"true" doc:"kind of the obstacle, such as person or crate, for levels without images, labels and conditions; left out, obstacle"`
	Clothes uint64           `toml:"clothes" range:"[0, 1000000]" doc:"seed of a person's clothes, skin and hair"`
	Pose    Pose             `toml:"pose"`
	Hull    physics.Obstacle `toml:",inline"`
	Motion
	Material *Material // of an obstacle that is a box or a cylinder of the place; nil: black
	List     string    // list of the file that has the obstacle, set by World.AllObstacles
	Index    int       // index in that list
}

// SetDefaults sets a box as large as a robot.
func (o *Obstacle) SetDefaults() {
	o.Looks = LooksBox
	o.Hull.SizeX, o.Hull.SizeY, o.Hull.Height, o.Hull.Mass = 0.5, 0.5, 0.8, 20
}

// BindNode sets the size and mass of a person if the file gives none. The person is as wide as shoulders, and as deep
// as a stride.
func (o *Obstacle) BindNode(n *schema.Node) error {
	if looks := n.Get("looks"); looks != nil {
		if text, ok := looks.Text(); ok && text != LooksBox {
			o.Hull.SizeX, o.Hull.SizeY, o.Hull.Height, o.Hull.Mass = 0.45, 0.5, 1.75, 75
		}
	}
	return n.Bind(o)
}

// Person reports whether the obstacle is a person.
func (o *Obstacle) Person() bool { return o.Looks == LooksPerson || o.Looks == LooksReferee }

func (o *Obstacle) physics() physics.Obstacle {
	p := o.Hull
	p.Name, p.Kind, p.Pose, p.Absent = o.Name, o.Kind, o.Pose.Spatial(), o.Absent
	return p
}

// Prop is an object whose shape comes from a glTF, STL, OBJ or COLLADA file. It never moves.
type Prop struct {
	Name  string           `toml:"name" required:"true" match:"name" fixed:"true"`
	File  string           `toml:"file" required:"true" doc:".gltf or .glb file (y up, z forward), or .stl, .obj or .dae file (z up, x forward), relative to the folder of this one, or one that ships: props/bench.gltf, props/banner.glb"`
	Kind  string           `toml:"kind" match:"name" fixed:"true" doc:"kind of the prop, such as bench, for levels without images, labels and conditions; left out, obstacle"`
	Scale float64          `toml:"scale" range:"(0, 1000]"`
	Hang  action.PoseInAir `toml:"hang"`
	// Collides is false for a prop that only images show.
	Collides bool `toml:"collides" doc:"whether the prop is a body; if not, only images show it: nothing touches it, and no sensor without an image and no level without images detects it"`
	model    *models.Model
	solid    solid // of a prop that is a body
}

// Warnings returns what users should know of a valid world, a line for each, with its place in the world's file: what
// images do not show of the props' glTF files, a robot that starts around the ball, and sensors with a higher rate than
// the steps have.
func (w *World) Warnings() (all []string) {
	warn := func(path, key string, value any, rule string) {
		all = append(all, w.Locate(&schema.Violation{Path: path, Key: key, Value: value,
			Rule: "warning: " + rule}).Error())
	}
	if i := w.Model().BallInside(); i >= 0 {
		warn(fmt.Sprintf("robot[%d]", i), "pose", nil, fmt.Sprintf("robot %s starts around the ball, and pushes it away",
			w.Robots[i].Name))
	}
	for i := range w.Robots {
		for j := range w.Robots[i].Sensors {
			c := &w.Robots[i].Sensors[j]
			if steps := 1 / w.Time.Step.Seconds(); c.Rate > steps*(1+1e-9) {
				warn(fmt.Sprintf("robot[%d].sensor[%d]", i, j), "rate_hz", c.Rate, fmt.Sprintf(
					"the world has %.4g steps a second, and a sensor makes at most one observation a step", steps))
			}
		}
	}
	all = append(all, w.describedWarnings()...)
	seen := map[string]bool{}
	for i := range w.Props {
		p := &w.Props[i]
		if p.model == nil || len(p.model.LeftOut) == 0 || seen[p.File] {
			continue
		}
		seen[p.File] = true
		all = append(all, w.Locate(&schema.Violation{Path: fmt.Sprintf("prop[%d]", i), Key: "file", Value: p.File,
			Rule: "warning: images do not show " + strings.Join(p.model.LeftOut, ", ")}).Error())
	}
	return all
}

// SetDefaults sets the scale at which the prop has the size given in its glTF file. The prop is a body.
func (p *Prop) SetDefaults() { p.Scale, p.Collides = 1, true }

// Group returns the contents of the prop's glTF file.
func (p *Prop) Group() *render.Group {
	if p.model == nil {
		return nil
	}
	return p.model.Group
}

// BindNode also reads the glTF file. Errors in that file therefore point at the file's name in the world file.
func (p *Prop) BindNode(n *schema.Node) error {
	err := n.Bind(p)
	key := n.Get("file")
	if key == nil || p.File == "" || !(p.Scale > 0) {
		return err
	}
	for _, other := range key.Alternatives() {
		if file, ok := other.Text(); ok {
			if _, loadErr := (&Prop{File: file, Scale: p.Scale}).load(&sourcesOf(n).models,
				key.File()); loadErr != nil {
				err = errors.Join(err, other.Errorf("%w", loadErr))
			}
		}
	}
	if err != nil {
		return err
	}
	model, loadErr := p.load(&sourcesOf(n).models, key.File())
	if loadErr != nil {
		return key.Errorf("%w", loadErr)
	}
	p.model = model
	if p.Collides {
		p.solid = sourcesOf(n).solid(model.Group, p.Hang)
	}
	return nil
}

// load reads the glTF file of a prop. from is the world file that refers to it.
func (p *Prop) load(library *models.Library, from string) (*models.Model, error) {
	file, ships := propFile(library.In, p.File, from)
	if ships {
		return library.LoadFS(shipped, file, p.Scale)
	}
	return library.Load(file, p.Scale)
}

// propFile returns the path of a prop's glTF file. from is the world file that refers to it. The result ships is true
// if the glTF file ships with the program.
func propFile(in *files.FS, name, from string) (file string, ships bool) {
	if inside, ok := strings.CutPrefix(from, embeddedPrefix); ok {
		return path.Join(path.Dir(inside), name), true
	}
	file = besides(from, name)
	if _, err := in.Stat(file); err != nil {
		if _, err := fs.Stat(shipped, path.Clean(name)); err == nil {
			return path.Clean(name), true
		}
	}
	return file, false
}

// Skin is the look and the paint of a robot. By default a robot is low, black and grey.
type Skin struct {
	Look    *Look        `toml:"look" doc:"visible shape of the robot: name of a shipped look, path of a look's file, or the table that such a file is; left out, a low box on wheels with the robot's sensors. A robot that a URDF or MJCF file describes has no look"`
	Hull    render.Color `toml:"hull_color" doc:"colour of the storey above the wheels, as #rrggbb, sRGB; left out, black"`
	Cover   render.Color `toml:"cover_color" doc:"colour of the storey with the colour cards, and of a goalkeeper's panels; left out, dark grey"`
	Stripe  render.Color `toml:"stripe_color" doc:"colour of the stripes; left out, white"`
	Stripes int          `toml:"stripes" range:"[0, 3]" doc:"number of stripes around the hull"`
	Plates  bool         `toml:"plates" doc:"whether white plates with the whole number are on both sides of the hull"`
	Seed    uint64       `toml:"seed" doc:"seed that draws the values left out, for each robot of a team by its number; 0 draws nothing"`
}
