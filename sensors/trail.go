package sensors

import (
	"math"
	"time"

	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
)

// Trail holds the poses of a scene's bodies at the latest steps, for sensors whose measurement takes longer than a
// step.
type Trail struct {
	past []moment // earliest first
}

// moment is the poses of all bodies at one instant.
type moment struct {
	at      time.Duration
	posesWB []spatial.Pose
}

// Next adds an instant and returns where its poses belong, which the caller must set. If the Trail has poses of the
// same instant, these are replaced. Next forgets what is not needed for instants up to the given time back.
func (t *Trail) Next(at, back time.Duration) (posesWB *[]spatial.Pose) {
	n := len(t.past)
	if n == 0 || t.past[n-1].at != at {
		var next moment
		for len(t.past) > 1 && t.past[1].at <= at-back {
			next = t.past[0] // its memory is reused
			t.past = append(t.past[:0], t.past[1:]...)
		}
		next.at = at
		t.past = append(t.past, next)
	}
	return &t.past[len(t.past)-1].posesWB
}

// Clear forgets everything.
func (t *Trail) Clear() { t.past = t.past[:0] }

// Around returns the poses of all bodies at the latest step before an instant and at the next step, and how far the
// instant is from the former to the latter, from 0 to 1. Before the first step that the Trail knows, nothing moved.
func (t *Trail) Around(at time.Duration) (from, to []spatial.Pose, share float64) {
	for i := len(t.past) - 1; i > 0; i-- {
		if a, b := &t.past[i-1], &t.past[i]; a.at <= at {
			return a.posesWB, b.posesWB, min(float64(at-a.at)/float64(b.at-a.at), 1)
		}
	}
	return t.past[0].posesWB, t.past[0].posesWB, 1
}

// Exchange saves or restores the poses of the bodies that may move. To restore, it needs the present poses of all
// bodies of the scene.
func (t *Trail) Exchange(c *keyframe.Codec, scene *render.Scene, now []spatial.Pose) {
	latest := time.Duration(math.MinInt64)
	keyframe.Slice(c, &t.past, func(m *moment, c *keyframe.Codec) {
		c.Duration(&m.at)
		c.Check(m.at > latest, "has poses at %v after those at %v", m.at, latest)
		latest = m.at
		if c.Restoring() {
			m.posesWB = append(m.posesWB[:0], now...)
		}
		for i := range m.posesWB {
			if !scene.Bodies[i].Static {
				c.Pose(&m.posesWB[i].Pos, &m.posesWB[i].Rot)
			}
		}
	})
}
