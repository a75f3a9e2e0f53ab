//go:build cgo

package scenery_test

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/engine"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/render/models"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/render/shapes"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/scenery"
)

// `make verify-levels` sets it to a larger number.
var propPoses = flag.Int("props", 3, "random poses near each prop, at which sensors are compared")

// agreement is how far depth images, lasers and contacts may disagree about the distance of a prop, m. The body of a
// prop may be that much larger than its surface; the bodies of walls, boxes and cylinders are their surfaces.
const agreement, placeAgreement = 0.02, 0.01

// around has what a robot of a world with props sees in all directions.
type around struct {
	t       *testing.T
	model   *physics.Model
	scenery *scenery.Scenery
	render  render.Renderer
	laser   sensors.Sensor
	targets *sensors.Targets
	within  float64         // agreement
	prop    map[uint16]bool // labels of props
}

const columns = 720 // of a view of 90°

// newAround keeps of a world the field, one robot, and the props.
func newAround(t *testing.T, w *worlds.World) *around {
	w.Robots, w.Obstacles, w.Boards = w.Robots[:1], nil, nil
	w.Hall.Bystanders, w.Hall.Clutter, w.Hall.Balls = 0, 0, nil // which only images show
	w.Ball.X, w.Ball.Y = -8.5, -5.5
	w.Field.WallHeight = 0.05
	a := &around{t: t, model: w.Model(), within: agreement, prop: map[uint16]bool{}}
	a.scenery = scenery.New(w, a.model)
	a.render = must.Get(backend.RayCaster(a.scenery.Scene))(t)
	t.Cleanup(a.render.Close)
	laser := &sensors.Config{Name: "laser", Kind: "laser", Level: abstraction.Truth}
	laser.Complete()
	laser.Laser.FOV, laser.Laser.Resolution, laser.Laser.Min, laser.Laser.Max = 2*math.Pi, 0.5*spatial.Degree, 0, 200
	must.Do(t, laser.Validate())
	a.laser = must.Get(sensors.New(laser, sensors.Site{Robot: &a.model.Robots[0], Model: a.model}))(t)
	a.targets = sensors.NewTargets(a.model, a.scenery.Bodies(render.Brightness{Even: 1}))
	for i := range a.scenery.Scene.Bodies {
		for k := range a.model.Props {
			if a.scenery.Scene.Bodies[i].Name == a.model.Props[k].Name {
				a.prop[render.LabelBody+uint16(i)] = true
			}
		}
	}
	return a
}

// image returns the pixel labels and distances that four cameras at a place see. Each camera looks in another direction
// and has one row of pixels.
func (a *around) image(from mgl64.Vec3, now *physics.Snapshot) (views [4]*render.Truth) {
	model := optics.Pinhole{Width: columns, Height: 1, FX: columns / 2, FY: columns / 2, CX: (columns - 1) / 2.}
	b := render.Batch{PosesWB: a.scenery.Poses(now, nil)}
	for i := range views {
		views[i] = render.NewTruth(columns, 1)
		pose := spatial.RPY(from, 0, 0, float64(i)*math.Pi/2).Mul(spatial.BodyToOptical())
		var hidden []render.Hidden
		robot := a.scenery.Robot(0)
		for _, p := range a.scenery.Scene.Bodies[robot].Parts {
			hidden = append(hidden, render.Hidden{Body: robot, Part: p.Name})
		}
		b.Views = append(b.Views, render.View{Model: model, PoseWC: pose, Truth: views[i], Hidden: hidden})
	}
	must.Do(a.t, a.render.Render(&b))
	return views
}

