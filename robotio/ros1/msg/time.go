package msg

import (
	"fmt"
	"math"
	"time"
)

// Time is a ROS time: seconds and nanoseconds since the epoch, or since the start of the simulation if use_sim_time is
// set.
type Time struct{ Sec, Nsec uint32 }

// TimeFrom converts the time since the start of the simulation. ROS has no times before 0 and after 2^32 s: d is
// clamped.
func TimeFrom(d time.Duration) Time {
	d = max(d, 0)
	if d/time.Second > math.MaxUint32 {
		return Time{math.MaxUint32, uint32(time.Second - 1)}
	}
	return Time{uint32(d / time.Second), uint32(d % time.Second)}
}

// Since returns the time since 0.
func (t Time) Since() time.Duration {
	return time.Duration(t.Sec)*time.Second + time.Duration(t.Nsec)
}

// String returns seconds with nine decimals.
func (t Time) String() string { return fmt.Sprintf("%d.%09d", t.Sec, t.Nsec) }

// Duration is a ROS duration: Sec + Nsec·1e-9 s, Nsec in [0, 1e9) and Sec possibly negative.
type Duration struct{ Sec, Nsec int32 }
