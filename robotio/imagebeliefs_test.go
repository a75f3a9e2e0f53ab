package robotio

import (
	"cmp"
	"fmt"
	"math"
	"sync"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
)

// colorRGBA is std_msgs/ColorRGBA.
type colorRGBA struct{ R, G, B, A float32 }

// imageMarker is visualization_msgs/ImageMarker.
type imageMarker struct {
	Header        msg.Header
	NS            string
	ID, Type      int32
	Action        int32
	Position      msg.Point
	Scale         float32
	OutlineColor  colorRGBA
	Filled        uint8
	FillColor     colorRGBA
	Lifetime      msg.Duration
	Points        []msg.Point
	OutlineColors []colorRGBA
}

// byStamp holds the messages of a topic by their stamps.
type byStamp[T any] struct {
	mu  sync.Mutex
	all map[time.Duration]*T
}

// collect subscribes to a topic.
func collect[T any](r *rig, topic, typ string, stamp func(*T) msg.Time) *byStamp[T] {
	r.t.Helper()
	b := &byStamp[T]{all: map[time.Duration]*T{}}
	must.Get(ros1.Subscribe(r.robot, topic, typ, func(m *T) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.all[stamp(m).Since()] = m
	}))(r.t)
	return b
}

func (b *byStamp[T]) at(stamp time.Duration) *T {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.all[stamp]
}

// smallCameraRig returns a rig whose robot cyan1 sees the ball in the small images of its front camera.
func smallCameraRig(t *testing.T) *rig {
	return humanoidRig(t, omnipitch.Options{NewRenderer: backend.RayCaster}, func(w *worlds.World) {
		s, _ := w.Sensor("cyan1", "front")
		s.Level, s.Rate, s.Image.Width, s.Image.Height = abstraction.Raw, 20, 64, 48
		w.Look = worlds.LookPlain // for speed
		w.Robots[0].Pose, w.Ball.X, w.Ball.Y = worlds.Pose{X: 5}, 6.5, 0
	})
}

// The image of a stamp is published with what the robot's vision has found in the image of this stamp, although the
// results come after the image: as image markers, and drawn in white dashes into the marked image.
func TestResultsOfVisionAreInTheirImage(t *testing.T) {
	r := smallCameraRig(t)
	l := believe(r)
	ball, obstacles := say(r, "/cyan1/ball_in_image", "humanoid_league_msgs/BallInImage"),
		say(r, "/cyan1/obstacles_in_image", "humanoid_league_msgs/ObstaclesInImage")
	center := func(stamp time.Duration) float64 { return 10 + 20*stamp.Seconds() }
	raw := collect(r, "/cyan1/image_raw", "sensor_msgs/Image", func(m *msg.Image) msg.Time {
		header := fmt.Sprintf(`"header": {"stamp": {"secs": %d, "nsecs": %d}}`, m.Header.Stamp.Sec, m.Header.Stamp.Nsec)
		ball(fmt.Sprintf(`{%s, "center": {"x": %v, "y": 12}, "diameter": 8, "confidence": 1}`, header,
			center(m.Header.Stamp.Since())))
		obstacles(fmt.Sprintf(`{%s, "obstacles": [{"top_left": {"x": 4, "y": 3}, "width": 10, "height": 8}]}`, header))
		return m.Header.Stamp
	})
	marked := collect(r, "/cyan1/front/image_marked", "sensor_msgs/Image",
		func(m *msg.Image) msg.Time { return m.Header.Stamp })
	markers := collect(r, "/cyan1/front/image_markers/believed_ball", "visualization_msgs/ImageMarker",
		func(m *imageMarker) msg.Time { return m.Header.Stamp })

	var at time.Duration
	image := r.publisher("/cyan1/image_raw")
	r.until("the results of an image with this image", func() bool {
		// Gives the robot time to answer before the simulation continues: an image waits for sim time only.
		for end := time.Now().Add(200 * time.Millisecond); time.Now().Before(end) &&
			!l.answered(time.Duration(image.flow.last.Load())); {
			time.Sleep(time.Millisecond)
		}
		markers.mu.Lock()
		defer markers.mu.Unlock()
		for stamp, m := range markers.all {
			if len(m.Points) == 0 {
				continue
			}
			mean := 0.0
			for _, p := range m.Points {
				mean += p.X / float64(len(m.Points))
			}
			if !(mean <= center(stamp)+1e-6) {
				t.Fatalf("at %v: the ball is at %g px, that of the image is at %g", stamp, mean, center(stamp))
			}
			if pix := marked.at(stamp); math.Abs(mean-center(stamp)) < 1e-6 && pix != nil && raw.at(stamp) != nil &&
				white(pix, 4, 3) {
				at = stamp
			}
		}
		return at > 0
	})
	pix, before := marked.at(at), raw.at(at)
	must.Equal(t, white(before, 4, 3), false, "the raw image is white at the corner of the box")
	must.Equal(t, white(pix, 4, 10), true, "the marked image is white at another corner of the box")
	must.Equal(t, white(pix, 9, 7), false, "the marked image is white within the box")
}

