package locate

import (
	"time"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
)

// history is the number of odometry readings that are remembered, because images arrive late. At 100 Hz the readings
// cover 0.6 s.
const history = 64

// again is a jump back in time. If the stamps jump back by at least this much, the world has restarted.
const again = time.Second

type reading struct {
	stamp time.Duration
	pose  Pose
}

// Wheels remember recent odometry poses.
type Wheels struct {
	ring  [history]reading
	count int // of all readings, including those that were overwritten
}

// Add records a reading. It ignores a reading that is older than the newest reading. If the reading is older by a
// second, however, the world has restarted. Then Add forgets all earlier readings and returns true.
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

// At returns the odometry pose at a stamp, interpolated between readings. It returns false if the pose is unknown.
func (w *Wheels) At(stamp time.Duration) (Pose, bool) {
	for k := w.count - 1; k >= 0 && k >= w.count-history; k-- {
		r := &w.ring[k%history]
		if r.stamp > stamp {
			continue
		}
		if k == w.count-1 {
			return r.pose, stamp-r.stamp < 100*time.Millisecond // the robot has hardly moved since the reading
		}
		next := &w.ring[(k+1)%history]
		share := float64(stamp-r.stamp) / float64(next.stamp-r.stamp)
		return Pose{r.pose.Pos.Add(next.pose.Pos.Sub(r.pose.Pos).Mul(share)), r.pose.Heading +
			share*pitch.Wrap(next.pose.Heading-r.pose.Heading)}, true
	}
	return Pose{}, false
}

// newest returns the pose of the newest reading, or false if there is no reading.
func (w *Wheels) newest() (Pose, bool) {
	if w.count == 0 {
		return Pose{}, false
	}
	return w.ring[(w.count-1)%history].pose, true
}

// Known reports whether there has been a reading.
func (w *Wheels) Known() bool { return w.count > 0 }
