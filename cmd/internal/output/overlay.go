package output

import (
	"image"
	"image/color"
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/sensors"
)

// overlay returns a dimmed copy of the image m, with a ring around the position of each object in the list. The colour
// of a ring shows the kind of the object.
func overlay(m *render.Image, camera *sensors.Camera, list *abstraction.ObjectList) *image.NRGBA {
	p := dimmed(m)
	poseCB := camera.PoseBC().Inverse()
	for i := range list.Detections {
		d := &list.Detections[i]
		const around = 0.25 // radius in metres, about that of a robot
		r := around
		if d.Kind == abstraction.BallKind {
			r = 0.15
		}
		const points = 720
		for k := range points {
			s, c := math.Sincos(2 * math.Pi * float64(k) / points)
			u, v, ok := camera.Model().Project(poseCB.Apply(d.PosB.Add(mgl64.Vec3{r * c, r * s, 0})))
			if ok {
				dot(p, int(math.Round(u)), int(math.Round(v)), kindColor(d))
			}
		}
	}
	return p
}

// dimmed returns an image at half brightness.
func dimmed(m *render.Image) *image.NRGBA {
	p := ColorPicture(m)
	for i := range p.Pix {
		if i%4 != 3 {
			p.Pix[i] /= 2
		}
	}
	return p
}

func dot(p *image.NRGBA, x, y int, c color.NRGBA) {
	for dy := range 2 {
		for dx := range 2 {
			if pt := (image.Point{X: x + dx, Y: y + dy}); pt.In(p.Rect) {
				p.SetNRGBA(pt.X, pt.Y, c)
			}
		}
	}
}

func kindColor(d *abstraction.Detection) color.NRGBA {
	switch {
	case d.Kind == abstraction.BallKind:
		return color.NRGBA{255, 210, 0, 255}
	case d.Team == "cyan":
		return color.NRGBA{0, 220, 255, 255}
	case d.Team == "magenta":
		return color.NRGBA{255, 0, 220, 255}
	case d.Kind == abstraction.PostKind:
		return color.NRGBA{255, 255, 255, 255}
	}
	return color.NRGBA{255, 60, 40, 255}
}
