package omnipitch

import (
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// A frame at truth has no delay, but is delivered after the earlier frames at objects. It still shows the time of its
// capture, which is then several steps ago.
func TestTruthBehindSlowFramesTellsOfItsInstant(t *testing.T) {
	s, _ := attack(t, func(w *worlds.World) {
		front, _ := w.Sensor("cyan1", "front")
		front.Level, front.Latency, front.Vision.Delay = abstraction.Objects, 0, 150*time.Millisecond
	})
	if err := s.Do(&action.Place{Name: "ball", X: 1, Y: 1, VX: 3, VY: -1}); err != nil {
		t.Fatal(err)
	}
	balls := map[time.Duration]mgl64.Vec3{}
	late := 0
	_, err := s.Listen("cyan1", "front", Listener{Observe: func(o *sensors.Observation) {
		if o.Level != abstraction.Truth {
			return
		}
		if s.Truth().Time-o.Stamp > 20*time.Millisecond {
			late++
		}
		if off := o.Objects.Detections[0].PosB.Sub(balls[o.Stamp]).Len(); !(off <= 1e-9) {
			t.Errorf("the frame of %v, delivered at %v, has the ball %v m off", o.Stamp, s.Truth().Time, off)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	s.OnStep(func(now *physics.Snapshot) {
		balls[now.Time] = now.Robots[0].PoseWB.Inverse().Apply(now.Ball.PosW)
	})
	steps(t, s, 60)
	if err := s.Do(&action.SetLevel{Robot: "cyan1", Sensor: "front", Level: abstraction.Truth}); err != nil {
		t.Fatal(err)
	}
	steps(t, s, 60)
	if late == 0 {
		t.Error("no frame waited for those before it")
	}
}
