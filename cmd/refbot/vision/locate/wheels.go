package locate

import (
	"time"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
)

// history is how many odometry readings are remembered: 0.6 s at 100 Hz, for images that come late.
const history = 64

// again is by how much time goes back when the world has begun again.
const again = time.Second

type reading struct {
	stamp time.Duration
	pose  Pose
}

// Wheels remember where a robot was lately by its odometry, in a frame of its own.
type Wheels struct {
	ring  [history]reading
	count int // of all readings
}

// Add takes in a reading. A message that was overtaken is left out. When time has gone back the world has begun again:
// then what was before is forgotten, and it returns true.
func (w *Wheels) Add(stamp time.Duration, p Pose) (began bool) {
	if w.count > 0 {
		switch back := w.ring[(w.count-1)%history].stamp - stamp; {
		case back > again:
			w.count, began = 0, true
		case back >= 0:
			return false
		}
	}
	w.ring[w.count%history] = reading{stamp, p}
	w.count++
	return began
}

// At returns where the robot was at a time, between two readings; false if that is not known.
func (w *Wheels) At(stamp time.Duration) (Pose, bool) {
	for k := w.count - 1; k >= 0 && k >= w.count-history; k-- {
		r := &w.ring[k%history]
		if r.stamp > stamp {
			continue
		}
		if k == w.count-1 {
			return r.pose, stamp-r.stamp < 100*time.Millisecond // it has hardly moved since
		}
		next := &w.ring[(k+1)%history]
		share := float64(stamp-r.stamp) / float64(next.stamp-r.stamp)
		return Pose{r.pose.Pos.Add(next.pose.Pos.Sub(r.pose.Pos).Mul(share)), r.pose.Heading +
			share*pitch.Wrap(next.pose.Heading-r.pose.Heading)}, true
	}
	return Pose{}, false
}

// newest returns the newest reading; false if there is none.
func (w *Wheels) newest() (Pose, bool) {
	if w.count == 0 {
		return Pose{}, false
	}
	return w.ring[(w.count-1)%history].pose, true
}

// Known tells whether there has been a reading.
func (w *Wheels) Known() bool { return w.count > 0 }
