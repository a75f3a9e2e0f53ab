package output

import (
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"
	"golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/sensors"
)

// Picture is an image with a name.
type Picture struct {
	Name string // above, or ROBOT.SENSOR
	image.Image
}

// Moment draws the present state of a simulation, in the light that there is now: the field from above, with the robots' names, and what some
// cameras (ROBOT.SENSOR) see, at a level without images with what they report. It belongs to the goroutine that steps.
func Moment(sim *omnipitch.Sim, cameras []string) ([]Picture, error) {
	renderer, err := sim.NewRenderer()
	if err != nil {
		return nil, err
	}
	defer renderer.Close()
	posesWB := sim.Scenery().Poses(sim.Truth(), nil)
	draw := func(v render.View) (*render.Image, error) {
		w, h := v.Model.Size()
		v.Color = render.NewImage(w, h)
		return v.Color, renderer.Render(&render.Batch{PosesWB: posesWB, Shading: sim.Scenery().Shading(), Views: []render.View{v}})
	}
	view := viewFromAbove(sim)
	field, err := draw(view)
	if err != nil {
		return nil, err
	}
	above := ColorPicture(field)
	nameBodies(above, &view, sim)
	pictures := []Picture{{"above", above}}
	for number, r := range sim.World().Robots {
		for i := range r.Sensors {
			name := r.Name + "." + r.Sensors[i].Name
			camera, ok := sim.Camera(r.Name, r.Sensors[i].Name)
			if !ok || !slices.Contains(cameras, name) {
				continue
			}
			seen, err := cameraPicture(sim, r.Name, camera, func() (*render.Image, error) {
				return draw(camera.View(abstraction.Ideal, &sensors.Instant{Snapshot: sim.Truth(), Robot: number}))
			})
			if err != nil {
				return nil, err
			}
			pictures = append(pictures, Picture{name, seen})
		}
	}
	return pictures, nil
}

// cameraPicture draws what a camera delivers at the level that it has: its image, or what it reports over the ideal one.
func cameraPicture(sim *omnipitch.Sim, robot string, camera *sensors.Camera, ideal func() (*render.Image, error)) (image.Image, error) {
	sensor := camera.Config().Name
	level, err := sim.Level(robot, sensor)
	if err != nil {
		return nil, err
	}
	o, err := sim.Capture(robot, sensor, level)
	if err != nil {
		return nil, err
	}
	defer o.Release()
	if o.Color != nil {
		return ColorPicture(o.Color), nil
	}
	m, err := ideal()
	switch {
	case err != nil:
		return nil, err
	case o.Objects != nil:
		return overlay(m, camera, o.Objects), nil
	case o.Features != nil:
		return featuresOverlay(m, o.Features), nil
	}
	return ColorPicture(m), nil // a level of the user's own
}

// viewFromAbove looks down on the field, x to the right and y up, from so high that robots are seen from nearly straight above.
func viewFromAbove(sim *omnipitch.Sim) render.View {
	const width, height, margin = 960, 40, 0.5 // pixels, m, m
	f := &sim.World().Field
	x, y := f.Length/2+f.Border+margin, f.Width/2+f.Border+margin
	model := optics.PinholeFromFOV(width, int(math.Round(width*y/x)), 2*math.Atan(x/height))
	pose := spatial.RPY(mgl64.Vec3{0, 0, height}, 0, math.Pi/2, math.Pi/2).Mul(spatial.BodyToOptical())
	return render.View{Model: model, PoseWC: pose}
}

// nameBodies draws a ring around the ball and each robot in its team's colour, and writes the robots' names and the sim time.
func nameBodies(m *image.NRGBA, view *render.View, sim *omnipitch.Sim) {
	poseCW := view.PoseWC.Inverse()
	ring := func(posW mgl64.Vec3, radius float64, c color.NRGBA) (right image.Point) {
		const points = 180
		for k := range points {
			sin, cos := math.Sincos(2 * math.Pi * float64(k) / points)
			if u, v, ok := view.Model.Project(poseCW.Apply(posW.Add(mgl64.Vec3{radius * cos, radius * sin, 0}))); ok {
				p := image.Pt(int(math.Round(u)), int(math.Round(v)))
				dot(m, p.X, p.Y, c)
				if k == 0 {
					right = p
				}
			}
		}
		return right
	}
	write := func(at image.Point, text string) {
		d := font.Drawer{Dst: m, Src: image.White, Face: basicfont.Face7x13, Dot: fixed.P(at.X, at.Y)}
		d.DrawString(text)
	}
	truth := sim.Truth()
	for i, r := range sim.World().Robots {
		const around = 0.4 // m
		c := kindColor(&abstraction.Detection{Kind: abstraction.RobotKind, Team: string(r.Team)})
		write(ring(truth.Robots[i].PoseWB.Pos, around, c).Add(image.Pt(6, 4)), r.Name)
	}
	ring(truth.Ball.PosW, 0.25, kindColor(&abstraction.Detection{Kind: abstraction.BallKind}))
	write(image.Pt(6, 14), fmt.Sprintf("%.3f s", truth.Time.Seconds()))
}

// WritePicture writes a picture into the folder, as NAME.png, and returns the file's name.
func (o *Folder) WritePicture(name string, m image.Image) (file string, err error) {
	file = name + ".png"
	return file, o.failed(o.writePNG(file, m, png.DefaultCompression))
}

// Remove removes a file that has been written into the folder.
func (o *Folder) Remove(file string) error { return o.failed(o.root.Remove(file)) }