// Parameters switch groups of marks off and on while the simulation runs. A wrong one is reported.
func TestMarksAreSwitched(t *testing.T) {
	r := smallCameraRig(t)
	believe(r)
	publisher := r.publisher("/cyan1/front/image_marked")
	obstacles := say(r, "/cyan1/obstacles_in_image", "humanoid_league_msgs/ObstaclesInImage")
	marked := subscribe[msg.Image](r, "/cyan1/front/image_marked", "sensor_msgs/Image")
	shows := func(what string, want bool) {
		t.Helper()
		r.until(what, func() bool {
			obstacles(`{"obstacles": [{"top_left": {"x": 4, "y": 3}, "width": 10, "height": 8}]}`)
			m := marked.newest()
			return m != nil && white(m, 4, 3) == want && publisher.Context.HiddenMarks["believed_robots"] != want
		})
	}
	shows("the obstacle", true)
	must.Do(t, r.robot.SetParam("/cyan1/front/image_marked/believed_robots", false))
	shows("an image without the obstacle", false)
	must.Do(t, r.robot.SetParam("/cyan1/front/image_marked/believed_robots", true))
	shows("the obstacle again", true)
	must.Do(t, r.robot.SetParam("/cyan1/front/image_marked/believd_lines", false))
	const want = "parameter /cyan1/front/image_marked/believd_lines: is unknown, did you mean believed_lines?"
	if err := r.refusal(func() {}); err.Error() != want {
		t.Errorf("got %q, want %q", err, want)
	}
}

// Parameters of other types than truth values are errors, and hide nothing.
func TestWrongMarkSwitches(t *testing.T) {
	for want, value := range map[string]any{
		`parameter /a = 3: must be a table of true and false for ball, robots, goals, lines, believed_ball, believed_robots, believed_goals, believed_lines`: 3,
		"parameter /a/ball = 0: must be true or false\nparameter /a/x: must be one of ball, robots, goals, lines, believed_ball, believed_robots, " +
			"believed_goals, believed_lines": map[string]any{"ball": 0, "x": true},
	} {
		hidden, err := hiddenMarks("/a", value)
		if err == nil || err.Error() != want || len(hidden) != 0 {
			t.Errorf("%v: got %v, %v, want %s", value, hidden, err, want)
		}
	}
	if hidden, err := hiddenMarks("/a", map[string]any{"ball": true, "goals": false}); err != nil || hidden["ball"] ||
		!hidden["goals"] {
		t.Errorf("got %v, %v, want goals hidden", hidden, err)
	}
}

// answered reports whether a message about the image of a stamp has come on every topic about images that is in use.
func (l *Beliefs) answered(stamp time.Duration) bool {
	used := 0
	for _, t := range l.topics {
		t.mu.Lock()
		n := len(t.recent)
		old := n > 0 && t.recent[n-1].Stamp < stamp
		t.mu.Unlock()
		if old {
			return false
		}
		used += min(n, 1)
	}
	return used == 2
}

