package track

import (
	"slices"
	"time"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
)

// Guesses of how robots move, how they are seen, and when one is believed to be there.
const (
	bodyAccel   = 3.0                    // m/s², between two images
	bodyFastest = 2.0                    // m/s, of one of which nothing is known
	bodyError   = 0.06                   // m, standard deviation of a place along an axis
	bodyJump    = 0.5                    // m from where it was expected, at most
	bodyForget  = 300 * time.Millisecond // without any image of it it is gone
	believed    = 3                      // images that have shown it
)

// Body is what stands or drives on the field.
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

// Obstacles are the tracks of obstacles. The zero value has seen none.
type Obstacles struct {
	tracks []body
	found  []Body
	at     time.Duration
	free   []bool // of what an image shows: no track has it
}

// See takes in what an image of a stamp shows, whose velocities do not count, and returns what is seen in it and was
// before, lent until the next call.
func (o *Obstacles) See(stamp time.Duration, seen []Body) []Body {
	if stamp < o.at { // time has begun again
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
			b.begin(seen[i].Pos, bodyError*bodyError, bodyFastest)
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

// match gives tracks what is seen, the nearest pair first.
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
