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
`

// In arrays of messages, only the robot's own elements count. Positions are in the units of the profile and the team's
// frame; polar positions are in the robot's frame.
func TestBeliefsInArrays(t *testing.T) {
	const said = `{"markers": [
		{"id": 3, "text": "it does not know", "pose": {"position": {"x": 700}}},
		{"id": 2, "action": 1, "points": [{}, {"x": 1}], "pose": {"position": {"x": 900}}, "scale": {"x": 10, "y": 20}},
		{"id": 3, "action": 1, "colors": [{}], "text": "here", "pose": {"position": {"x": 150, "y": -50}}, "color": {"r": 30}, "scale": {"x": 200, "y": 90}}]}`
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
		``: `has no positions: give pose, ball, obstacles or path`,
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
