package sensors

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/sensors/imaging"
)

// Cells of a picture that are metered, each by the ray through its middle.
const meterColumns, meterRows = 12, 9

// Reflectances of what is metered besides the floor: means of what the scenery paints.
var (
	robotGrey = mgl32.Vec3{0.05, 0.05, 0.05}
	postWhite = mgl32.Vec3{0.75, 0.75, 0.75}
	boardGrey = mgl32.Vec3{0.14, 0.15, 0.17}
	plainGrey = mgl32.Vec3{0.3, 0.3, 0.3}
)

// Meter tells how bright and of what colour scenes are to cameras, from the description of the scene alone, without images: so a camera
// meters the same whether its images are drawn or not, with any renderer.
type Meter struct {
	scene  *render.Scene
	boards boards
	marked float32 // share of the carpet that is painted
}

// NewMeter returns that of a scene with the given targets.
func NewMeter(scene *render.Scene, targets *Targets) *Meter {
	m := &Meter{scene: scene, boards: boardsOf(&targets.world.Field)}
	painted := 0.0
	for i := range scene.Floor.Marks {
		painted += scene.Floor.Marks[i].Area()
	}
	m.marked = float32(painted / (scene.Floor.SizeX * scene.Floor.SizeY))
	return m
}

// raysOf returns the directions, in the optical frame, of what a camera meters: only what its optics image.
func raysOf(model optics.Model) (alongC []mgl64.Vec3) {
	w, h := model.Size()
	for row := range meterRows {
		for column := range meterColumns {
			u := (float64(column)+0.5)/meterColumns*float64(w) - 0.5
			v := (float64(row)+0.5)/meterRows*float64(h) - 0.5
			if along, ok := model.Unproject(u, v); ok {
				alongC = append(alongC, along)
			}
		}
	}
	return alongC
}

// Automatic tells whether the camera controls its exposure or its white balance itself.
func (c *Camera) Automatic() bool { return c.automatic != nil }

// Control has a camera that is Automatic go on to a frame, of an instant with its Environment.
func (c *Camera) Control(m *Meter, at *Instant, shading *render.Shading) {
	c.automatic.Next(m.meter(c, at, shading))
}

// meter meters what a camera sees.
func (m *Meter) meter(c *Camera, at *Instant, shading *render.Shading) (out imaging.Metered) {
	poseBC := c.PoseBC()
	poseWC := at.State().PoseWB.Mul(poseBC)
	s := sight{Meter: m, light: &shading.Light, carpet: m.carpet(shading), fromW: poseWC.Pos, bodies: c.bodies[:0]}
	env := at.Environment
	for i := range env.Targets {
		t := &env.Targets[i]
		if t == env.Self {
			continue
		}
		s.bodies = append(s.bodies, body{t.Shape.Raycaster(&t.PoseWT, poseWC.Pos), greyOf(t.Kind)})
	}
	c.bodies = s.bodies
	for _, alongC := range c.metered {
		radiance, irradiance := s.own(), s.ambient()
		if c.occlusion == nil || !c.occlusion.Hides(poseBC.Rotate(alongC)) {
			radiance, irradiance = s.along(poseWC.Rotate(alongC))
		}
		out.Mean, out.Light = out.Mean.Add(radiance), out.Light.Add(irradiance)
	}
	share := 1 / float32(max(len(c.metered), 1))
	out.Mean, out.Light = out.Mean.Mul(share), out.Light.Mul(share)
	return out
}

// carpet returns the mean reflectance of the carpet with its markings, worn over half of it.
func (m *Meter) carpet(shading *render.Shading) mgl32.Vec3 {
	worn := shading.Carpet.Mul(1 - float32(m.scene.Floor.Wear)/2)
	return worn.Mul(1 - m.marked).Add(m.scene.Floor.LineColor.Mul(m.marked))
}

// sight is what is seen from one place.
type sight struct {
	*Meter
	light  *render.Light
	carpet mgl32.Vec3
	fromW  mgl64.Vec3
	bodies []body
}

