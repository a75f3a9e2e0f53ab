package track

import (
	"sync/atomic"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// Recorder is an engine that passes its states to a log: each state that Snapshot returns first, after steps and after
// bodies were placed.
type Recorder struct {
	physics.Engine
	model   *physics.Model
	episode int
	next    atomic.Pointer[Log] // for later steps
	log     *Log
	changed bool // the state is not logged yet
	settled bool
}

var _ physics.Settler = (*Recorder)(nil)

// NewRecorder returns a recorder that wraps an engine of a model, at its start. Its states are an episode of the log,
// which must be one later than the log's last. The log may be nil.
func NewRecorder(engine physics.Engine, model *physics.Model, episode int, log *Log) *Recorder {
	r := &Recorder{Engine: engine, model: model, episode: episode, log: log, changed: true}
	r.next.Store(log)
	return r
}

// To sends the states of later steps to another log, or to none if log is nil. All states of one step go to the same
// log. Any goroutine may call it.
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
	r.settled = !changed // else the next state is the one that is observed
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
