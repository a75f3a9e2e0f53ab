//go:build cgo

package robotio

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
	"github.com/omnipitch/omnipitch/worlds/occupancy"
)

// audioStamped is audio_common_msgs/AudioDataStamped, audioInfo is audio_common_msgs/AudioInfo.
type audioStamped struct {
	Header msg.Header
	Audio  struct{ Data []byte }
}

type audioInfo struct {
	Channels     uint8
	SampleRate   uint32
	SampleFormat string
	Bitrate      uint32
	CodingFormat string
}

type poseArray struct {
	Header msg.Header
	Poses  []msg.Pose
}

// withEars gives a robot two microphones, one that delivers sound and one that detects whistles without errors.
func withEars(w *worlds.World) {
	for name, level := range map[string]abstraction.Level{"ear": abstraction.Raw, "hearing": abstraction.Truth} {
		c := sensors.Config{Name: name, Kind: "microphone", Level: level}
		c.Complete()
		w.Robots[0].Sensors = append(w.Robots[0].Sensors, c)
	}
	slices.SortFunc(w.Robots[0].Sensors, func(a, b sensors.Config) int { return len(a.Name) - len(b.Name) })
	for k := range 100 { // all the time
		w.Events = append(w.Events, worlds.Event{At: time.Duration(k) * time.Second, Choice: action.Choice{
			Whistle: &action.Whistle{Name: "cyan1", X: 3, Y: 3, For: time.Second, Level: 110}}})
	}
}

// The samples on the wire are those of the observation, and a whistle has the direction in which it is.
func TestSoundTopics(t *testing.T) {
	r := newRig(t, withEars)
	of := map[time.Duration][]byte{}
	_, err := r.sim.Listen("cyan1", "ear", omnipitch.Listener{Observe: func(o *sensors.Observation) {
		of[o.Stamp] = o.Reading.(*sensors.SoundReading).AppendS16LE(nil)
	}})
	must.Do(t, err)
	m := receive[audioStamped](r, "/cyan1/ear/audio_stamped", "audio_common_msgs/AudioDataStamped")
	want := of[time.Duration(m.Header.Stamp.Sec)*time.Second+time.Duration(m.Header.Stamp.Nsec)]
	if len(want) != 1280 || !slices.Equal(m.Audio.Data, want) || m.Header.FrameID != "cyan1/ear" {
		t.Errorf("%d bytes in %s, want %d", len(m.Audio.Data), m.Header.FrameID, len(want))
	}
	info := receive[audioInfo](r, "/cyan1/ear/audio_info", "audio_common_msgs/AudioInfo")
	must.Equal(t, *info, audioInfo{1, 16000, "S16LE", 256000, "wave"}, "audio_info")
	b := subscribe[poseArray](r, "/cyan1/hearing/sound_localization", "geometry_msgs/PoseArray")
	defer b.sub.Close()
	r.until("a whistle is heard", func() bool { m := b.newest(); return m != nil && len(m.Poses) > 0 })
	q := b.newest().Poses[0].Orientation
	along := mgl64.Quat{W: q.W, V: mgl64.Vec3{q.X, q.Y, q.Z}}.Rotate(mgl64.Vec3{1, 0, 0})
	norm := math.Hypot(math.Hypot(q.X, q.Y), math.Hypot(q.Z, q.W))
	if !(math.Abs(norm-1) <= 1e-9) || !(along.Sub(mgl64.Vec3{1, 1, 0}.Normalize()).Len() < 0.5) {
		t.Errorf("orientation %+v", q)
	}
}

type occupancyGrid struct {
	Header msg.Header
	Info   struct {
		MapLoadTime   msg.Time
		Resolution    float32
		Width, Height uint32
		Origin        msg.Pose
	}
	Data []int8
}

// The map of a world with pieces is that of its export.
func TestMapTopic(t *testing.T) {
	w := must.Get(worlds.Load("office"))(t)
	w.Robots = w.Robots[:1]
	robot := &w.Robots[0]
	robot.ROS1.Profiles = []string{"standard", "map-server"}
	robot.Sensors = slices.DeleteFunc(robot.Sensors, func(c sensors.Config) bool { return c.Kind.TakesImages() })
	w.Events, w.Expect, w.Programs = nil, nil, nil
	r := newRigIn(t, w, omnipitch.Options{})
	m := receive[occupancyGrid](r, "/map", "nav_msgs/OccupancyGrid")
	want := must.Get(occupancy.Of(w.Model(), w.LaserHeight(), 0.05))(t)
	if m.Header.FrameID != "map" || m.Info.Resolution != 0.05 || int(m.Info.Width) != want.Width ||
		int(m.Info.Height) != want.Height || !slices.Equal(m.Data, want.Cells) || !slices.Contains(m.Data, 100) {
		t.Errorf("%+v with %d cells in %s, want %d × %d", m.Info, len(m.Data), m.Header.FrameID, want.Width,
			want.Height)
	}
	must.Near(t, "x of the origin", m.Info.Origin.Position.X, want.Origin.X, 1e-12)
	must.Near(t, "y of the origin", m.Info.Origin.Position.Y, want.Origin.Y, 1e-12)
}