type body struct {
	rays abstraction.Raycaster
	grey mgl32.Vec3
}

func greyOf(kind abstraction.Kind) mgl32.Vec3 {
	switch kind {
	case abstraction.RobotKind:
		return robotGrey
	case abstraction.PostKind:
		return postWhite
	}
	return plainGrey
}

// along returns the radiance that comes from a direction, and the light on what is there.
func (s *sight) along(alongW mgl64.Vec3) (radiance, irradiance mgl32.Vec3) {
	far := math.Inf(1)
	var grey mgl32.Vec3
	for i := range s.bodies {
		if r := s.bodies[i].rays.Cast(&alongW); r < far {
			far, grey = r, s.bodies[i].grey
		}
	}
	if r := s.boards.raycast(&s.fromW, &alongW); r < far {
		far, grey = r, boardGrey
	}
	floor := math.Inf(1)
	if alongW[2] < 0 {
		floor = -s.fromW[2] / alongW[2]
	}
	if far < floor {
		irradiance = s.upright()
		return product(grey, irradiance), irradiance
	}
	at := s.fromW.Add(alongW.Mul(floor))
	x, y := math.Abs(at[0]), math.Abs(at[1])
	f, room := &s.scene.Floor, &s.scene.Room
	switch {
	case math.IsInf(floor, 1), x > f.SizeX/2+room.Margin, y > f.SizeY/2+room.Margin:
		return s.around(alongW), s.ambient()
	case x > f.SizeX/2, y > f.SizeY/2:
		irradiance = s.onFloor(at)
		return product(room.Floor, irradiance), irradiance
	}
	irradiance = s.onFloor(at)
	return product(s.carpet, irradiance), irradiance
}

// around returns the radiance of the walls, and of the ceiling above them.
func (s *sight) around(alongW mgl64.Vec3) mgl32.Vec3 {
	f, room := &s.scene.Floor, &s.scene.Room
	toWall := func(axis int, half float64) float64 {
		return (half - math.Copysign(s.fromW[axis], s.fromW[axis]*alongW[axis])) / math.Abs(alongW[axis])
	}
	far := math.Min(toWall(0, f.SizeX/2+room.Margin), toWall(1, f.SizeY/2+room.Margin))
	height := (s.fromW[2] + alongW[2]*far) / room.Height
	if room.Height <= 0 || !(height < 1) {
		return s.light.Background
	}
	return s.light.Wall.Mul(float32(0.75 + 0.5*height))
}

// onFloor returns the light on the floor where nothing shades it.
func (s *sight) onFloor(at mgl64.Vec3) mgl32.Vec3 {
	sum := s.light.Sky.Add(s.light.Lamp.Mul(s.light.DirectionW[2]))
	for i := range s.light.Spots {
		l := &s.light.Spots[i]
		to := mgl64.Vec3{float64(l.PosW[0]), float64(l.PosW[1]), float64(l.PosW[2])}.Sub(at)
		d := to.Len()
		sum = sum.Add(l.Light.Mul(float32(to[2] / (d * d * d))))
	}
	return sum
}

// ambient returns the light from all around.
func (s *sight) ambient() mgl32.Vec3 { return s.light.Sky.Add(s.light.Bounce).Mul(0.5) }

// upright returns the light on what stands upright, mean of all sides of it: of a distant lamp each has cos(elevation)/π.
func (s *sight) upright() mgl32.Vec3 {
	z := float64(s.light.DirectionW[2])
	return s.ambient().Add(s.light.Lamp.Mul(float32(math.Sqrt(math.Max(0, 1-z*z)) / math.Pi)))
}

// own returns the radiance of the camera's own robot, which is lit from above.
func (s *sight) own() mgl32.Vec3 { return product(robotGrey, s.upright()) }

func product(a, b mgl32.Vec3) mgl32.Vec3 { return mgl32.Vec3{a[0] * b[0], a[1] * b[1], a[2] * b[2]} }
