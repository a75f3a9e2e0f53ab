package assess

import (
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/sensors"
)

// frame is one image of the camera, with the vision's messages about it.
type frame struct {
	number        uint64
	stamp         time.Duration
	poseBC        spatial.Pose // of the camera
	amplification float64      // factor by which exposure and gain amplify the light
	brightness    render.Brightness
	seen          *sensors.Observation // retained observation; nil if the frame has no image
	messages      []message
}

// release releases the image.
func (f *frame) release() {
	if f.seen != nil {
		f.seen.Release()
		f.seen = nil
	}
}

// answered reports whether a message about the frame has arrived on a topic.
func (f *frame) answered(topic int) bool {
	for i := range f.messages {
		if f.messages[i].topic == topic {
			return true
		}
	}
	return false
}

// frames are the frames that may still be answered, oldest first.
type frames struct {
	waiting []*frame
	period  time.Duration // of the camera
	bytes   int           // total size of the images of waiting frames
}

// maxImages is the largest total size of the images of waiting frames, in bytes. If it is exceeded, the oldest images
// are released. The value is a guess: three seconds of a common camera.
const maxImages = 96 << 20

func (w *frames) add(f *frame) {
	w.waiting = append(w.waiting, f)
	w.bytes += f.size()
	for _, old := range w.waiting {
		if w.bytes <= maxImages {
			break
		}
		w.bytes -= old.size()
		old.release()
	}
}

// size returns the size of the frame's image, in bytes.
func (f *frame) size() int {
	if f.seen == nil || f.seen.Color == nil {
		return 0
	}
	return len(f.seen.Color.Pix)
}

// take removes and returns the oldest frame if its stamp is at or before limit. Otherwise it returns nil.
func (w *frames) take(limit time.Duration) *frame {
	if len(w.waiting) == 0 || w.waiting[0].stamp > limit {
		return nil
	}
	f := w.waiting[0]
	w.waiting[0] = nil
	w.waiting = w.waiting[1:]
	w.bytes -= f.size()
	return f
}

// frameFor returns the frame that a message is about. This is the frame with the message's stamp. If there is none, it
// is the last frame at most one and a half periods before the stamp, unless a message about that frame has already
// arrived on the topic. Otherwise frameFor returns nil.
func (w *frames) frameFor(m *message) *frame {
	const same = time.Microsecond // tolerance for stamps that are sent as floating-point numbers
	for i := len(w.waiting) - 1; i >= 0; i-- {
		f := w.waiting[i]
		switch late := m.stamp - f.stamp; {
		case late >= -same && late <= same:
			return f
		case late > w.period*3/2:
			return nil
		case late > 0 && !f.answered(m.topic):
			return f
		}
	}
	return nil
}

// instant is a frame with the truth at its time.
type instant struct {
	*frame
	truth  physics.Snapshot
	things []thing
}

// hold is the maximum time from the capture of a frame to the arrival of a message about it. 2 s is a guess: longer
// than any vision needs.
const hold = 2 * time.Second

// maxHistory is the largest number of states that are kept. It matters only in worlds with very short steps.
const maxHistory = 1 << 12

// history is a ring buffer of the states of the last seconds.
type history struct {
	ring    []physics.Snapshot
	next, n int // index of the next write, and number of states
}

func newHistory(step time.Duration) history {
	return history{ring: make([]physics.Snapshot, min(int((hold+hold/4)/step)+2, maxHistory))}
}

// add stores a state.
func (h *history) add(now *physics.Snapshot) {
	bare := *now
	bare.Touches, bare.Events = nil, nil
	bare.CopyTo(&h.ring[h.next])
	h.next = (h.next + 1) % len(h.ring)
	h.n = min(h.n+1, len(h.ring))
}

func (h *history) clear() { h.n = 0 }

// back returns the i-th state before the last one; for i = 0 it returns the last state.
func (h *history) back(i int) *physics.Snapshot {
	return &h.ring[(h.next-1-i+2*len(h.ring))%len(h.ring)]
}

// at interpolates between the stored states and writes the state at the time t to *dst. It returns false if t is
// outside of the stored range.
func (h *history) at(t time.Duration, dst *physics.Snapshot) bool {
	if h.n == 0 || t > h.back(0).Time {
		return false
	}
	for i := range h.n {
		a := h.back(i)
		if a.Time > t {
			continue
		}
		a.CopyTo(dst)
		if a.Time < t {
			between(a, h.back(i-1), t, dst)
		}
		return true
	}
	return false
}

