package mapping

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/robotio/belief"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/msg/dynamic"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
)

// believe compiles a profile with a belief and returns its reader for robot 3 of a team.
func believe(t testing.TB, text string, team physics.Team) (*BeliefReader, *dynamic.Codec) {
	t.Helper()
	l := loader{}
	p := must.Get(l.parse("team.toml", "team.toml", []byte(text), nil))(t)
	p.Library = &msg.Library{}
	for _, types := range p.Types {
		must.Do(t, p.Library.AddDialect(types))
	}
	c := must.Get(Compile(p))(t)
	w := &worlds.World{Robots: []worlds.Robot{{Name: "me"}}}
	w.Robots[0].Team, w.Robots[0].Number = team, 3
	i := Instances(c.Beliefs, c.NewContext(w, 0))[0]
	r := must.Get(i.BeliefReader(i.Topic))(t)
	codec := must.Get(dynamic.Compile(i.Topic))(t)
	return r, codec
}

const markers = `
types = ["std"]
length = "cm"
angle = "deg"
[[belief]]
topic = "said"
type = "visualization_msgs/MarkerArray"
in = "team"
pose = { each = "markers", number = "id", x = "pose.position.x", y = "pose.position.y", heading = "color.r",
	known = "action" }
ball = { each = "markers", number = "#", distance = "scale.x", bearing = "scale.y" }
obstacles = { each = "markers", x = "scale.x", y = "scale.y", number = "id" }
path = { each = "markers", number = "id", x = "pose.position.x", y = "pose.position.y" }
velocity = { each = "markers", number = "id", x = "color.g", y = "color.b", known = "action" }
status = { each = "markers", number = "id", known = "action", role = "ns", action = "type", dribbling = "frame_locked",
	action_names = ["wait", "drive", "shoot"] }
`

// In arrays of messages, only the robot's own elements count. Positions are in the units of the profile and the team's
// frame; polar positions are in the robot's frame.
func TestBeliefsInArrays(t *testing.T) {
	const said = `{"markers": [
		{"id": 3, "text": "it does not know", "pose": {"position": {"x": 700}}},
		{"id": 2, "action": 1, "points": [{}, {"x": 1}], "pose": {"position": {"x": 900}}, "scale": {"x": 10, "y": 20}},
		{"id": 3, "action": 1, "colors": [{}], "text": "here", "pose": {"position": {"x": 150, "y": -50}}, "color": {"r": 30, "g": 250, "b": -100},
			"ns": "attacker", "type": 2, "frame_locked": true, "scale": {"x": 200, "y": 90}}]}`
	for team, sign := range map[physics.Team]float64{physics.Cyan: 1, physics.Magenta: -1} {
		r, codec := believe(t, markers, team)
		b := must.Get(codec.AppendROS(nil, []byte(said), msg.Time{}))(t)
		got, ok := r.Read(b, false)
		if !ok || got.HasStamp {
			t.Fatalf("%+v, %v", got, ok)
		}
		pose, ball, obstacles, path := got.Kinds[0], got.Kinds[1], got.Kinds[2], got.Kinds[3]
		if len(pose.Places) != 1 || len(ball.Places) != 1 || len(obstacles.Places) != 3 || len(path.Places) != 2 {
			t.Fatalf("%v: %d, %d, %d, %d places", team, len(pose.Places), len(ball.Places), len(obstacles.Places),
				len(path.Places))
		}
		at := pose.Places[0]
		must.Near(t, "x", at.X, sign*1.5, 1e-9)
		must.Near(t, "y", at.Y, sign*-0.5, 1e-9)
		must.Near(t, "heading", math.Mod(at.Heading+2*math.Pi, 2*math.Pi), math.Pi/6+(1-sign)/2*math.Pi, 1e-6)
		must.Near(t, "path's begin", path.Places[0].X, sign*7, 1e-9)
		if !ball.Relative || pose.Relative {
			t.Errorf("%v: the ball is relative: %v, the pose: %v", team, ball.Relative, pose.Relative)
		}
		v := got.Kinds[4]
		if len(v.Places) != 1 || v.Relative {
			t.Fatalf("%v: velocity %+v, want one in the map", team, v)
		}
		must.Near(t, "velocity's x", v.Places[0].X, sign*2.5, 1e-9)
		must.Near(t, "velocity's y", v.Places[0].Y, sign*-1, 1e-9)
		if s := got.Status; s == nil || s.Role != "attacker" || s.Action != "shoot" || s.Dribbling == nil ||
			!*s.Dribbling {
			t.Errorf("%v: status %+v, want an attacker that shoots and dribbles", team, s)
		}
		must.Near(t, "ball's x", ball.Places[0].X, 0, 1e-9)
		must.Near(t, "ball's y", ball.Places[0].Y, 2, 1e-9)
		must.Equal(t, obstacles.Places[1].Number, 2, "an obstacle's number")
		for n := range len(b) { // a truncated message is refused, or read up to its end
			if _, ok := r.Read(b[:n], false); ok {
				t.Fatalf("%d of %d bytes are a message", n, len(b))
			}
			r.Read(b[:n], true)
		}
	}
}

