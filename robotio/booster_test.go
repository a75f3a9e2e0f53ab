package robotio

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/robotio/mapping"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/msg/dynamic"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/testdata/simtest"
	"github.com/omnipitch/omnipitch/worlds"
)

// boosterWorld is a world with a Booster T1 on its feet.
const boosterWorld = `
name = "booster"
field = "hsl-14x9"
physics = { engine = "mujoco" }
[[robot]]
name = "t1"
model = "T1_23dof.xml"
drive = { level = "joints", ` + simtest.BoosterDrive + ` }
pose = { x_m = -2 }
ros2 = { profiles = ["booster"] }
[[robot.sensor]]
name = "imu"
kind = "imu"
level = "truth"
[[robot.sensor]]
name = "head"
kind = "camera"
level = "objects"
mount = { x_m = 0.06, z_m = 1.1, joint = "Head_pitch" }
image = { width_px = 640, height_px = 480, fov_deg = 90 }
vision = { lines = true }
`

// startBooster starts the world, and returns the topics of profile booster on ROS 2.
func startBooster(t *testing.T) (simtest.Sim, map[string][]*mapping.Instance) {
	w := must.Get(worlds.Load(simtest.BoosterT1(t, "..", boosterWorld)))(t)
	s := simtest.New(t, w, omnipitch.Options{NewRenderer: simtest.Grey})
	p := must.Get(mapping.CompileAll(w, msg.ROS2, ""))(t)["booster"]
	c := p.NewContext(w, 0)
	c.BodyName, c.Camera, c.Match, c.Truth = s.Sensors().Scenery().BodyName, s.Sensors().Camera, s.Match(), s.Truth()
	all := map[string][]*mapping.Instance{}
	for _, entries := range [][]*mapping.Entry{p.Publications, p.Subscriptions, p.Replies} {
		for _, i := range mapping.Instances(entries, c) {
			all[i.Plain] = append(all[i.Plain], &i)
		}
	}
	return s, all
}

// bentKnee is the angle of the knees in the pose in which Booster's controllers begin to walk, rad.
const bentKnee = 0.4

// lowCommand is a LowCmd that moves a T1 by a share of the way from its pose with all angles at 0 to about the pose in
// which Booster's controllers begin to walk, with their gains. Source: deploy/configs/T1.yaml of booster_gym.
func lowCommand(share float64) string {
	var motors []string
	motor := func(q, kp, kd float64) {
		motors = append(motors, fmt.Sprintf(`{"q": %g, "kp": %g, "kd": %g, "weight": 1}`, share*q, kp, kd))
	}
	motor(0, 20, 0.2)
	motor(0, 20, 0.2)
	for _, side := range []float64{-1, 1} {
		motor(0.25, 40, 0.5)
		motor(side*1.4, 50, 1.5)
		motor(0, 20, 0.2)
		motor(side*0.5, 10, 0.2)
	}
	motor(0, 200, 5)
	for range 2 {
		motor(-bentKnee/2, 350, 7.5)
		motor(0, 350, 7.5)
		motor(0, 180, 3)
		motor(bentKnee, 350, 5.5)
		motor(-bentKnee/2, 450, 0.5)
		motor(0, 450, 0.5)
	}
	return `{"cmd_type": 1, "motor_cmd": [` + strings.Join(motors, ",") + "]}"
}

