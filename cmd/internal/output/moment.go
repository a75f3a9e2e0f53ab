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
	Name string // "above", or ROBOT.SENSOR
	image.Image
}

// Moment renders images of the current state of a simulation, with its current light. The first image is a view of the
// field from above, with the areas of the world and the names of bodies. The other images are the views of the given
// cameras, named ROBOT.SENSOR. If the level of a camera has no images, the camera's output is drawn over the image of
// level ideal. Only the goroutine that steps the simulation may call Moment.
func Moment(sim *omnipitch.Sim, cameras []string) ([]Picture, error) {
	renderer, err := sim.Sensors().NewRenderer()
	if err != nil {
		return nil, err
	}
	defer renderer.Close()
	posesWB := sim.Sensors().Scenery().Poses(sim.Truth(), nil)
	draw := func(v render.View) (*render.Image, error) {
		w, h := v.Model.Size()
		v.Color = render.NewImage(w, h)
		return v.Color, renderer.Render(&render.Batch{PosesWB: posesWB, Shading: sim.Sensors().Scenery().Shading(),
			Views: []render.View{v}})
	}
	view := viewFromAbove(sim)
	field, err := draw(view)
	if err != nil {
		return nil, err
	}
	plan := plan{ColorPicture(field), view.Model, view.PoseWC.Inverse()}
	plan.annotate(sim)
	pictures := []Picture{{"above", plan.m}}
	for number, r := range sim.World().Robots {
		for i := range r.Sensors {
			name := r.Name + "." + r.Sensors[i].Name
			camera, ok := sim.Sensors().Camera(r.Name, r.Sensors[i].Name)
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

// cameraPicture returns the output of a camera at its current level as an image. If the level has no images, the output
// is drawn over the image of level ideal, which the function ideal renders.
func cameraPicture(sim *omnipitch.Sim, robot string, camera *sensors.Camera, ideal func() (*render.Image, error)) (
	image.Image, error) {
	sensor := camera.Config().Name
	level, err := sim.Sensors().Level(robot, sensor)
	if err != nil {
		return nil, err
	}
	o, err := sim.Sensors().Capture(robot, sensor, level)
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
	return ColorPicture(m), nil // a level that a user has defined
}

// WritePicture writes the image m to the file NAME.png and returns the name of the file.
func (o *Folder) WritePicture(name string, m image.Image) (file string, err error) {
	file = name + ".png"
	return file, o.failed(o.writePNG(file, m, png.DefaultCompression))
}

// Remove removes a file that was written into the folder.
func (o *Folder) Remove(file string) error { return o.failed(o.root.Remove(file)) }

// plan is an image of the field from above. Its methods draw annotations into the image.
type plan struct {
	m      *image.NRGBA
	model  optics.Model
	poseCW spatial.Pose
}

// borderColor is the colour of the borders of areas.
var borderColor = color.NRGBA{235, 235, 235, 255}

// viewFromAbove returns a view straight down on the field, with x to the right and y up. The viewpoint is so high that
// robots are seen nearly straight from above.
func viewFromAbove(sim *omnipitch.Sim) render.View {
	const width, height, margin = 960, 40, 0.5 // pixels, m, m
	f := &sim.World().Field
	x, y := f.Length/2+f.Border+margin, f.Width/2+f.Border+margin
	model := optics.PinholeFromFOV(width, int(math.Round(width*y/x)), 2*math.Atan(x/height))
	pose := spatial.RPY(mgl64.Vec3{0, 0, height}, 0, math.Pi/2, math.Pi/2).Mul(spatial.BodyToOptical())
	return render.View{Model: model, PoseWC: pose}
}

// annotate draws the dotted border of each area of the world. It draws a ring around the ball and around each robot, in
// the colour of the robot's team. It writes the names of areas, robots and obstacles, and the sim time.
func (p *plan) annotate(sim *omnipitch.Sim) {
	truth, world := sim.Truth(), sim.World()
	for i := range world.Areas {
		a := &world.Areas[i]
		top := image.Pt(0, p.m.Rect.Max.Y)
		for _, at := range dots(a.Border(180), 0.15) {
			if at, ok := p.pixelOf(at); ok {
				dot(p.m, at.X, at.Y, borderColor)
				if at.Y < top.Y || at.Y == top.Y && at.X < top.X {
					top = at
				}
			}
		}
		p.write(top.Add(image.Pt(4, -4)), a.Name)
	}
	for i, o := range world.AllObstacles() {
		if at, ok := p.pixelOf(truth.Obstacles[i].PoseWO.Pos); ok {
			p.write(at.Add(image.Pt(18, 4)), o.Name)
		}
	}
	for i, r := range world.Robots {
		const around = 0.4 // radius of a robot's ring in metres
		c := kindColor(&abstraction.Detection{Kind: abstraction.RobotKind, Team: string(r.Team)})
		p.write(p.ring(truth.Robots[i].PoseWB.Pos, around, c).Add(image.Pt(6, 4)), r.Name)
	}
	if !world.Ball.Absent {
		p.ring(truth.Ball.PosW, 0.25, kindColor(&abstraction.Detection{Kind: abstraction.BallKind}))
	}
	p.write(image.Pt(6, 14), fmt.Sprintf("%.3f s", truth.Time.Seconds()))
}

// pixelOf returns the pixel that shows a point in the world frame. It returns false if the point cannot be projected
// into the image plane.
func (p *plan) pixelOf(posW mgl64.Vec3) (image.Point, bool) {
	u, v, ok := p.model.Project(p.poseCW.Apply(posW))
	return image.Pt(int(math.Round(u)), int(math.Round(v))), ok
}

// ring draws a circle around a point in the world frame. The radius is in metres. ring returns the rightmost pixel of
// the circle.
func (p *plan) ring(posW mgl64.Vec3, radius float64, c color.NRGBA) (right image.Point) {
	const points = 180
	for k := range points {
		sin, cos := math.Sincos(2 * math.Pi * float64(k) / points)
		if at, ok := p.pixelOf(posW.Add(mgl64.Vec3{radius * cos, radius * sin, 0})); ok {
			dot(p.m, at.X, at.Y, c)
			if k == 0 {
				right = at
			}
		}
	}
	return right
}

// write writes a line of text. The text's base line begins at the pixel start. Text that would leave the image is
// shifted into it.
func (p *plan) write(start image.Point, text string) {
	d := font.Drawer{Dst: p.m, Src: image.White, Face: basicfont.Face7x13}
	start.X = max(min(start.X, p.m.Rect.Max.X-d.MeasureString(text).Ceil()), p.m.Rect.Min.X)
	start.Y = max(min(start.Y, p.m.Rect.Max.Y-basicfont.Face7x13.Descent), p.m.Rect.Min.Y+basicfont.Face7x13.Ascent)
	d.Dot = fixed.P(start.X, start.Y)
	d.DrawString(text)
}

// dots returns points on the floor along the closed line through the corners. The argument spacing is the maximum
// distance between neighbouring points, in metres. Each side has at least one point.
func dots(corners [][2]float64, spacing float64) (all []mgl64.Vec3) {
	for i, corner := range corners {
		a, b := mgl64.Vec2(corner), mgl64.Vec2(corners[(i+1)%len(corners)])
		n := math.Max(1, math.Ceil(b.Sub(a).Len()/spacing))
		for k := range int(n) {
			all = append(all, a.Add(b.Sub(a).Mul(float64(k)/n)).Vec3(0))
		}
	}
	return all
}
