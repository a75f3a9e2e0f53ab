package assess

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/sensors"
)

// eye computes which things the vision's camera can see. It does so in the same way as the levels without images.
type eye struct {
	camera  *sensors.Camera
	robot   int
	targets *sensors.Targets
}

func newEye(sim *omnipitch.Sim, model *physics.Model, camera *sensors.Camera, robot int) *eye {
	return &eye{camera, robot, sensors.NewTargets(model, sim.Sensors().Scenery().Bodies(sim.Sensors().Brightness()))}
}

// thing is the ball or an obstacle at a given time.
type thing struct {
	kind    Kind
	name    string
	team    string
	posB    mgl64.Vec3 // the ball's centre, or an obstacle's centre on the floor
	velW    mgl64.Vec3
	radius  float64 // horizontal
	visible float64 // visible fraction of the thing's silhouette, 0 to 1
	light   float64 // illumination relative to the camera's exposure, in stops above a common hall's
}

// look appends all things at a given time, with their visibility in a frame taken at that time.
func (e *eye) look(at *physics.Snapshot, f *frame, all []thing) []thing {
	e.targets.SetLight(f.brightness) // also makes targets read the state again, which may be between two steps
	env := e.targets.Of(e.robot, at)
	env.Exposure = f.amplification
	view := e.camera.Viewpoint(&sensors.Instant{Snapshot: at, Robot: e.robot})
	view.PoseWC = at.Robots[e.robot].PoseWB.Mul(f.poseBC)
	poseBW := at.Robots[e.robot].PoseWB.Inverse()
	for i := range env.Targets {
		t := &env.Targets[i]
		if t == env.Self || t.Kind == abstraction.PostKind {
			continue
		}
		x := thing{kind: Obstacles, name: t.Name, team: t.Team, posB: poseBW.Apply(t.PoseWT.Pos), velW: t.VelW,
			radius:  t.Shape.Radius,
			visible: view.Visible(&env, i), light: stops((env.Light + t.Light) * f.amplification)}
		if t.Kind == abstraction.BallKind {
			x.kind = Ball
		}
		if x.radius == 0 {
			x.radius = math.Hypot(t.Shape.SizeX, t.Shape.SizeY) / 2
		}
		all = append(all, x)
	}
	return all
}

// lightAt returns the illumination of the floor at the robot, in stops.
func (e *eye) lightAt(at *physics.Snapshot, f *frame) float64 {
	p := &at.Robots[e.robot].PoseWB.Pos
	return stops((f.brightness.Even + f.brightness.Spots(p[0], p[1])) * f.amplification)
}

// stops returns the base-2 logarithm of a relative brightness.
func stops(light float64) float64 {
	if light <= 0 {
		return math.Inf(-1)
	}
	return math.Log2(light)
}