// A controller of joints keeps a T1 on its feet over joint_ctrl and reads it in low_state; the brain of robocup_demo
// turns the head over LocoApiTopicReq, and reads where the ball is.
func TestBoosterT1(t *testing.T) {
	s, topics := startBooster(t)
	defer s.Close()
	send := func(topic, text string) (n int) {
		t.Helper()
		for _, i := range topics[topic] {
			b := must.Get(must.Get(dynamic.Compile(i.Topic))(t).AppendROS(nil, []byte(text), msg.Time{}))(t)
			i.Context.Truth = s.Truth()
			actions := must.Get(i.Actions.Read(&i.Context, b))(t)
			s.Must(actions...)
			n += len(actions)
		}
		return n
	}
	newest := map[string]any{}
	observe := func(o *sensors.Observation) {
		for topic, all := range topics {
			for _, i := range all {
				if i.Publish == nil || i.Context.Sensor == nil || i.Context.Sensor.Name != o.Sensor || !i.FedBy(o) {
					continue
				}
				i.Context.Truth = s.Truth()
				i.Context.Observe(o)
				var into any
				text := must.Get(must.Get(dynamic.Compile(i.Topic))(t).AppendJSON(nil, filled(i)))(t)
				must.Do(t, json.Unmarshal(text, &into))
				newest[topic] = into
			}
		}
	}
	for _, sensor := range []string{"imu", "head"} {
		must.Get(s.Listen("t1", sensor, omnipitch.Listener{Observe: observe}))(t)
	}
	at := func(topic string, path ...any) any {
		t.Helper()
		v := newest[topic]
		for _, key := range path {
			switch key := key.(type) {
			case string:
				v = v.(map[string]any)[key]
			case int:
				v = v.([]any)[key]
			}
		}
		return v
	}
	number := func(topic string, path ...any) float64 { t.Helper(); return at(topic, path...).(float64) }

	for i := range 100 { // lets the arms down and bends the knees slowly
		must.Equal(t, send("joint_ctrl", lowCommand(float64(i+1)/100)), 1, "actions of joint_ctrl")
		s.Steps(10)
	}
	s.RunFor(2 * time.Second)
	must.Equal(t, len(at("low_state", "motor_state_serial").([]any)), 23, "motors")
	must.Near(t, "left knee, rad", number("low_state", "motor_state_serial", 14, "q"), bentKnee, 0.05)
	must.Near(t, "roll, rad", number("low_state", "imu_state", "rpy", 0), 0, 0.03)
	must.Near(t, "pitch, rad", number("low_state", "imu_state", "rpy", 1), 0, 0.1)
	must.Near(t, "acceleration upwards, m/s²", number("low_state", "imu_state", "acc", 2), 9.81, 0.3)
	want := 350*(bentKnee-number("low_state", "motor_state_serial", 14, "q")) -
		5.5*number("low_state", "motor_state_serial", 14, "dq")
	must.Near(t, "torque of the left knee, N m", number("low_state", "motor_state_serial", 14, "tau_est"), want, 0.5)

	request := func(id int, body string) string {
		return fmt.Sprintf(`{"uuid": "1", "header": %q, "body": %q}`, fmt.Sprintf(`{"api_id":%d}`, id), body)
	}
	must.Equal(t, send("LocoApiTopicReq", request(2004, `{"pitch":0.3,"yaw":0.5}`)), 1, "actions of a head's request")
	must.Equal(t, send("LocoApiTopicReq", request(2001, `{"vx":0.2,"vy":0,"vyaw":0.1}`)), 1, "actions of a move")
	must.Equal(t, send("LocoApiTopicReq", request(2018, "{}")), 0, "actions of a request for the status")
	s.RunFor(time.Second)
	must.Near(t, "yaw of the head", number("low_state", "motor_state_serial", 0, "q"), 0.5, 0.05)
	must.Near(t, "pitch of the head", number("low_state", "motor_state_serial", 1, "q"), 0.3, 0.05)

	reply := func(id int, body string) string {
		t.Helper()
		i := topics["LocoApiTopicResp"][0]
		def := topics["LocoApiTopicReq"][0].Topic
		b := must.Get(must.Get(dynamic.Compile(def))(t).AppendROS(nil, []byte(request(id, body)), msg.Time{}))(t)
		c := i.Context
		c.Truth = s.Truth()
		c.Answer.Err = misread(i.Answers(), &c, b)
		return string(must.Get(must.Get(dynamic.Compile(i.Topic))(t).AppendJSON(nil, i.AppendReply(nil, &c, b)))(t))
	}
	for _, r := range []struct {
		id         int
		body, want string
	}{
		{2001, `{"vx":0,"vy":0,"vyaw":0}`, `{"uuid":"1","header":"{\"status\":0}","body":""}`},
		{2001, `{"vx":0}`, `{"uuid":"1","header":"{\"status\":400}","body":""}`},
		{2017, "", `{"uuid":"1","header":"{\"status\":0}","body":"{\"mode\":2}"}`},
		{2099, "", `{"uuid":"1","header":"{\"status\":501}","body":""}`},
	} {
		must.Equal(t, reply(r.id, r.body), r.want, "reply to request %d", r.id)
	}

	truth := s.Truth()
	ball := truth.Robots[0].PoseWB.Inverse().Apply(truth.Ball.PosW)
	label := ""
	for i, d := range at("booster_soccer/detection", "detected_objects").([]any) {
		if label = d.(map[string]any)["label"].(string); label == "Ball" {
			value := func(path ...any) float64 {
				return number("booster_soccer/detection", append([]any{"detected_objects", i}, path...)...)
			}
			must.Near(t, "distance of the ball", math.Hypot(value("position", 0), value("position", 1)),
				math.Hypot(ball[0], ball[1]), 0.3)
			low, high := value("xmin"), value("xmax")
			if !(high > low && low >= 0 && high < 640) {
				t.Errorf("the ball is from u = %v to %v of 640", low, high)
			}
			break
		}
	}
	must.Equal(t, label, "Ball", "label of the object that is seen")
	corners := at("booster_soccer/detection", "corner_pos").([]any)
	must.Equal(t, len(corners), 10, "corners")
	if n := len(at("booster_soccer/line_segments", "coordinates").([]any)); n == 0 || n%4 != 0 {
		t.Errorf("%d coordinates of lines: must be four for each line", n)
	}
	var read struct { // as the demo's detection_converter does
		Timestamp  float64
		Detections []struct {
			Type      string
			BBox, Pos []float64
		}
		Lines []float64 `json:"line_coordinates"`
	}
	text := at("camera/t1_rgbd_camera/detections", "data").(string)
	must.Do(t, json.Unmarshal([]byte(text), &read))
	label = ""
	for _, d := range read.Detections {
		if label = d.Type; label == "Ball" {
			must.Equal(t, len(d.BBox), 4, "numbers of the ball's box")
			must.Near(t, "distance of the ball in JSON", math.Hypot(d.Pos[0], d.Pos[1]), math.Hypot(ball[0], ball[1]),
				0.3)
			break
		}
	}
	must.Equal(t, label, "Ball", "type of the object in %s", text)
	must.Near(t, "time in JSON, s", read.Timestamp, s.Truth().Time.Seconds(), 0.2)
	if n := len(read.Lines); n == 0 || n%4 != 0 {
		t.Errorf("%d coordinates of lines in JSON: must be four for each line", n)
	}
	must.Near(t, "height of the head", number("head_pose", "position", "z"), 1.1, 0.1)
	must.Equal(t, send("LocoApiTopicReq", request(2000, `{"mode":2}`)), 0, "actions of a change to mode walking")
	must.Equal(t, send("LocoApiTopicReq", request(2000, `{"mode":0}`)), 1, "actions of a change to mode damping")
	s.Steps(2)
	must.Equal(t, reply(2017, ""), `{"uuid":"1","header":"{\"status\":0}","body":"{\"mode\":0}"}`, "mode in damping")
}

// A message that no action can be made of is refused with the field and the rule.
func TestBoosterRefuses(t *testing.T) {
	s, topics := startBooster(t)
	defer s.Close()
	for _, bad := range []struct{ topic, text, want string }{
		{"LocoApiTopicReq", `{"header": "move", "body": "{}"}`, "must be a JSON object"},
		{"LocoApiTopicReq", `{"header": "{\"api_id\":2001}", "body": "{\"vx\":1}"}`, "has no key"},
		{"LocoApiTopicReq", `{"header": "{\"api_id\":[1]}", "body": ""}`, "must be a number"},
		{"joint_ctrl", `{"motor_cmd": [{"q": null}]}`, "must be finite"},
	} {
		var got []string
		for _, i := range topics[bad.topic] {
			b := must.Get(must.Get(dynamic.Compile(i.Topic))(t).AppendROS(nil, []byte(bad.text), msg.Time{}))(t)
			if _, err := i.Actions.Read(&i.Context, b); err != nil {
				got = append(got, err.Error())
			}
		}
		if text := strings.Join(got, "; "); !strings.Contains(text, bad.want) {
			t.Errorf("%s on %s: %q: must contain %q", bad.text, bad.topic, text, bad.want)
		}
	}
}
