package export

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/recording"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
)

// duel returns a world with a robot of each team and a box.
func duel(t *testing.T) *worlds.World {
	t.Helper()
	w := must.Get(worlds.LoadBundle(worlds.Bundle{"world.toml": []byte(`name = "duel"
field = "msl-18x12"
[[robot]]
name = "cyan1"
model = "nubot"
number = 3
[[robot]]
name = "magenta1"
model = "nubot"
team = "magenta"
number = 4
pose = { x_m = 3 }
[[obstacle]]
name = "box"
pose = { x_m = 5 }
size_x_m = 0.6
size_y_m = 0.8
height_m = 0.5
mass_kg = 10
`)}))(t)
	return w
}

// body returns a body at x and y with a heading, which moves along x.
func body(name string, x, y, heading, speed float64) msg.Body {
	return msg.Body{Name: name, Pose: msg.Pose{Position: msg.Point{X: x, Y: y},
		Orientation: msg.Quaternion{Z: math.Sin(heading / 2), W: math.Cos(heading / 2)}},
		Twist: msg.Twist{Linear: msg.Vector3{X: speed}, Angular: msg.Vector3{Z: 0.5}}}
}

// truthOf records the truth of bodies at 50 Hz.
func truthOf(t *testing.T, bodies ...msg.Body) string {
	t.Helper()
	codec := must.Get(msg.Compile[msg.Truth](definitionOf(t, truthType)))(t)
	return recorded(t, func(w *recording.Writer) {
		c := channel(t, w, "/omnipitch/truth", truthType)
		for i := range 26 { // half a second
			at := time.Duration(i) * 20 * time.Millisecond
			c.Write(2*time.Second+at, at, codec.Append(nil, &msg.Truth{HeldBy: "cyan1", Bodies: bodies}))
		}
	})
}

// The logs of both teams are in their own frames, with the other team as obstacles, 10 times per second.
func TestMSL(t *testing.T) {
	path := truthOf(t, body("ball", 1, 2, 0, 3), body("cyan1", 1, -2, math.Pi/2, 0), body("magenta1", 4, 1, math.Pi,
		-1), body("box", 5, 0, 0, 0))
	var b bytes.Buffer
	must.Do(t, MSL(t.Context(), opened(t, path), Selection{}, duel(t), MSLConfig{Name: "final", Rate: 10}, &b))
	archive := must.Get(zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len())))(t)
	must.Do(t, fstest.TestFS(archive, "final.A.msl", "final.B.msl"))
	radius := fmt.Sprint(duel(t).Robots[0].Body.Radius)
	for team, want := range map[string]string{
		"cyan": `"robots": [{"id": 3, "pose": [2, 1, 1.571], "targetPose": [2, 1, 1.571], "velocity": [0, 0, 0.5],
			"intention": "", "batteryLevel": 100, "ballEngaged": 1}],
			"balls": [{"position": [-2, 1, 0], "velocity": [0, 3, 0], "confidence": 1}],
			"obstacles": [{"position": [-1, 4], "velocity": [0, -1], "radius": ` + radius + `, "confidence": 1},
			{"position": [0, 5], "velocity": [0, 0], "radius": 0.5, "confidence": 1}]`,
		"magenta": `"robots": [{"id": 4, "pose": [1, -4, 0], "targetPose": [1, -4, 0], "velocity": [0, 1, 0.5],
			"intention": "", "batteryLevel": 100, "ballEngaged": 0}],
			"balls": [{"position": [2, -1, 0], "velocity": [0, -3, 0], "confidence": 1}],
			"obstacles": [{"position": [-2, -1], "velocity": [0, 0], "radius": ` + radius + `, "confidence": 1},
			{"position": [0, -5], "velocity": [0, 0], "radius": 0.5, "confidence": 1}]`,
	} {
		name := map[string]string{"cyan": "final.A.msl", "magenta": "final.B.msl"}[team]
		text := must.Get(io.ReadAll(must.Get(archive.Open(name))(t)))(t)
		var got, wanted []any
		must.Do(t, json.Unmarshal(text, &got))
		for i := range 6 { // half a second; fields as documented by cPacketRefboxLogger
			var one any
			must.Do(t, json.Unmarshal(fmt.Appendf(nil, `{"teamName": %q, "timestamp": %d, "gametimeMs": %d, "worldstate":
				{"type": "worldstate", "teamName": %[1]q, "intention": "", %[4]s, "ageMs": 0}}`, team, 2000+100*i, 100*i,
				want), &one))
			wanted = append(wanted, one)
		}
		near := gocmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) <= 0.0005 }) // three decimals
		if d := gocmp.Diff(wanted, got, near); d != "" {
			t.Fatalf("%s (-want +got):\n%s", name, d)
		}
		// The text around a world state, with these spaces, is as in the box.
		begin := `{"teamName": "` + team + `","timestamp": 2000,"gametimeMs": 0,"worldstate": {"type":"worldstate"`
		if s := string(text); !strings.HasPrefix(s, "[\n"+begin) || !strings.Contains(s, "}},\n{\"teamName\": ") ||
			!strings.HasSuffix(s, "}]\n") || strings.Contains(s, "-0.000") {
			t.Errorf("%s: lines are not the box's:\n%.200s", name, s)
		}
	}
}

// MSL fails without truth, with a state that is not finite, and on a full disk.
func TestMSLRefuses(t *testing.T) {
	good := truthOf(t, body("ball", 0, 0, 0, 0))
	other := recorded(t, func(w *recording.Writer) {
		channel(t, w, "/omnipitch/truth", "std_msgs/String").Write(0, 0, encodedText("a"))
	})
	full := errors.New("no room")
	for _, c := range []struct {
		path, want string
		to         io.Writer
	}{
		{truthOf(t, body("ball", math.NaN(), 0, 0, 0)), "a body's state must be finite", io.Discard},
		{truthOf(t, body("ball", 0, 0, 0, math.Inf(1))), "a body's state must be finite", io.Discard},
		{other, "the recording has no topic of truth", io.Discard},
		{good, full.Error(), failing{full}},
	} {
		err := MSL(t.Context(), opened(t, c.path), Selection{}, duel(t), MSLConfig{Name: "x", Rate: 50}, c.to)
		must.Fail(t, err, c.want)
	}
	for _, rate := range []float64{0, math.NaN(), 51} {
		if (MSLConfig{Rate: rate}).Validate() == nil {
			t.Errorf("rate %v is valid", rate)
		}
	}
}
