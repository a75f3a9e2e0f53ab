package scenery

import (
	"cmp"
	"fmt"
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/shapes"
	"github.com/omnipitch/omnipitch/worlds"
)

// lookPaints returns the paints of a look's prisms, rods and numbers, in the colours of a robot's skin.
func (b *builder) lookPaints(r *physics.Robot, l *worlds.Look, skin *worlds.Skin) (all []paint) {
	add := func(f *worlds.LookFinish) {
		p := black
		if f.Shown {
			p = b.finish(f, r.Team, l, skin)
		}
		all = append(all, p)
	}
	for i := range l.Prisms {
		add(&l.Prisms[i].LookFinish)
	}
	for i := range l.Rods {
		add(&l.Rods[i].LookFinish)
	}
	for i := range l.Numbers {
		add(&l.Numbers[i].LookFinish)
	}
	return all
}

// look adds the parts of a robot's look, with the paints of lookPaints.
func (b *builder) look(r *physics.Robot, l *worlds.Look, paints []paint) {
	wide, high := l.Wide, l.High
	next := func() (p paint) {
		p, paints = paints[0], paints[1:]
		return p
	}
	for i := range l.Prisms {
		p, painted := &l.Prisms[i], next()
		if p.Shown {
			b.copies(fmt.Sprintf("prism%d", i), prism(p, wide, high), painted, p.At, translation(p.X*wide, p.Y*wide, 0))
		}
	}
	for i := range l.Rods {
		p, painted := &l.Rods[i], next()
		from, to := vec(p.From[0]*wide, p.From[1]*wide, p.From[2]*high), vec(p.To[0]*wide, p.To[1]*wide, p.To[2]*high)
		if p.Shown && from != to {
			sides := 8
			if p.Radius > 0.015 {
				sides = 16
			}
			b.copies(fmt.Sprintf("rod%d", i), shapes.Tube(from, to, p.Radius, sides), painted, p.At, spatial.Identity())
		}
	}
	for i := range l.Numbers {
		n, painted := &l.Numbers[i], next()
		last := digit(r.Number)
		if !n.Shown || last < 0 {
			continue
		}
		at := spatial.RPY(vec(n.X*wide, n.Y*wide, n.Z*high), 0, -n.Pitch, 0)
		for _, angle := range n.At {
			b.glyph(fmt.Sprintf("number%d", i), last, n.Height/digitHeight, 0.006, painted,
				spatial.Planar(0, 0, angle).Mul(at))
		}
	}
}

// copies adds a part once for each direction about the robot's axis.
func (b *builder) copies(name string, m render.Mesh, p paint, at []float64, pose spatial.Pose) {
	for i, angle := range at {
		turned := spatial.Planar(0, 0, angle).Mul(pose)
		if i == 0 {
			b.add(name, m, p, turned)
			continue
		}
		again := b.body.Parts[len(b.body.Parts)-1]
		again.PoseBP = turned
		b.body.Parts = append(b.body.Parts, again)
	}
}

// finish returns the paint of a part of a look.
func (b *builder) finish(f *worlds.LookFinish, team physics.Team, l *worlds.Look, skin *worlds.Skin) paint {
	color := f.Color
	switch f.Paint {
	case worlds.HullPaint:
		color = cmp.Or(skin.Hull, l.Hull)
	case worlds.CoverPaint:
		color = cmp.Or(skin.Cover, l.Cover)
	case worlds.StripePaint:
		color = cmp.Or(skin.Stripe, l.Stripe)
	case worlds.CardPaint:
		return card(team)
	}
	return b.material(f.Surface(color))
}

// prism returns the mesh of a solid around the axis.
func prism(p *worlds.LookPrism, wide, high float64) render.Mesh {
	z0, z1, x, y := p.Z[0]*high, p.Z[1]*high, p.Size[0]/2*wide, p.Size[1]/2*wide
	if p.Sides >= roundSides {
		return shapes.Loft(p.Sides, shapes.Ellipse{Centre: vec(0, 0, z0), RX: x, RY: y},
			shapes.Ellipse{Centre: vec(0, 0, z1), RX: x * p.Taper, RY: y * p.Taper})
	}
	low := shapes.Polygon(p.Sides, 1/math.Cos(math.Pi/float64(p.Sides)))
	top := make([]mgl64.Vec2, len(low))
	for i, c := range low {
		low[i] = mgl64.Vec2{x * c[0], y * c[1]}
		top[i] = low[i].Mul(p.Taper)
	}
	return shapes.Frustum(low, top, z0, z1)
}

// roundSides is the number of sides from which a solid is shaded as if it were round.
const roundSides = 12