// The pose of an odometry message counts in a known frame alone. Its velocity is in the robot's frame anyway.
func TestVelocityOfOdometry(t *testing.T) {
	r, codec := believe(t, `
types = ["std"]
[[belief]]
topic = "odometry"
type = "nav_msgs/Odometry"
in = "header"
pose = { x = "pose.pose.position.x", y = "pose.pose.position.y", orientation = "pose.pose.orientation" }
velocity = { in = "robot", x = "twist.twist.linear.x", y = "twist.twist.linear.y" }
`, physics.Magenta)
	for frame, known := range map[string]bool{"odom": false, "map": true} {
		b := must.Get(codec.AppendROS(nil, []byte(`{"header": {"frame_id": "`+frame+`"},
			"twist": {"twist": {"linear": {"x": 2, "y": -1}}}}`), msg.Time{}))(t)
		said, ok := r.Read(b, false)
		v := said.Kinds[velocityKind]
		if !ok || (said.Kinds[poseKind] != nil) != known || v == nil || !v.Relative || len(v.Places) != 1 ||
			v.Places[0] != (belief.Place{X: 2, Y: -1, Confidence: 1}) {
			t.Errorf("in frame %s: pose %+v, velocity %+v", frame, said.Kinds[poseKind], v)
		}
	}
	p := belief.Place{X: 5, Y: 7, Heading: math.Pi / 2}.Rotate(belief.Place{X: 2, Y: -1})
	must.Near(t, "x", p.X, 1, 1e-9)
	must.Near(t, "y", p.Y, 2, 1e-9)
}

// Names of roles and actions are those of the software that the profile models. A number without a name is shown
// itself, and a long text is cut.
func TestStatusNames(t *testing.T) {
	for profile, want := range map[string][2]string{"nubot": {"Positioned_Static", "21"},
		"gazebo-visual": {"Positioned_Static", "21"}, "simatch": {"Catch_Positioned", "No_Action"}} {
		c := must.Get(Compile(must.Get(Load(profile))(t)))(t)
		w := &worlds.World{Robots: []worlds.Robot{{Name: "NuBot3"}}}
		w.Robots[0].Number = 3
		read := func(topic, text string) *belief.Status {
			t.Helper()
			for _, i := range Instances(c.Beliefs, c.NewContext(w, 0)) {
				if i.Name != topic {
					continue
				}
				r, codec := must.Get(i.BeliefReader(i.Topic))(t), must.Get(dynamic.Compile(i.Topic))(t)
				said, _ := r.Read(must.Get(codec.AppendROS(nil, []byte(text), msg.Time{}))(t), false)
				return said.Status
			}
			t.Fatalf("%s has no belief on %s", profile, topic)
			return nil
		}
		for i, action := range []string{"11", "21"} {
			s := read("/NuBot3/nubotcontrol/strategy", `{"role": 4, "action": `+action+`, "is_dribble": false}`)
			if s == nil || s.Role != "ASSISTANT" || s.Action != want[i] || s.Dribbling == nil || *s.Dribbling {
				t.Errorf("%s: action %s: %+v, want an ASSISTANT's %s without the ball", profile, action, s, want[i])
			}
		}
		info := `{"robotinfo": [{"AgentID": 2, "isvalid": true, "current_role": 1},
			{"AgentID": 3, "isvalid": true, "current_role": 99, "isdribble": true}]}`
		s := read("/NuBot3/worldmodel/worldmodelinfo", info)
		if s == nil || s.Role != "99" || s.Action != "" || s.Dribbling == nil || !*s.Dribbling {
			t.Errorf("%s: %+v, want role 99 with the ball and no action", profile, s)
		}
		if s := read("/NuBot3/worldmodel/worldmodelinfo", strings.ReplaceAll(info, "true", "false")); s != nil {
			t.Errorf("%s: %+v, want nothing of a robot that is not valid", profile, s)
		}
	}
	long := nameOf(dynamic.Scalar{IsText: true, Text: strings.Repeat("ä", 50)[1:]}, nil)
	if len(long) > belief.MaxText || !strings.HasPrefix(long, "ä") {
		t.Errorf("a long text: %q", long)
	}
}

