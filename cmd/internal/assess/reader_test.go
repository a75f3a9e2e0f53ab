package assess

import (
	"math"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/msg/dynamic"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// encoded returns a message, written as JSON, of a given type in encoded form.
func encoded(t testing.TB, types, name, json string) (*msg.Definition, []byte) {
	t.Helper()
	def := must.Get(must.Get(msg.Load(types))(t).Message(name))(t)
	codec := must.Get(dynamic.Compile(def))(t)
	return def, must.Get(codec.AppendROS(nil, []byte(json), msg.Time{}))(t)
}

// TestReader checks what is read from each supported message type: the reports in metres, and their frame.
func TestReader(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name, types, typ, json string
		topic                  Topic
		want                   []report
		err                    string
	}{
		{"a pose", "std", "geometry_msgs/PoseStamped",
			`{"header":{"stamp":{"secs":2,"nsecs":500000000},"frame_id":"map"},"pose":{"position":{"x":1,"y":2},"orientation":{"z":1}}}`, Topic{Name: "/r/pose"},
			[]report{{Self, inMap, mgl64.Vec3{1, 2, 0}, math.Pi, nan, ""}}, ""},
		{"one of a ball", "std", "geometry_msgs/PoseStamped",
			`{"header":{"frame_id":"/cyan1/base_link"},"pose":{"position":{"x":1,"y":2,"z":3},"orientation":{"w":1}}}`,
			Topic{Name: "/r/the_ball"},
			[]report{{Ball, inBase, mgl64.Vec3{1, 2, 3}, 0, nan, ""}}, ""},
		{"odometry", "std", "nav_msgs/Odometry", `{"header":{"frame_id":"odom"}}`, Topic{Name: "/r/odom"}, nil,
			`header.frame_id = "odom": the robot's own pose must be in frame map`},
		{"an estimate", "std", "geometry_msgs/PoseWithCovarianceStamped",
			`{"header":{"frame_id":"map"},"pose":{"pose":{"position":{"x":-1},"orientation":{"w":1}}}}`,
			Topic{Name: "/amcl_pose"},
			[]report{{Self, inMap, mgl64.Vec3{-1, 0, 0}, 0, nan, ""}}, ""},
		{"without a header", "std", "geometry_msgs/Pose2D", `{"x":1,"y":2,"theta":0.5}`, Topic{Name: "/r/p"},
			[]report{{Self, inMap, mgl64.Vec3{1, 2, 0}, 0.5, nan, ""}}, ""},
		{"a point", "std", "geometry_msgs/PointStamped",
			`{"header":{"frame_id":"omni_optical"},"point":{"x":1,"y":2,"z":3}}`, Topic{Name: "/r/p"},
			[]report{{Ball, inOptical, mgl64.Vec3{1, 2, 3}, nan, nan, ""}}, ""},
		{"of another frame", "std", "geometry_msgs/PointStamped", `{"header":{"frame_id":"kinect_optical"}}`,
			Topic{Name: "/r/p"}, nil,
			`header.frame_id = "kinect_optical": must be base_link, map or the camera's optical frame`},
		{"no poses", "std", "geometry_msgs/PoseArray", `{}`, Topic{Name: "/r/obstacles"}, nil, ""},
		{"poses", "std", "geometry_msgs/PoseArray",
			`{"poses":[{"position":{"x":1},"orientation":{"w":1}},{"position":{"x":2,"y":1},"orientation":{"w":1}}]}`,
			Topic{Name: "/r/p", Kind: Ball},
			[]report{{Ball, inBase, mgl64.Vec3{1, 0, 0}, 0, nan, ""}, {Ball, inBase, mgl64.Vec3{2, 1, 0}, 0, nan, ""}},
			""},
		{"detections", "std", "vision_msgs/Detection3DArray", `{"detections":[
			{"results":[{"id":0,"score":0.9,"pose":{"pose":{"position":{"x":1}}}}]}, {"results":[]}, {"results":[{"id":5,"pose":{"pose":{"position":{"x":2}}}}]},
			{"results":[{"id":4,"score":0.5,"pose":{"pose":{"position":{"x":3}}}}]}]}`, Topic{Name: "/r/d"},
			[]report{{Ball, inBase, mgl64.Vec3{1, 0, 0}, nan, 0.9, ""}, {Obstacles, inBase, mgl64.Vec3{3, 0, 0}, nan,
				0.5, "magenta"}}, ""},
		{"NuBot's", "nubot", "nubot_common/OminiVisionInfo", `{"ballinfo":{"ballinfostate":1,"real_pos":{"angle":1.5,"radius":200}},"obstacleinfo":{"polar_pos":[{"angle":0,"radius":150}]},
			"robotinfo":[{"AgentID":2,"isvalid":true,"pos":{"x":100,"y":50},"heading":{"theta":0.5}},{"AgentID":3,"isvalid":true,"pos":{"x":-300,"y":250},"heading":{"theta":-0.5}}]}`, Topic{Name: "/r/o"},
			[]report{{Self, inTeam, mgl64.Vec3{-3, 2.5, 0}, -0.5, nan, ""},
				{Ball, inBase, mgl64.Vec3{2 * math.Cos(1.5), 2 * math.Sin(1.5), 0}, nan, nan, ""},
				{Obstacles, inBase, mgl64.Vec3{1.5, 0, 0}, nan, nan, ""}}, ""},
		{"NuBot's without a ball", "nubot", "nubot_common/OminiVisionInfo", `{"robotinfo":[{"AgentID":3}]}`,
			Topic{Name: "/r/o"}, nil, ""},
		{"NuBot's front camera", "nubot", "nubot_common/FrontBallInfo",
			`{"pos_known":true,"real_pos":{"angle":0,"radius":120}}`, Topic{Name: "/r/o"},
			[]report{{Ball, inBase, mgl64.Vec3{1.2, 0, 0}, nan, nan, ""}}, ""},
		{"NuBot's Kinect", "nubot", "nubot_common/BallInfo3d", `{"pos_known_2d":true,"pos":{"x":120,"y":-20,"z":50}}`,
			Topic{Name: "/r/o"}, []report{{Ball, inBase, mgl64.Vec3{1.2, -0.2, 0.5}, nan, nan, ""}}, ""},
		{"a humanoid's ball", "humanoid", "humanoid_league_msgs/BallRelative",
			`{"ball_relative":{"x":1},"confidence":0.25}`, Topic{Name: "/b"},
			[]report{{Ball, inBase, mgl64.Vec3{1, 0, 0}, nan, 0.25, ""}}, ""},
		{"a humanoid's obstacles", "humanoid", "humanoid_league_msgs/ObstaclesRelative",
			`{"obstacles":[{"color":3,"position":{"x":1},"confidence":1},{"color":5,"position":{"y":1},"confidence":1}]}`, Topic{Name: "/o"},
			[]report{{Obstacles, inBase, mgl64.Vec3{1, 0, 0}, nan, 1, "cyan"}, {Obstacles, inBase, mgl64.Vec3{0, 1, 0},
				nan, 1, ""}}, ""},
	} {
		def, data := encoded(t, c.types, c.typ, c.json)
		r := must.Get(newReader(def, &c.topic))(t)
		r.robot, r.number, r.sensors = "cyan1", 3, []string{"omni"}
		got, stamp, stamped, err := r.read(data)
		if c.err != "" {
			must.Fail(t, err, c.err, c.name)
			continue
		}
		if err != nil || len(got) != len(c.want) {
			t.Errorf("%s: %+v, %v, want %+v", c.name, got, err, c.want)
			continue
		}
		for i, w := range c.want {
			g := got[i]
			same := func(a, b float64) bool { return math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) < 1e-6 }
			if g.kind != w.kind || g.frame != w.frame || g.id != w.id || !(g.pos.Sub(w.pos).Len() < 1e-6) ||
				!same(math.Abs(g.heading), math.Abs(w.heading)) || !same(g.confidence, w.confidence) {
				t.Errorf("%s: %+v, want %+v", c.name, g, w)
			}
		}
		if c.name == "a pose" && (!stamped || stamp != 2.5) || c.name == "without a header" && stamped {
			t.Errorf("%s: stamped %v, %v", c.name, stamped, stamp)
		}
	}
	def, _ := encoded(t, "std", "std_msgs/String", `{}`)
	must.Refuse(newReader(def, &Topic{Name: "/s"}))(t,
		"messages of type std_msgs/String are not supported: needs one of geometry_msgs/PoseStamped")
}

// FuzzReader checks that no bytes make a reader panic or report more than a message may hold.
func FuzzReader(f *testing.F) {
	var defs []*msg.Definition
	for i := range forms {
		types := "std"
		if strings.HasPrefix(forms[i].typ, "nubot") {
			types = "nubot"
		} else if strings.HasPrefix(forms[i].typ, "humanoid") {
			types = "humanoid"
		}
		def, data := encoded(f, types, forms[i].typ, `{}`)
		defs = append(defs, def)
		f.Add(i, data)
	}
	f.Fuzz(func(t *testing.T, i int, data []byte) {
		if i < 0 || i >= len(defs) {
			return
		}
		r := must.Get(newReader(defs[i], &Topic{Name: "/t"}))(t)
		if got, _, _, _ := r.read(data); len(got) > maxListed+2*maxListed {
			t.Errorf("%d reports", len(got))
		}
	})
}
