package window

import (
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/viewer"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/scenery"
)

// state is the content of one frame, copied by the goroutine that steps. Data of overlays that are off is missing.
type state struct {
	world    *worlds.World
	scenery  *scenery.Scenery
	truth    physics.Snapshot
	poses    []spatial.Pose // poses of the scene's bodies
	shading  *render.Shading
	replayed time.Duration // time since the start of the recorded run
	// the robot's camera whose image the window shows, ROBOT.SENSOR; empty for the window's own camera
	through  string
	view     render.View // view of the camera that the field through names
	contacts []contact
	eyes     []spatial.Pose // poses poseWC of the cameras, in the order of feeds.cameras
	plans    [][]mgl64.Vec2 // planned waypoints of the robots' players
}

// contact is the most recent contact of two bodies.
type contact struct {
	physics.Touch
	at time.Duration // sim time
}

// contactTime is the sim time for which a contact is shown. 0.3 s is a guess: the contact of a bouncing ball lasts for
// only a step or two, too short to be seen.
const contactTime = 300 * time.Millisecond

// stepping is what the goroutine that steps needs: the user's current choices, and memory of earlier steps.
type stepping struct {
	wanted   atomic.Bool // reports whether the next state is wanted
	overlays [viewer.Overlays]atomic.Bool
	through  atomic.Pointer[string] // the robot's camera that the window shows
	contacts []contact
	track    track
}

// want requests the next state.
func (x *stepping) want(through string, v *viewer.Viewer) {
	if was := x.through.Load(); was == nil || *was != through {
		x.through.Store(&through)
	}
	for o := range x.overlays {
		x.overlays[o].Store(v.Shows(viewer.Overlay(o)))
	}
	x.wanted.Store(true)
}

// shows reports whether an overlay is on.
func (x *stepping) shows(o viewer.Overlay) bool { return x.overlays[o].Load() }

// update runs after each step.
func (s *screen) update(now *physics.Snapshot) {
	x := &s.stepping
	if x.shows(viewer.Contacts) {
		x.recordContacts(now)
	}
	if x.shows(viewer.Rays) {
		x.track.add(now)
	}
	if x.wanted.Swap(false) {
		s.copyState()
	}
}

// recordContacts keeps the latest contact of each pair of bodies and forgets old ones.
func (x *stepping) recordContacts(now *physics.Snapshot) {
	kept := x.contacts[:0]
	for _, c := range x.contacts {
		if age := now.Time - c.at; age >= 0 && age < contactTime && !touches(now, &c.Touch) {
			kept = append(kept, c)
		}
	}
	for _, t := range now.Touches {
		kept = append(kept, contact{t, now.Time})
	}
	x.contacts = kept
}

// touches reports whether the two bodies of a contact touch now.
func touches(now *physics.Snapshot, t *physics.Touch) bool {
	for i := range now.Touches {
		if now.Touches[i].A == t.A && now.Touches[i].B == t.B {
			return true
		}
	}
	return false
}

// copyState copies the present state. Only the goroutine that steps may call it, or any goroutine before the first
// step.
func (s *screen) copyState() {
	s.mu.Lock()
	defer s.mu.Unlock()
	to, sim, x := &s.newest, s.sim, &s.stepping
	s.fresh = true
	to.world, to.scenery = sim.World(), sim.Sensors().Scenery()
	truth := sim.Truth()
	truth.CopyTo(&to.truth)
	to.poses, to.shading = to.scenery.Poses(truth, to.poses), to.scenery.Shading()
	if s.replay != nil {
		to.replayed = s.replay.Now()
	}
	to.through, to.view = "", render.View{}
	if through := x.through.Load(); through != nil && *through != "" {
		to.through = *through
		to.view = s.viewOf(*through)
	}
	to.contacts, to.eyes = to.contacts[:0], to.eyes[:0]
	if x.shows(viewer.Contacts) {
		to.contacts = append(to.contacts, x.contacts...)
	}
	if x.shows(viewer.Fields) {
		for _, name := range s.feeds.images.names {
			view := s.viewOf(name)
			to.eyes = append(to.eyes, view.PoseWC)
		}
	}
	if len(to.plans) != len(truth.Robots) {
		to.plans = make([][]mgl64.Vec2, len(truth.Robots))
	}
	for i := range to.plans {
		if to.plans[i] = to.plans[i][:0]; x.shows(viewer.Paths) {
			to.plans[i] = sim.Match().PlayerWaypoints(i, to.plans[i])
		}
	}
}

// viewOf returns the view of a robot's camera in the present state, given its name ROBOT.SENSOR, or a view
// without a model if there is no such camera.
func (s *screen) viewOf(name string) render.View {
	robot, sensor, _ := strings.Cut(name, ".")
	camera, ok := s.sim.Sensors().Camera(robot, sensor)
	if !ok {
		return render.View{}
	}
	for i := range s.newest.world.Robots {
		if s.newest.world.Robots[i].Name == robot {
			return camera.View(abstraction.Ideal, &sensors.Instant{Snapshot: s.sim.Truth(), Robot: i})
		}
	}
	return render.View{}
}

// refresh makes the newest state the shown one. It returns the message to show, if any.
func (s *screen) refresh() (said string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fresh {
		s.newest, s.shown, s.fresh = s.shown, s.newest, false
	}
	if s.saidFor > 0 {
		s.saidFor--
		return s.said
	}
	return ""
}