// checkLaser compares a scan with images. The scan must lie between the distances of pixels whose rays pass within
// agreement of the beam's end.
func (a *around) checkLaser(pose spatial.Pose, height float64) (compared int) {
	now := a.model.Start()
	now.Robots[0].PoseWB = pose
	a.laser.Config().Mount.Z = height
	laser := must.Get(sensors.New(a.laser.Config(), sensors.Site{Robot: &a.model.Robots[0], Model: a.model}))(a.t)
	a.targets.Invalidate()
	env := a.targets.Of(0, now)
	obs := sensors.Observation{Level: abstraction.Truth}
	laser.Observe(&sensors.Instant{Snapshot: now, Environment: &env}, &obs)
	scan := obs.Reading.(*sensors.LaserScan)
	from := pose.Pos.Add(mgl64.Vec3{0, 0, height})
	if a.inside(from[0], from[1]) {
		return 0
	}
	var views [3][4]*render.Truth
	for i := range views {
		views[i] = a.image(from.Add(mgl64.Vec3{0, 0, float64(i-1) * a.within}), now)
	}
	for i, got := range scan.Ranges {
		bearing := scan.First + float64(i)*scan.Step + pose.Heading()
		view := int(math.Round(bearing/(math.Pi/2))) & 3
		off := spatial.WrapAngle(bearing - float64(view)*math.Pi/2)
		at := int(math.Round((columns-1)/2. - columns/2*math.Tan(off)))
		least, most, foreign := math.Inf(1), 0.0, false
		steps := 0.0 // between neighbouring pixels of one surface: a corner may lie between them
		wide := 2 + int(columns/2*a.within/got)
		for _, v := range views {
			for u := max(at-wide, 0); u <= min(at+wide, columns-1); u++ {
				r := float64(v[view].Range[u])
				switch label := v[view].Labels[u]; {
				case a.prop[label]:
				case label == render.LabelHall && a.model.Field.Bare():
				case label < render.LabelBody: // no laser sees a hall that boards hide
					r = math.Inf(1)
				default:
					foreign = true
				}
				if step := math.Abs(r - float64(v[view].Range[max(u-1, 0)])); step < 0.5 {
					steps = max(steps, step)
				}
				least, most = min(least, r), max(most, r)
			}
		}
		if foreign || math.IsInf(least, 1) && math.IsInf(got, 1) {
			continue
		}
		compared++
		if !(got >= least-a.within && got <= most+a.within+steps) {
			a.t.Errorf("from %.3f towards %.1f°: laser %.3f m, image %.3f to %.3f m", from, bearing/spatial.Degree, got,
				least, most)
			return compared
		}
	}
	return compared
}

// checkContact compares whether a robot at a place touches a prop with the distance of the nearest thing in images at
// all heights of the robot.
func (a *around) checkContact(e physics.Engine, x, y float64) (compared bool) {
	now := a.model.Start()
	body := &a.model.Robots[0].Body
	nearest, other := math.Inf(1), math.Inf(1)
	for z := 0.03; z < body.Height; z += 0.03 {
		for _, v := range a.image(mgl64.Vec3{x, y, z}, now) {
			for u, label := range v.Labels {
				if a.prop[label] {
					nearest = min(nearest, float64(v.Range[u]))
				} else {
					other = min(other, float64(v.Range[u]))
				}
			}
		}
	}
	if a.inside(x, y) {
		return false // an image does not show what the camera is in, or straight above it
	}
	if math.Abs(nearest-body.Radius) < a.within || other < body.Radius+a.within {
		return false
	}
	must.Do(a.t, e.PlaceRobot(0, spatial.Planar(x, y, 0), spatial.Twist{}))
	must.Do(a.t, e.Step(make([]physics.Command, 1)))
	e.Snapshot(now)
	if got, want := len(now.Touches) > 0, nearest < body.Radius; got != want {
		a.t.Errorf("%s, robot at (%.3f, %.3f): touches %v, want %v: the nearest thing in images is %.3f m away, and the "+
			"robot's radius is %.3f m", a.model.Config.Engine, x, y, got, want, nearest, body.Radius)
	}
	return true
}

// inside reports whether a place is in a prop, or above or below one.
func (a *around) inside(x, y float64) bool {
	for i := range a.model.Props {
		for _, b := range a.model.Props[i].Boxes {
			d := spatial.Planar(0, 0, b.Heading).Unrotate(mgl64.Vec3{x, y, 0}.Sub(b.Centre))
			if math.Abs(d[0]) < b.Half[0]+a.within && math.Abs(d[1]) < b.Half[1]+a.within {
				return true
			}
		}
	}
	return false
}

// check compares at random poses near each prop.
func (a *around) check(poses int) {
	rnd := rand.New(rand.NewPCG(1, 2))
	beams, touches := 0, 0
	for _, name := range []string{"ode", "planar"} {
		model := *a.model
		model.Config.Engine = name
		model.Robots[0].Pose = spatial.Planar(0, -5, 0)
		e := must.Get(engine.New(&model))(a.t)
		defer e.Close()
		for i := range a.model.Props {
			p := &a.model.Props[i]
			for range poses {
				b := &p.Boxes[rnd.IntN(len(p.Boxes))]
				bearing, distance := rnd.Float64()*2*math.Pi, rnd.Float64()*2
				sin, cos := math.Sincos(bearing)
				x, y := b.Centre[0]+distance*cos, b.Centre[1]+distance*sin
				inside := math.Abs(x) < a.model.Field.Length/2 && math.Abs(y) < a.model.Field.Width/2+1
				if name == "ode" && distance > 0.5 {
					beams += a.checkLaser(spatial.Planar(x, y, rnd.Float64()), 0.06+rnd.Float64())
				}
				if inside && a.model.InReach(p) && a.checkContact(e, x, y) {
					touches++
				}
			}
		}
	}
	a.t.Logf("%d beams, %d contacts", beams, touches)
	if beams < 10*poses {
		a.t.Errorf("compared %d beams, want at least %d", beams, 10*poses)
	}
}

