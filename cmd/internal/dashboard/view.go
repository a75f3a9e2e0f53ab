package dashboard

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
)

// viewJSON describes a sensor's field of view.
type viewJSON struct {
	Robot  string  `json:"robot"`
	Sensor string  `json:"sensor"`
	Kind   string  `json:"kind"`
	Range  float64 `json:"range_m,omitempty"` // measuring range; 0: no limit
	// angle between the centres of the image's upper and lower edges; only of a camera through which the page can look
	FOV    float64 `json:"fov_deg,omitempty"`
	Aspect float64 `json:"aspect,omitempty"` // width of the camera's image divided by its height
	// unit vectors around the field of view, in the sensor's frame: for cameras z forward, x right, y down, for others
	// x forward, z up
	Outline [][3]float64 `json:"outline"`
}

// Numbers of directions in an outline: along each side of an image, around a mirror or a cone, and along a laser's
// scan.
const (
	alongSide = 6
	around    = 32
)

// view is a sensor's field of view and pose.
type view struct {
	json  viewJSON
	robot int
	mount spatial.Pose // pose on the robot; not used for a camera
}

// poseBS returns the pose of the sensor's frame on the robot. Only the goroutine that steps may call it. It looks up
// the camera each time, because a restarted world has new cameras.
func (v *view) poseBS(sim *omnipitch.Sim) spatial.Pose {
	if camera, ok := sim.Sensors().Camera(v.json.Robot, v.json.Sensor); ok {
		return camera.PoseBC()
	}
	return v.mount
}

// viewsOf returns the fields of view of a world's sensors.
func viewsOf(sim *omnipitch.Sim, w *worlds.World) (all []view) {
	for i := range w.Robots {
		r := &w.Robots[i]
		for k := range r.Sensors {
			c := &r.Sensors[k]
			v := view{json: viewJSON{Robot: r.Name, Sensor: c.Name, Kind: string(c.Kind), Outline: [][3]float64{}},
				robot: i, mount: c.Mount.Pose()}
			model, ok := sim.Sensors().Model(r.Name, c.Name)
			switch {
			case ok:
				v.json.image(model, c)
			case c.Laser != nil:
				v.json.scan(c.Laser)
			case c.Sonar != nil:
				v.json.cone(c.Sonar)
			}
			if len(v.json.Outline) > 0 { // a sensor without an outline has no field of view
				all = append(all, v)
			}
		}
	}
	return all
}

func (v *viewJSON) add(d mgl64.Vec3) {
	v.Outline = append(v.Outline, [3]float64{rounded(d[0]), rounded(d[1]), rounded(d[2])})
}

func (v *viewJSON) scan(l *sensors.Laser) {
	v.Range = l.Max
	for i := range around + 1 {
		sin, cos := math.Sincos(l.FOV * (float64(i)/around - 0.5))
		v.add(mgl64.Vec3{cos, sin, 0})
	}
}

func (v *viewJSON) cone(c *sensors.Sonar) {
	v.Range = c.Max
	side, ahead := math.Sincos(c.Angle / 2)
	for i := range around {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / around)
		v.add(mgl64.Vec3{ahead, side * cos, side * sin})
	}
}

// image fills v with the field of view of a camera. It leaves out directions that the optics do not image.
func (v *viewJSON) image(model optics.Model, c *sensors.Config) {
	if c.Ranging != nil {
		v.Range = c.Ranging.Max
	}
	look := func(x, y float64) {
		if d, ok := model.Unproject(x, y); ok {
			v.add(d)
		}
	}
	if m, ok := model.(optics.Catadioptric); ok {
		p := c.Image.Pinhole()
		for i := range around {
			const within = 0.999 // fraction of the distance from the centre to the rim
			sin, cos := math.Sincos(2 * math.Pi * float64(i) / around)
			look(p.CX+within*m.RimPixels()*cos, p.CY+within*m.RimPixels()*sin*p.FY/p.FX)
		}
		return
	}
	width, height := model.Size()
	right, low := float64(width)-0.5, float64(height)-0.5
	corners := [...][2]float64{{-0.5, -0.5}, {right, -0.5}, {right, low}, {-0.5, low}}
	for side, from := range corners {
		to := corners[(side+1)%len(corners)]
		for i := range alongSide {
			t := float64(i) / alongSide
			look(from[0]+t*(to[0]-from[0]), from[1]+t*(to[1]-from[1]))
		}
	}
	middle := float64(width-1) / 2
	top, ok := model.Unproject(middle, -0.5)
	bottom, ok2 := model.Unproject(middle, low)
	if ok && ok2 {
		v.FOV, v.Aspect = rounded(math.Acos(mgl64.Clamp(top.Dot(bottom), -1, 1))/spatial.Degree),
			rounded(float64(width)/float64(height))
	}
}
