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

// state is what the window shows at one instant, copied by the goroutine that steps. What no overlay asks for is not
// there.
type state struct {
	world    *worlds.World
	scenery  *scenery.Scenery
	truth    physics.Snapshot
	poses    []spatial.Pose // of the scene's bodies
	shading  *render.Shading
	replayed time.Duration // since the recorded run began
	through  string        // the robot's camera that the window shows, ROBOT.SENSOR; empty: its own
	view     render.View   // of that
	contacts []contact
	eyes     []spatial.Pose // poseWC of the cameras, in the order of feeds.cameras
	plans    [][]mgl64.Vec2 // of the robots' players
}

// contact is where two bodies have touched last.
type contact struct {
	physics.Touch
	at time.Duration // sim time
}

// contactTime is how long a contact is shown, sim time: a ball that bounces touches for a step or two. A guess.
const contactTime = 300 * time.Millisecond

// stepping is what the goroutine that steps knows of the user's wishes, and keeps from step to step.
type stepping struct {
	wanted   atomic.Bool // the next state
	overlays [viewer.Overlays]atomic.Bool
	through  atomic.Pointer[string] // the robot's camera that the window shows
	contacts []contact
	track    track
	shapes   shapes // of the world that runs
}

// want tells which state is to come next.
func (x *stepping) want(through string, v *viewer.Viewer) {
	if was := x.through.Load(); was == nil || *was != through {
		x.through.Store(&through)
	}
	for o := range x.overlays {
		x.overlays[o].Store(v.Shows(viewer.Overlay(o)))
	}
	x.wanted.Store(true)
}

// shows tells whether an overlay is wanted.
func (x *stepping) shows(o viewer.Overlay) bool { return x.overlays[o].Load() }

// update follows a step.
func (s *screen) update(now *physics.Snapshot) {
	x := &s.stepping
	if x.shows(viewer.Contacts) {
		x.touch(now)
	}
	if x.shows(viewer.Rays) {
		x.track.add(now)
	}
	if x.wanted.Swap(false) {
		s.take()
	}
}

// touch keeps a step's contacts, the latest of each two bodies, and forgets old ones.
func (x *stepping) touch(now *physics.Snapshot) {
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

// touches tells whether the two bodies of a contact touch now.
func touches(now *physics.Snapshot, t *physics.Touch) bool {
	for i := range now.Touches {
		if now.Touches[i].A == t.A && now.Touches[i].B == t.B {
			return true
		}
	}
	return false
}

// take copies the present state. The goroutine that steps calls it, or who has a simulation that does not run yet.
func (s *screen) take() {
	s.mu.Lock()
	defer s.mu.Unlock()
	to, sim, x := &s.newest, s.sim, &s.stepping
	s.fresh = true
	to.world, to.scenery = sim.World(), sim.Scenery()
	truth := sim.Truth()
	truth.CopyTo(&to.truth)
	to.poses, to.shading = to.scenery.Poses(truth, to.poses), to.scenery.Shading()
	if s.replay != nil {
		to.replayed = s.replay.Now()
	}
	to.through, to.view = "", render.View{}
	if through := x.through.Load(); through != nil && *through != "" {
		to.through = *through
		to.view, _ = s.viewOf(*through)
	}
	to.contacts, to.eyes = to.contacts[:0], to.eyes[:0]
	if x.shows(viewer.Contacts) {
		to.contacts = append(to.contacts, x.contacts...)
	}
	if x.shows(viewer.Fields) {
		for _, name := range s.feeds.cameras {
			view, _ := s.viewOf(name)
			to.eyes = append(to.eyes, view.PoseWC)
		}
	}
	if len(to.plans) != len(truth.Robots) {
		to.plans = make([][]mgl64.Vec2, len(truth.Robots))
	}
	for i := range to.plans {
		if to.plans[i] = to.plans[i][:0]; x.shows(viewer.Paths) {
			to.plans[i] = sim.Plan(i, to.plans[i])
		}
	}
}

// viewOf returns what a robot's camera, ROBOT.SENSOR, would draw now.
func (s *screen) viewOf(name string) (view render.View, ok bool) {
	robot, sensor, _ := strings.Cut(name, ".")
	camera, ok := s.sim.Camera(robot, sensor)
	if !ok {
		return view, false
	}
	for i := range s.newest.world.Robots {
		if s.newest.world.Robots[i].Name == robot {
			return camera.View(abstraction.Ideal, &sensors.Instant{Snapshot: s.sim.Truth(), Robot: i}), true
		}
	}
	return view, false
}

// refresh has the newest state be the one that is shown, and returns what is to be said, if anything.
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
