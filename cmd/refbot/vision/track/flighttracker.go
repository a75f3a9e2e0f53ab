package track

import (
	"time"

	"github.com/go-gl/mathgl/mgl64"
)

// BallSighting is a position at which the ball may have been seen.
type BallSighting struct {
	Stamp      time.Duration
	Pos        mgl64.Vec3 // centre, m
	Covariance mgl64.Mat3 // m²

	info mgl64.Mat3
}

// Sightings are kept for sightingMemory. In that time, two cameras at 30 Hz can each give two sightings per image.
const (
	sightingMemory = 1200 * time.Millisecond
	maxSightings   = 160
)

// FlightTracker keeps recent sightings of the ball and fits its flight.
type FlightTracker struct {
	seen  [maxSightings]BallSighting // oldest first
	count int
}

// Add records a sighting. It ignores a sighting with a degenerate covariance.
func (t *FlightTracker) Add(s BallSighting) {
	if det := s.Covariance.Det(); !(det > 0) {
		return
	}
	s.info = s.Covariance.Inv()
	t.forget(s.Stamp)
	if t.count == maxSightings {
		t.count = copy(t.seen[:], t.seen[1:])
	}
	at := t.count
	for at > 0 && t.seen[at-1].Stamp > s.Stamp { // a late sighting of another camera
		t.seen[at] = t.seen[at-1]
		at--
	}
	t.seen[at] = s
	t.count++
}

// forget drops old sightings. If time has gone back by more than sightingMemory, the world has restarted, and forget
// drops all sightings.
func (t *FlightTracker) forget(now time.Duration) {
	if t.count > 0 && t.seen[t.count-1].Stamp-now > sightingMemory {
		t.count = 0
	}
	old := 0
	for old < t.count && now-t.seen[old].Stamp > sightingMemory {
		old++
	}
	if old > 0 {
		t.count = copy(t.seen[:], t.seen[old:t.count])
	}
}

// A path is proposed from a pair of sightings. The later sighting of the pair is at most newestWithin older than the
// newest sighting. The earlier sighting is at least pathInterval older than the later sighting.
const (
	newestWithin = 70 * time.Millisecond // two images
	pathInterval = 60 * time.Millisecond
)

// pathPartners is about how many earlier sightings are combined with each of the newest sightings. It bounds the work.
const pathPartners = 40

// onPath is the largest distance from a proposed path at which a sighting still supports the path, in m. onPath is
// about the error, at a later time, of a path through two positions with errors of 5 mm.
const onPath = 0.08

// Least evidence for a flight. Guesses.
const (
	leastImages = 5
	leastSpan   = 0.12 // s
	leastHeight = 0.15 // m, least height of the highest sighting, measured from the height of a ball on the floor
	// least difference between χ² of a straight path and χ² of the flight; the flight is then e¹² times as likely
	leastBetter = 25
	mostMisfit  = 6 // χ² per degree of freedom
)

// Flight returns the path of the ball, fitted to the recent sightings. ok is false if the sightings do not show that
// the ball is in the air.
func (t *FlightTracker) Flight(now time.Duration) (f Flight, ok bool) {
	t.forget(now)
	seen := t.seen[:t.count]
	if len(seen) < leastImages {
		return f, false
	}
	guess, ok := proposeFlight(seen)
	if !ok {
		return f, false
	}
	used := flightMembers(seen, &guess)
	if f, ok = fitFlight(used, guess, 1); !ok || f.Images < leastImages || f.span < leastSpan ||
		f.highest < leastHeight+radius || f.misfit > mostMisfit {
		return f, false
	}
	straight, ok := fitFlight(used, guess, 0)
	return f, ok && straight.chi2-f.chi2 > leastBetter
}

// proposeFlight tries paths through many pairs of sightings. It returns the path that the other sightings support most.
func proposeFlight(seen []BallSighting) (best Flight, ok bool) {
	last := seen[len(seen)-1].Stamp
	most := 0.0
	for j := len(seen) - 1; j >= 0 && last-seen[j].Stamp <= newestWithin; j-- {
		for i := 0; i < j; i += 1 + len(seen)/pathPartners {
			dt := (seen[j].Stamp - seen[i].Stamp).Seconds()
			if dt < pathInterval.Seconds() {
				break
			}
			middle := seen[j].Pos.Sub(seen[i].Pos).Mul(1 / dt)
			if middle.Len() > fastestKick {
				continue
			}
			a := acceleration(middle, 1) // assumed constant
			f := Flight{Stamp: seen[j].Stamp, Pos: seen[j].Pos, Vel: middle.Add(a.Mul(dt / 2))}
			if sum := flightSupport(seen, &f, a); sum > most {
				best, most, ok = f, sum, true
			}
		}
	}
	return best, ok
}

// flightSupport returns how well the sightings support a path, as a sum over all sightings. A sighting on the path adds
// 1, and a sighting at the distance onPath or more adds 0.
func flightSupport(seen []BallSighting, f *Flight, a mgl64.Vec3) (sum float64) {
	for k := range seen {
		s := &seen[k]
		t := float64(s.Stamp-f.Stamp) * 1e-9
		x := f.Pos[0] + t*(f.Vel[0]+t/2*a[0]) - s.Pos[0]
		y := f.Pos[1] + t*(f.Vel[1]+t/2*a[1]) - s.Pos[1]
		z := f.Pos[2] + t*(f.Vel[2]+t/2*a[2]) - s.Pos[2]
		if e := (x*x + y*y + z*z) / (onPath * onPath); e < 1 {
			sum += 1 - e
		}
	}
	return sum
}

// fastestKick is a speed above that of any kick, in m/s.
const fastestKick = 20.0

// flightMembers returns the sightings that may belong to the flight f: the first sighting on the path and all later
// sightings. Sightings before a kick or a bounce are not on the path.
func flightMembers(seen []BallSighting, f *Flight) []BallSighting {
	first := len(seen)
	pos, vel, at := f.Pos, f.Vel, f.Stamp
	for i := len(seen) - 1; i >= 0; i-- {
		pos, vel = integrate(pos, vel, (seen[i].Stamp - at).Seconds(), 1)
		at = seen[i].Stamp
		switch {
		case pos.Sub(seen[i].Pos).Len() < 2*onPath:
			first = i
		case pos[2] < radius: // the path was below the floor then
			return seen[first:]
		}
	}
	return seen[first:]
}