// Depth images, lasers and contacts agree about the props of all shipped worlds.
func TestSensorsAgreeAboutShippedProps(t *testing.T) {
	tested := 0
	for _, s := range worlds.Shipped() {
		if s.Kind != "world" {
			continue
		}
		w := must.Get(worlds.Load(s.Name))(t)
		props := w.Props[:0]
		for i := range w.Props {
			if w.Props[i].Collides {
				props = append(props, w.Props[i])
			}
		}
		if w.Props = props; len(props) > 0 {
			tested++
			t.Run(s.Name, func(t *testing.T) { newAround(t, w).check(*propPoses) })
		}
	}
	if tested == 0 {
		t.Error("no shipped world has props")
	}
}

// The same holds for props of other shapes.
func TestSensorsAgreeAboutProps(t *testing.T) {
	at := func(m render.Mesh, x, y, z float64) render.Mesh {
		return shapes.Transform(m, spatial.Translation(mgl64.Vec3{x, y, z}))
	}
	for name, c := range map[string]struct {
		mesh render.Mesh
		hang string
	}{
		"door":   {at(shapes.Box(0.04, 0.9, 2), 0, 0, 1), "x_m = 1.8, yaw_deg = 20"},
		"column": {shapes.Cylinder(0.25, 1.2, 32), "x_m = 1, y_m = 1"},
		"table": {shapes.Join(at(shapes.Box(1.2, 0.8, 0.04), 0, 0, 0.7),
			at(shapes.Box(0.06, 0.06, 0.7), 0.5, 0.3, 0.35), at(shapes.Box(0.06, 0.06, 0.7), -0.5, 0.3, 0.35),
			at(shapes.Box(0.06, 0.06, 0.7), 0.5, -0.3, 0.35), at(shapes.Box(0.06, 0.06, 0.7), -0.5, -0.3, 0.35)),
			"x_m = -1, y_m = 1, yaw_deg = 33"},
		"hexagon":      {shapes.Prism(shapes.Polygon(6, 0.4), 0, 0.5, 0), "x_m = -1, y_m = -2, yaw_deg = 5"},
		"ball":         {shapes.Sphere(0.3, 3), "x_m = 1, y_m = 1, z_m = 0.3"},
		"tilted plate": {shapes.Box(1, 0.6, 0.05), "x_m = 1, y_m = 1, z_m = 0.5, pitch_deg = 40, yaw_deg = 100"},
		"lying column": {shapes.Cylinder(0.25, 1.2, 32),
			"x_m = 2, y_m = 1, z_m = 0.25, pitch_deg = 90, yaw_deg = 70"},
	} {
		t.Run(name, func(t *testing.T) {
			var s render.Scene
			s.Add(name, &render.Group{Meshes: []render.Mesh{c.mesh}, Materials: []render.Material{{}},
				Parts: []render.Part{{PoseBP: spatial.Identity()}}})
			data := must.Get(models.Write(&s, []spatial.Pose{spatial.Identity()}))(t)
			folder := must.Dir(t, map[string]string{"prop.glb": string(data), "world.toml": fmt.Sprintf(`name = "props"
[[robot]]
name = "cyan1"
model = "nubot"
pose = { x_m = -6 }
[[prop]]
name = "prop"
file = "prop.glb"
hang = { %s }
`, c.hang)})
			w := must.Get(worlds.Load(filepath.Join(folder, "world.toml")))(t)
			t.Log(w.DescribeProps())
			newAround(t, w).check(3 * *propPoses)
		})
	}
}

// Depth images, lasers and contacts agree about walls, boxes and cylinders within a centimetre.
func TestSensorsAgreeAboutPlaces(t *testing.T) {
	const place = `name = "place"
[[robot]]
name = "cyan1"
model = "nubot"
pose = { x_m = -8, y_m = 5 }
[[wall]]
points = [[-7, -2], [3, -1.2], [3, -5], [6, -3]]
opening = [{ at_m = 4 }, { at_m = 6.5, width_m = 1.4, bottom_m = 0.5, top_m = 0.9 }]
[[wall]]
points = [[-5, 3], [-2, 3], [-2, 5]]
closed = true
height_m = 0.7
thickness_m = 0.3
[[box]]
name = "shelf"
pose = { x_m = 1, y_m = 2, heading_deg = 30 }
size_m = [1, 0.4, 2]
[[box]]
name = "board"
pose = { x_m = 5, y_m = 3, heading_deg = -20 }
z_m = 0.6
size_m = [1.4, 0.3, 0.05]
[[cylinder]]
name = "column"
pose = { x_m = 4, y_m = 1 }
radius_m = 0.3
height_m = 2.5
[[cylinder]]
name = "bin"
pose = { x_m = -1, y_m = 0.5 }
radius_m = 0.15
height_m = 0.4
`
	w := must.Get(worlds.Parse("place.toml", []byte(place)))(t)
	a := newAround(t, w)
	a.within = placeAgreement
	a.check(*propPoses)
}
