package track

import (
	"sync/atomic"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// Recorder is an engine that wraps another engine and passes its states to a log: the state after each step and after
// bodies were placed, as the first call of Snapshot returns it.
type Recorder struct {
	physics.Engine
	model   *physics.Model
	episode int
	next    atomic.Pointer[Log] // the log for later steps
	log     *Log
	changed bool // the state is not logged yet
	settled bool
}

var _ physics.Settler = (*Recorder)(nil)

// NewRecorder returns a recorder that wraps an engine of a model. The engine must be at its start. The recorder's
// states are an episode of the log, with a higher index than the log's last episode. The log may be nil.
func NewRecorder(engine physics.Engine, model *physics.Model, episode int, log *Log) *Recorder {
	r := &Recorder{Engine: engine, model: model, episode: episode, log: log, changed: true}
	r.next.Store(log)
	return r
}

// To sends the states of later steps to another log. If the argument is nil, these states are sent to no log. All
// states of one step go to the same log. Any goroutine may call it.
func (r *Recorder) To(log *Log) { r.next.Store(log) }

// Step implements physics.Engine.
func (r *Recorder) Step(commands []physics.Command) error {
	err := r.Engine.Step(commands)
	if err == nil {
		r.log, r.changed, r.settled = r.next.Load(), true, false
	}
	return err
}

// Snapshot implements physics.Engine.
func (r *Recorder) Snapshot(s *physics.Snapshot) {
	r.Engine.Snapshot(s)
	if !r.changed {
		return
	}
	r.changed = false
	if r.log != nil {
		r.log.put(s, r.settled, r)
	}
}

// Settle implements physics.Settler.
func (r *Recorder) Settle() bool {
	changed := false
	if s, ok := r.Engine.(physics.Settler); ok {
		changed = s.Settle()
		r.changed = r.changed || changed
	}
	r.settled = !changed // otherwise the next state is the observed state
	return changed
}

// PlaceRobot implements physics.Engine.
func (r *Recorder) PlaceRobot(robot int, poseWB spatial.Pose, twistWBInW spatial.Twist) error {
	return r.placed(r.Engine.PlaceRobot(robot, poseWB, twistWBInW))
}

// PlaceObstacle implements physics.Engine.
func (r *Recorder) PlaceObstacle(obstacle int, poseWO spatial.Pose, twistWOInW spatial.Twist) error {
	return r.placed(r.Engine.PlaceObstacle(obstacle, poseWO, twistWOInW))
}

// PlaceBall implements physics.Engine.
func (r *Recorder) PlaceBall(posW mgl64.Vec3, twistInW spatial.Twist) error {
	return r.placed(r.Engine.PlaceBall(posW, twistInW))
}

func (r *Recorder) placed(err error) error {
	r.changed = r.changed || err == nil
	return err
}