// white reports whether a pixel of an image is white.
func white(m *msg.Image, u, v int) bool {
	p := m.Data[v*int(m.Step)+3*u:]
	return p[0] == 255 && p[1] == 255 && p[2] == 255
}

// marker is visualization_msgs/Marker without the fields that this test does not read.
type marker struct {
	Header                   msg.Header
	NS                       string
	ID, Type, Action         int32
	Pose                     msg.Pose
	Scale                    msg.Vector3
	Color                    colorRGBA
	Lifetime                 msg.Duration
	FrameLocked              bool
	Points                   []msg.Point
	Colors                   []colorRGBA
	Text, MeshResource       string
	MeshUseEmbeddedMaterials bool
}

// Markers for rviz have a namespace for each kind of thing that the robot's programs believe. Positions in the robot's
// frame are at its true pose, others in the map, from whichever side the robot's team looks at it.
func TestBeliefMarkers(t *testing.T) {
	type markerArray struct{ Markers []marker }
	r := humanoidRig(t, omnipitch.Options{}, func(w *worlds.World) {})
	believe(r)
	topics := map[string]func(string){}
	for topic, typ := range map[string]string{"position": "Position2D", "ball_relative": "BallRelative",
		"obstacles_relative": "ObstaclesRelative", "goal_relative": "GoalRelative",
		"lines_relative": "LineInformationRelative"} {
		topics[topic] = say(r, "/magenta1/"+topic, "humanoid_league_msgs/"+typ)
	}
	markers := subscribe[markerArray](r, "/magenta1/belief_markers", "visualization_msgs/MarkerArray")
	byName := map[string][]marker{}
	r.until("markers of everything", func() bool {
		topics["position"](`{"pose": {"x": 2, "y": 1}, "confidence": 1}`)
		topics["ball_relative"](`{"ball_relative": {"x": 3, "y": -1}, "confidence": 1}`)
		topics["obstacles_relative"](`{"obstacles": [{"position": {"x": 1}}, {"position": {"x": 4, "y": 2}, "width": 0.3}]}`)
		topics["goal_relative"](`{"left_post": {"x": 5, "y": 1}, "right_post": {"x": 5, "y": -1}, "confidence": 1}`)
		topics["lines_relative"](`{"segments": [{"start": {"x": 1, "y": 2}, "end": {"x": 3, "y": 4}}], "circles": [{"left": {"x": 1}, "middle": {"x": 2}, "right": {"x": 3}}]}`)
		clear(byName)
		if m := markers.newest(); m != nil {
			for _, one := range m.Markers {
				byName[one.NS] = append(byName[one.NS], one)
			}
		}
		return len(byName) == 6
	})
	for ns, want := range map[string][]msg.Point{"": {{}}, "pose": {{X: -2, Y: -1}}, "ball": {{X: 3, Y: -1}},
		"obstacles": {{X: 1}, {X: 4, Y: 2}}, "goal": {{X: 5, Y: 1}, {X: 5, Y: -1}}, "lines": {{}, {}, {}}} {
		frame := map[string]string{"": "map", "pose": "map"}[ns]
		got := byName[ns]
		if len(got) != len(want) {
			t.Errorf("%d markers %q, want %d", len(got), ns, len(want))
			continue
		}
		for i, at := range want {
			must.Near(t, ns+" x", got[i].Pose.Position.X, at.X, 1e-6)
			must.Near(t, ns+" y", got[i].Pose.Position.Y, at.Y, 1e-6)
			must.Equal(t, got[i].Header.FrameID, cmp.Or(frame, "ground_truth/magenta1"), "frame of %s", ns)
			must.Equal(t, got[i].ID, int32(i), "id of %s", ns)
		}
	}
	must.Near(t, "width of an obstacle", byName["obstacles"][1].Scale.X, 0.3, 1e-6)
	line := byName["lines"][0].Points
	if len(line) != 2 || line[0] != (msg.Point{X: 1, Y: 2}) || line[1] != (msg.Point{X: 3, Y: 4}) {
		t.Errorf("line %v", line)
	}
}
