package scenery

import (
	"math"
	"math/rand/v2"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/shapes"
	"github.com/omnipitch/omnipitch/worlds"
)

// ballStripes is the number of stripes of a ball.
const ballStripes = 8

// ball adds the game's ball. The ball is of leather, and its colour can change while the world runs.
func (b *builder) ball(radius float64, look worlds.BallLook) {
	b.startBody("ball")
	b.scene.Materials[leather] = inColors(b.scene.Materials[leather], look)
	b.sphere(radius, leather, look)
}

// beside adds a ball that is not the game's ball, and returns the ball's pose. The orientation of the ball depends on
// index.
func (b *builder) beside(of *worlds.ExtraBall, index int) spatial.Pose {
	b.startBody(of.Name)
	b.body.Static = true
	b.sphere(of.Radius, b.material(inColors(palette()[leather], of.BallLook)), of.BallLook)
	random := rand.New(rand.NewPCG(uint64(index), 3))
	axis := mgl64.Vec3{random.NormFloat64(), random.NormFloat64(), random.NormFloat64()}.Normalize()
	return spatial.Pose{Pos: vec(of.X, of.Y, of.Radius), Rot: mgl64.QuatRotate(3*random.Float64(), axis)}
}

// inColors returns the material leather with the colours and the pattern of a ball.
func inColors(m render.Material, look worlds.BallLook) render.Material {
	set := func(into *mgl32.Vec3, c render.Color) {
		if linear, err := c.Linear(); err == nil {
			*into = linear
		}
	}
	set(&m.Color, look.Color)
	set(&m.Color2, look.Color2)
	switch look.Pattern {
	case worlds.PlainPattern, worlds.StripesPattern:
		m.Pattern = render.Plain
	case worlds.PanelsPattern:
		m.Pattern, m.Texture = render.Textured, panels()
	}
	dye(&m, m.Color)
	return m
}

// dye gives a ball's material another main colour. That of a texture is Color2, which equals Color, so that key frames
// need only Color.
func dye(m *render.Material, linear mgl32.Vec3) {
	m.Color = linear
	if m.Pattern == render.Textured {
		m.Color2 = linear
	}
}

// sphere adds a ball. The stripes are separate solids next to each other, so that renderers need no textures for the
// ball.
func (b *builder) sphere(radius float64, first paint, look worlds.BallLook) {
	switch look.Pattern {
	case worlds.StripesPattern:
	case worlds.PanelsPattern:
		b.add("ball", panelled(radius), first, translation(0, 0, 0))
		return
	default:
		b.add("ball", shapes.Sphere(radius, 3), first, translation(0, 0, 0))
		return
	}
	other := b.scene.Materials[first]
	other.Color = other.Color2
	second := b.material(other)
	for i := range ballStripes {
		p := first
		if i%2 == 1 {
			p = second
		}
		b.add("ball", shapes.Segment(radius, i, ballStripes), p, translation(0, 0, 0))
	}
}

// Board is a chessboard with a white border of one square. Its squares are in the y-z plane of its frame and face +x.
type Board struct {
	Name          string
	Columns, Rows int     // number of squares along y and along z
	Square        float64 // side of a square, metres
	PoseWB        spatial.Pose
}

// board adds the squares of a chessboard next to each other, and a back. It puts no surface onto another one, because
// the depth in a curved mirror or lens is too coarse to separate such surfaces.
func (b *builder) board(c *Board) {
	const thickness = 0.01 // metres
	b.startBody(c.Name)
	var light, dark []render.Mesh
	for row := -1; row <= c.Rows; row++ {
		for col := -1; col <= c.Columns; col++ {
			y := (float64(col) - float64(c.Columns-1)/2) * c.Square
			z := (float64(row) - float64(c.Rows-1)/2) * c.Square
			square := shapes.Transform(shapes.Box(thickness, c.Square, c.Square), translation(-thickness/2, y, z))
			if border := row < 0 || col < 0 || row == c.Rows || col == c.Columns; border || (row+col)%2 != 0 {
				light = append(light, square)
			} else {
				dark = append(dark, square)
			}
		}
	}
	b.add("white squares", shapes.Join(light...), white, translation(0, 0, 0))
	b.add("black squares", shapes.Join(dark...), black, translation(0, 0, 0))
	b.add("back", shapes.Box(thickness, float64(c.Columns+2)*c.Square, float64(c.Rows+2)*c.Square), white,
		translation(-2*thickness, 0, 0))
}

func vec(x, y, z float64) mgl64.Vec3 { return mgl64.Vec3{x, y, z} }

// obstacle adds a box or a cylinder of a material, or without a material a black box with bevelled edges.
func (b *builder) obstacle(o *physics.Obstacle, m *worlds.Material) {
	b.startBody(o.Name)
	if m != nil {
		mesh := shapes.Box(o.SizeX, o.SizeY, o.Height)
		if o.Round {
			mesh = shapes.Cylinder(o.SizeX/2, o.Height, cylinderSides)
		}
		at := translation(0, 0, o.Height/2)
		b.add("", textured(mesh, m, at, 0, o.Round), b.material(m.Surface()), at)
		return
	}
	bevel := math.Min(0.015, math.Min(o.SizeX, math.Min(o.SizeY, o.Height))/4)
	b.add("box", shapes.BevelledBox(o.SizeX, o.SizeY, o.Height, bevel), black, translation(0, 0, o.Height/2))
}
