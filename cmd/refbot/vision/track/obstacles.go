package track

import (
	"slices"
	"time"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
)

// Guesses about the motion and the detection of robots.
const (
	bodyAccel   = 3.0                    // m/s², standard deviation of the acceleration between two images
	bodyFastest = 2.0                    // m/s, standard deviation of the velocity of a new track
	bodyError   = 0.06                   // m, standard deviation of a detected position along an axis
	bodyJump    = 0.5                    // m, largest distance of a detection from the predicted position
	bodyForget  = 300 * time.Millisecond // a track without detections for this time is dropped
	believed    = 3                      // number of detections after which a track is reported
)

// Body is a robot or an obstacle on the field.
type Body struct {
	Pos, Vel pitch.Vec // m, m/s
	Radius   float64   // m
}

// body is a track.
type body struct {
	filter
	radius float64
	images int
	seen   time.Duration
}

// Obstacles are the tracks of obstacles. The zero value has none.
type Obstacles struct {
	tracks []body
	found  []Body
	at     time.Duration
	free   []bool // for each detection, whether it belongs to no track yet
}

// See processes the detections in an image, and ignores their velocities. It returns the confirmed tracks to which a
// detection in this image belongs. The result is lent until the next call.
func (o *Obstacles) See(stamp time.Duration, seen []Body) []Body {
	if stamp < o.at { // time has restarted
		o.tracks = o.tracks[:0]
	}
	dt := (stamp - o.at).Seconds()
	o.at = stamp
	o.free = o.free[:0]
	for range seen {
		o.free = append(o.free, true)
	}
	for i := range o.tracks {
		o.tracks[i].predict(dt, bodyAccel)
	}
	o.match(seen)
	o.tracks = slices.DeleteFunc(o.tracks, func(b body) bool {
		return b.seen < stamp && b.images < believed || stamp-b.seen > bodyForget
	})
	for i := range seen {
		if o.free[i] {
			b := body{radius: seen[i].Radius, images: 1, seen: stamp}
			b.start(seen[i].Pos, bodyError*bodyError, bodyFastest)
			o.tracks = append(o.tracks, b)
		}
	}
	o.found = o.found[:0]
	for i := range o.tracks {
		if b := &o.tracks[i]; b.images >= believed && b.seen == stamp {
			o.found = append(o.found, Body{b.pos, b.vel, b.radius})
		}
	}
	return o.found
}

// match assigns detections to tracks. It starts with the pair of a detection and a track that are closest to each
// other.
func (o *Obstacles) match(seen []Body) {
	for {
		track, shown, least := -1, -1, bodyJump
		for i := range o.tracks {
			for j := range seen {
				if d := pitch.Distance(o.tracks[i].pos, seen[j].Pos); o.free[j] && o.tracks[i].seen < o.at &&
					d < least {
					track, shown, least = i, j, d
				}
			}
		}
		if track < 0 {
			return
		}
		b := &o.tracks[track]
		b.correct(seen[shown].Pos, bodyError*bodyError)
		b.radius, b.seen, b.images = seen[shown].Radius, o.at, b.images+1
		o.free[shown] = false
	}
}
