package locate

import "time"

// history is the number of stored readings. Images arrive late, so they need older readings. At 100 Hz the readings
// cover 0.6 s.
const history = 64

// again is the least jump back of stamps that shows that the world has restarted.
const again = time.Second

// Reading is a value that a sensor reports at stamps.
type Reading[T any] interface {
	// Toward returns the value at a share of the time from this reading to the next one. A share above 1 extrapolates.
	Toward(next T, share float64) T
}

// Readings remember the recent readings of a sensor. The zero value has none.
type Readings[T Reading[T]] struct {
	Ahead time.Duration // how long after the newest reading At extrapolates
	ring  [history]struct {
		stamp time.Duration
		value T
	}
	count int // number of all readings, including readings that were overwritten
}

// Add records a reading. It ignores a reading that is older than the newest reading by less than again. A jump back by
// again or more means that the world has restarted. Then Add forgets all earlier readings and returns true.
func (r *Readings[T]) Add(stamp time.Duration, value T) (began bool) {
	if r.count > 0 {
		switch back := r.ring[(r.count-1)%history].stamp - stamp; {
		case back > again:
			r.count, began = 0, true
		case back >= 0:
			return false
		}
	}
	last := &r.ring[r.count%history]
	last.stamp, last.value = stamp, value
	r.count++
	return began
}

// At returns the value at a stamp, interpolated between readings, or extrapolated from the last two. It returns false
// if the value is unknown.
func (r *Readings[T]) At(stamp time.Duration) (value T, ok bool) {
	for k := r.count - 1; k >= 0 && k >= r.count-history; k-- {
		last := &r.ring[k%history]
		if last.stamp > stamp {
			continue
		}
		if k == r.count-1 {
			if k == 0 || stamp-last.stamp > r.Ahead {
				return last.value, stamp-last.stamp < 100*time.Millisecond // it has hardly changed since the reading
			}
			last = &r.ring[(k-1)%history]
			k--
		}
		next := &r.ring[(k+1)%history]
		return last.value.Toward(next.value, float64(stamp-last.stamp)/float64(next.stamp-last.stamp)), true
	}
	return value, false
}

// Newest returns the newest reading and its stamp, or false if there is none.
func (r *Readings[T]) Newest() (stamp time.Duration, value T, ok bool) {
	if r.count == 0 {
		return 0, value, false
	}
	last := &r.ring[(r.count-1)%history]
	return last.stamp, last.value, true
}
