package play

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/internal/legs"
)

// footing is the feet of a robot. Unless the Bodies know their forces, its legs follow a gait, or it slides as a whole.
type footing struct {
	robot, first int // first is the index of the left foot in Snapshot.Feet
	feet         [2]physics.Foot
	weight       float64             // of the robot, N
	still        [2]physics.FootLoad // of a robot that stands as at the start
	forces       bool                // the Bodies know the forces
}

// newFootings returns the feet of all robots of a model.
func newFootings(model *physics.Model, start *physics.Snapshot, jointed bool) (all []footing) {
	first := 0
	for i := range model.Robots {
		r := &model.Robots[i]
		feet, ok := r.Feet()
		if !ok {
			continue
		}
		f := footing{robot: i, first: first, feet: feet, forces: jointed && r.Drive.Level == physics.JointsDrive}
		f.stand(model, model.JointsOf(i, start))
		all, first = append(all, f), first+2
	}
	return all
}

// stand sets the loads of a robot that stands still as at the start: both feet hold its centre of mass.
func (f *footing) stand(model *physics.Model, states []physics.JointState) {
	r := &model.Robots[f.robot]
	com, mass := legs.CentreOfMass(r, states)
	f.weight = mass * model.Config.Gravity
	var soles [2]mgl64.Vec3
	for k, foot := range f.feet {
		moved := r.Moved(foot.Joint, states)
		soles[k] = moved.Apply(foot.SoleB)
	}
	left := 0.5
	if gap := soles[0][1] - soles[1][1]; gap > 0 {
		left = mgl64.Clamp((com[1]-soles[1][1])/gap, 0, 1)
	}
	for k, share := range [2]float64{left, 1 - left} {
		f.still[k] = f.load(k, share, com[0]-soles[k][0])
	}
}

// load returns the load of a foot that carries a share of the weight, at a distance ahead of its middle or at its edge.
func (f *footing) load(foot int, share, ahead float64) physics.FootLoad {
	if share <= 0 {
		return physics.FootLoad{}
	}
	half := f.feet[foot].Half[0]
	return physics.FootLoad{Force: share * f.weight, Pressure: mgl64.Vec2{mgl64.Clamp(ahead, -half, half), 0}}
}

// walking returns the loads of a robot at level walk. Its frame R moves evenly, so that the pressure is below the
// centre of mass.
func (f *footing) walking(w *walker) (loads [2]physics.FootLoad) {
	for k, share := range w.gait.Loads(&w.state) {
		sole := &w.state.Feet[k]
		loads[k] = f.load(k, share, (w.walk.TrunkForward-sole.X)*math.Cos(sole.Yaw))
	}
	return loads
}

// loadFeet sets the loads of the feet of robots whose forces the Bodies do not know.
func (e *Engine) loadFeet() {
	for i := range e.footings {
		f := &e.footings[i]
		if f.forces {
			continue
		}
		var loads [2]physics.FootLoad
		w, pose := e.walkers[f.robot], &e.now.Robots[f.robot].PoseWB
		switch upright := pose.Rotate(mgl64.Vec3{0, 0, 1})[2] > math.Cos(lying); {
		case e.absent[f.robot] || !upright:
		case w == nil:
			loads = f.still
		case w.fall.motion == onFeet:
			loads = f.walking(w)
		}
		copy(e.now.Feet[f.first:], loads[:])
	}
}
