package sensors

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/light"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/sensors/imaging"
)

// metered is the number of metered pixels. They are spread evenly over the image but not arranged in rows, because the
// windows at the rim of a mirror could lie between two rows.
const metered = 160

// Mean reflectances of metered surfaces other than the floor. The values are those of the rendered scenery.
var (
	robotGrey = mgl32.Vec3{0.05, 0.05, 0.05}
	postWhite = mgl32.Vec3{0.75, 0.75, 0.75}
	boardGrey = mgl32.Vec3{0.14, 0.15, 0.17}
	plainGrey = mgl32.Vec3{0.3, 0.3, 0.3}
)

// lighting describes the light of a scene that a camera meters. All values are linear, not sRGB.
type lighting interface {
	// upright returns the irradiance of an upright surface at a point in W, averaged over all directions.
	upright(p mgl64.Vec3) mgl32.Vec3
	// hall returns the radiance and the irradiance of the surface that a ray hits in the empty hall. The result white
	// is true if the ray hits a lamp or a window that is brighter than white.
	hall(fromW, alongW mgl64.Vec3) (radiance, irradiance mgl32.Vec3, white bool)
	// around returns the irradiance by ambient light at a point in W.
	around(p mgl64.Vec3) mgl32.Vec3
}

// Meter measures the brightness and colour of the light that cameras receive. It uses only the description of the
// scene, and no images. So the measurement does not depend on whether images are rendered, or with which renderer.
type Meter struct {
	boards   boards
	lighting func(*render.Shading) lighting
}

// NewMeter returns the meter of a scene with the given targets.
func NewMeter(scene *render.Scene, targets *Targets) *Meter {
	m := &Meter{boards: boardsOf(&targets.world.Field)}
	if scene.Natural {
		if f := light.NewField(scene, &scene.Shading); f != nil {
			m.lighting = (&naturalLight{field: f}).of
			return m
		}
	}
	m.lighting = newPlainLight(scene).of
	return m
}

// raysOf returns the directions, in the optical frame, along which a camera meters light. It leaves out pixels to which
// no direction belongs.
func raysOf(model optics.Model) (alongC []mgl64.Vec3) {
	w, h := model.Size()
	for i := range metered {
		// Columns follow the additive recurrence of the golden ratio. Source: Roberts, "The unreasonable effectiveness
		// of quasirandom sequences", 2018.
		_, column := math.Modf(0.5 + float64(i)/math.Phi)
		u, v := column*float64(w)-0.5, (float64(i)+0.5)/metered*float64(h)-0.5
		if along, ok := model.Unproject(u, v); ok {
			alongC = append(alongC, along)
		}
	}
	return alongC
}

// Automatic reports whether the camera controls its exposure or its white balance.
func (c *Camera) Automatic() bool { return c.automatic != nil }

// Control advances the exposure and white balance of a camera to the frame that is captured at an instant. The camera
// must be Automatic, and the instant must have an Environment.
func (c *Camera) Control(m *Meter, at *Instant, shading *render.Shading) {
	c.automatic.Next(m.meter(c, at, shading))
}

// meter returns the light that a camera meters at an instant.
func (m *Meter) meter(c *Camera, at *Instant, shading *render.Shading) (out imaging.Metered) {
	poseBC := c.PoseBC()
	poseWC := at.State().PoseWB.Mul(poseBC)
	s := sight{lighting: m.lighting(shading), boards: &m.boards, fromW: poseWC.Pos, bodies: c.bodies[:0]}
	env := at.Environment
	for i := range env.Targets {
		t := &env.Targets[i]
		if t == env.Self || t.Static { // the colours of props are unknown
			continue
		}
		s.bodies = append(s.bodies, body{t.Shape.Raycaster(&t.PoseWT, poseWC.Pos), greyOf(t.Kind)})
	}
	c.bodies = s.bodies
	for _, alongC := range c.metered {
		// if the ray hits the robot itself, which counts as lit from above
		radiance, irradiance, white := product(robotGrey, s.upright(s.fromW)), s.around(s.fromW), false
		if c.occlusion == nil || !c.occlusion.Hides(poseBC.Rotate(alongC)) {
			radiance, irradiance, white = s.along(poseWC.Rotate(alongC))
		}
		out.Mean, out.Light = out.Mean.Add(radiance), out.Light.Add(irradiance)
		if white {
			out.White++
		}
	}
	share := 1 / float64(max(len(c.metered), 1))
	out.Mean, out.Light, out.White = out.Mean.Mul(float32(share)), out.Light.Mul(float32(share)), out.White*share
	return out
}

// sight is the surroundings of a camera at one position: the light, the boards and the bodies.
type sight struct {
	lighting
	boards *boards
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

// along returns the radiance that comes from a direction in W, and the irradiance of the surface in that direction. The
// result white is true if this surface is a lamp or a window that is brighter than white.
func (s *sight) along(alongW mgl64.Vec3) (radiance, irradiance mgl32.Vec3, white bool) {
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
	if floor := -s.fromW[2] / alongW[2]; math.IsInf(far, 1) || alongW[2] < 0 && floor <= far {
		return s.hall(s.fromW, alongW)
	}
	at := s.fromW.Add(alongW.Mul(far))
	irradiance = s.upright(at)
	return product(grey, irradiance), irradiance, false
}

func product(a, b mgl32.Vec3) mgl32.Vec3 { return mgl32.Vec3{a[0] * b[0], a[1] * b[1], a[2] * b[2]} }
