package sensors

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/light"
)

// plainLight is the light of the plain look: a distant lamp and ambient light.
type plainLight struct {
	scene  *render.Scene
	marked float32 // fraction of the carpet that is painted
	light  *render.Light
	carpet mgl32.Vec3 // mean reflectance, including markings and wear
}

func newPlainLight(scene *render.Scene) *plainLight {
	painted := 0.0
	for i := range scene.Floor.Marks {
		painted += scene.Floor.Marks[i].Area()
	}
	return &plainLight{scene: scene, marked: float32(painted / (scene.Floor.SizeX * scene.Floor.SizeY))}
}

func (p *plainLight) of(shading *render.Shading) lighting {
	p.light = &shading.Light
	worn := p.scene.Floor.Reflectance(shading.Carpet).Mul(1 - float32(p.scene.Floor.Wear)/2) // over half of the carpet
	p.carpet = worn.Mul(1 - p.marked).Add(p.scene.Floor.LineColor.Mul(p.marked))
	return p
}

func (p *plainLight) hall(fromW, alongW mgl64.Vec3) (radiance, irradiance mgl32.Vec3, white bool) {
	f, room := &p.scene.Floor, &p.scene.Room
	at := fromW.Add(alongW.Mul(-fromW[2] / alongW[2]))
	x, y := math.Abs(at[0]), math.Abs(at[1])
	if !(alongW[2] < 0) || x > f.SizeX/2+room.Margin || y > f.SizeY/2+room.Margin {
		return p.wall(fromW, alongW), p.around(fromW), false
	}
	irradiance = p.onFloor(at)
	if x > f.SizeX/2 || y > f.SizeY/2 {
		return product(room.Floor, irradiance), irradiance, false
	}
	return product(p.carpet, irradiance), irradiance, false
}

// wall returns the radiance of the walls and of the ceiling above them, as seen from a point in W along a direction.
func (p *plainLight) wall(fromW, alongW mgl64.Vec3) mgl32.Vec3 {
	f, room := &p.scene.Floor, &p.scene.Room
	toWall := func(axis int, half float64) float64 {
		return (half - math.Copysign(fromW[axis], fromW[axis]*alongW[axis])) / math.Abs(alongW[axis])
	}
	far := math.Min(toWall(0, f.SizeX/2+room.Margin), toWall(1, f.SizeY/2+room.Margin))
	height := (fromW[2] + alongW[2]*far) / room.Height
	if room.Height <= 0 || !(height < 1) {
		return p.light.Background
	}
	return p.light.Wall.Mul(float32(0.75 + 0.5*height))
}

// onFloor returns the irradiance of the floor at a point in W that no object shades.
func (p *plainLight) onFloor(at mgl64.Vec3) mgl32.Vec3 {
	sum := p.light.Sky.Add(p.light.Lamp.Mul(p.light.DirectionW[2]))
	for i := range p.light.Spots {
		l := &p.light.Spots[i]
		to := spatial.Vec64(l.PosW).Sub(at)
		d := to.Len()
		sum = sum.Add(l.Light.Mul(float32(to[2] / (d * d * d))))
	}
	return sum
}

func (p *plainLight) around(mgl64.Vec3) mgl32.Vec3 { return p.light.Sky.Add(p.light.Bounce).Mul(0.5) }

// upright returns the sum of the ambient light and the lamp's light, averaged over all directions that an upright
// surface may face. On average, such a surface receives the fraction cos(elevation)/π of the light of a distant lamp.
func (p *plainLight) upright(at mgl64.Vec3) mgl32.Vec3 {
	z := float64(p.light.DirectionW[2])
	return p.around(at).Add(p.light.Lamp.Mul(float32(math.Sqrt(math.Max(0, 1-z*z)) / math.Pi)))
}

// naturalLight is the light of the natural look.
type naturalLight struct {
	field *light.Field
	white float64 // luminance of a white surface at the centre of the floor, which images show as pure white
}

func (n *naturalLight) of(shading *render.Shading) lighting {
	n.field.Shade(shading)
	_, irradiance, _ := n.field.Toward(mgl64.Vec3{0, 0, n.field.Height / 2}, mgl64.Vec3{0, 0, -1})
	n.white = render.Luminance(irradiance)
	return n
}

func (n *naturalLight) hall(fromW, alongW mgl64.Vec3) (radiance, irradiance mgl32.Vec3, white bool) {
	reflectance, irradiance, emitted := n.field.Toward(fromW, alongW)
	if render.Luminance(emitted) > n.white {
		return mgl32.Vec3{}, irradiance, true
	}
	return product(reflectance, irradiance).Add(emitted), irradiance, false
}

func (n *naturalLight) around(p mgl64.Vec3) mgl32.Vec3 { return n.field.Around(p) }

func (n *naturalLight) upright(p mgl64.Vec3) mgl32.Vec3 { return n.field.Around(p) }