// between advances *dst, which is a copy of the state a, to the time t between the states a and b.
func between(a, b *physics.Snapshot, t time.Duration, dst *physics.Snapshot) {
	dt := (b.Time - a.Time).Seconds()
	f := (t - a.Time).Seconds() / dt
	dst.Time = t
	dst.Ball.PosW = hermite(a.Ball.PosW, b.Ball.PosW, a.Ball.TwistInW.Lin, b.Ball.TwistInW.Lin, f, dt)
	for i := range dst.Robots {
		p, q := &a.Robots[i], &b.Robots[i]
		dst.Robots[i].PoseWB = poseBetween(p.PoseWB, q.PoseWB, p.TwistWBInW, q.TwistWBInW, f, dt)
	}
	for i := range dst.Obstacles {
		p, q := &a.Obstacles[i], &b.Obstacles[i]
		dst.Obstacles[i].PoseWO = poseBetween(p.PoseWO, q.PoseWO, p.TwistWOInW, q.TwistWOInW, f, dt)
	}
}

func poseBetween(a, b spatial.Pose, va, vb spatial.Twist, f, dt float64) spatial.Pose {
	return spatial.Pose{Pos: hermite(a.Pos, b.Pos, va.Lin, vb.Lin, f, dt), Rot: mgl64.QuatNlerp(a.Rot, b.Rot,
		f).Normalize()}
}

// hermite returns the cubic Hermite interpolation between two positions a and b with the velocities va and vb. The
// result is for the fraction f of the time interval dt. If the body is farther from a than it can have moved by itself,
// it was placed somewhere else; then the result is a.
func hermite(a, b, va, vb mgl64.Vec3, f, dt float64) mgl64.Vec3 {
	if far := b.Sub(a).Len(); far > 0.05+2*dt*(va.Len()+vb.Len()) {
		return a
	}
	f2, f3 := f*f, f*f*f
	return a.Mul(2*f3 - 3*f2 + 1).Add(va.Mul(dt * (f3 - 2*f2 + f))).Add(b.Mul(3*f2 - 2*f3)).Add(vb.Mul(dt * (f3 - f2)))
}

// eye computes which things the vision's camera can see. It does so in the same way as the levels without images.
type eye struct {
	camera  *sensors.Camera
	robot   int
	targets *sensors.Targets
}

// thing is the ball or an obstacle at a given time.
type thing struct {
	kind    Kind
	name    string
	team    string
	posB    mgl64.Vec3 // the ball's centre, or an obstacle's centre on the floor
	velW    mgl64.Vec3
	radius  float64 // horizontal
	visible float64 // visible fraction of the thing's silhouette, 0 to 1
	light   float64 // illumination relative to the camera's exposure, in stops above a common hall's
}

// look appends all things at a given time, with their visibility in a frame taken at that time.
func (e *eye) look(at *physics.Snapshot, f *frame, all []thing) []thing {
	// SetLight also makes targets read the state again, because the state may lie between two steps.
	e.targets.SetLight(f.brightness)
	env := e.targets.Of(e.robot, at)
	env.Exposure = f.amplification
	view := e.camera.Viewpoint(&sensors.Instant{Snapshot: at, Robot: e.robot})
	view.PoseWC = at.Robots[e.robot].PoseWB.Mul(f.poseBC)
	poseBW := at.Robots[e.robot].PoseWB.Inverse()
	for i := range env.Targets {
		t := &env.Targets[i]
		if t == env.Self || t.Kind == abstraction.PostKind {
			continue
		}
		x := thing{kind: Obstacles, name: t.Name, team: t.Team, posB: poseBW.Apply(t.PoseWT.Pos), velW: t.VelW,
			radius:  t.Shape.Radius,
			visible: view.Visible(&env, i), light: stops((env.Light + t.Light) * f.amplification)}
		if t.Kind == abstraction.BallKind {
			x.kind = Ball
		}
		if x.radius == 0 {
			x.radius = math.Hypot(t.Shape.SizeX, t.Shape.SizeY) / 2
		}
		all = append(all, x)
	}
	return all
}

// lightAt returns the illumination of the floor at the robot, in stops.
func (e *eye) lightAt(at *physics.Snapshot, f *frame) float64 {
	p := &at.Robots[e.robot].PoseWB.Pos
	return stops((f.brightness.Even + f.brightness.Spots(p[0], p[1])) * f.amplification)
}

// stops returns the base-2 logarithm of a relative brightness.
func stops(light float64) float64 {
	if light <= 0 {
		return math.Inf(-1)
	}
	return math.Log2(light)
}