// A truncated path whose length field says a million points yields the points that are present.
func TestCutPath(t *testing.T) {
	r, codec := believe(t, `
types = ["std"]
[[belief]]
topic = "path"
type = "nav_msgs/Path"
in = "header"
path = { each = "poses", x = "pose.position.x", y = "pose.position.y" }
`, physics.Cyan)
	b, err := codec.AppendROS(nil,
		[]byte(`{"header": {"frame_id": "map", "stamp": {"secs": 12, "nsecs": 5}}, "poses": [{"pose": {"position": {"x": 1}}}, {"pose": {"position": {"x": 2}}}]}`), msg.Time{})
	if err != nil {
		t.Fatal(err)
	}
	count := 4 + 8 + 4 + len("map")
	binary.LittleEndian.PutUint32(b[count:], 1_000_000)
	if _, ok := r.Read(b, false); ok {
		t.Error("a message that lies about its length is read")
	}
	got, ok := r.Read(b, true)
	if path := got.Kinds[3]; !ok || path == nil || len(path.Places) != 2 || path.Places[1].X != 2 ||
		path.LeftOut != 999_998 {
		t.Errorf("%+v, %v", path, ok)
	}
	if !got.HasStamp || got.Stamp != 12*time.Second+5 {
		t.Errorf("stamp %v", got.Stamp)
	}
}

// An invalid belief gives one error with its place.
func TestWrongBeliefs(t *testing.T) {
	for text, want := range map[string]string{
		`pose = { x = "pose.position.x", y = "pose.position.y" }`: `belief[0].pose: heading = "": a pose needs heading, or orientation`,
		`ball = { x = "pose.position.x" }`:                        `belief[0].ball: x = "pose.position.x": give x and y, or distance and bearing`,
		`ball = { distance = "pose.position.x" }`:                 `distance and bearing must be given together`,
		`ball = { x = "pose.position.x", y = "pose.position.q" }`: `field = "pose.position.q": geometry_msgs/PoseStamped has no number`,
		`path = { each = "poses", x = "x", y = "y" }`:             `each = "poses": geometry_msgs/PoseStamped has no array of messages of that name`,
		``: `says nothing of the robot: give pose, ball, obstacles, path, goal, lines, velocity or status`,
		`status = { number = "pose.position.x" }`:                                                 `belief[0].status: role = "": give role, action, side or dribbling`,
		`status = { role = "pose.role" }`:                                                         `field = "pose.role": geometry_msgs/PoseStamped has no number`,
		`velocity = { x = "pose.position.x" }`:                                                    `belief[0].velocity: x = "pose.position.x": give x and y`,
		`lines = [{ x = "pose.position.x", y = "pose.position.y" }]`:                              `belief[0].lines[0]: end_x = "": give end_x and end_y`,
		`goal = [{ distance = "pose.position.x", bearing = "pose.position.y" }]`:                  `belief[0].goal[0]: distance = "pose.position.x": is not possible here: give x and y`,
		"in = \"image\"\npath = { x = \"pose.position.x\", y = \"pose.position.y\" }":             `belief[0].path: x = "pose.position.x": is in an image: give ball, obstacles, goal or lines`,
		"more = \"{sensor}/here\"\nball = { x = \"pose.position.x\", y = \"pose.position.y\" }":   `belief[0]: more = "{sensor}/here": needs in = "image"`,
		`ball = { x = "pose.position.x", y = "pose.position.y", wide = "z" }`:                     `unknown key`,
		`pose = { x = "pose.position.x", y = "pose.position.y", orientation = "pose.direction" }`: `field = "pose.direction.x"`,
	} {
		dir := t.TempDir()
		name := write(t, dir, "team.toml", "types = [\"std\"]\n[[belief]]\ntopic = \"here\"\ntype = "+
			"\"geometry_msgs/PoseStamped\"\n"+text+"\n")
		p, err := Load(name)
		if err == nil {
			_, err = Compile(p)
		}
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "team.toml:") {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// Invalid messages give an error, and no message gives more places than the limit.
func FuzzBelief(f *testing.F) {
	r, codec := believe(f, markers, physics.Magenta)
	b := must.Get(codec.AppendROS(nil,
		[]byte(`{"markers": [{"id": 3, "action": 1, "text": "t", "points": [{}], "mesh_resource": "m"}, {"id": 2}]}`),
		msg.Time{}))(f)
	f.Add(b, false)
	f.Add(b[:len(b)-9], true)
	f.Add([]byte{255, 255, 255, 255}, true)
	f.Fuzz(func(t *testing.T, b []byte, cut bool) {
		said, _ := r.Read(b, cut)
		if s := said.Status; s != nil && (len(s.Role) > belief.MaxText || len(s.Action) > belief.MaxText) {
			t.Fatalf("%+v", s)
		}
		for _, k := range said.Kinds {
			if k == nil {
				continue
			}
			if len(k.Places) > belief.MaxPath || k.LeftOut < 0 {
				t.Fatalf("%d places, %d left out", len(k.Places), k.LeftOut)
			}
			for _, at := range k.Places {
				if !at.Finite() {
					t.Fatalf("%+v", at)
				}
			}
		}
	})
}
