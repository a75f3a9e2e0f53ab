package robotio

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/robotio/mapping"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/msg/dynamic"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/testdata/simtest"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
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
name = "odometry"
kind = "odometry"
level = "raw"
[[robot.sensor]]
name = "head"
kind = "camera"
level = "objects"
mount = { x_m = 0.06, z_m = 1.1, joint = "Head_pitch" }
image = { width_px = 640, height_px = 480, fov_deg = 90 }
vision = { lines = true }
`

// booster is a running world with a T1, and the topics of profile booster on ROS 2.
type booster struct {
	*testing.T
	simtest.Sim
	topics map[string][]*mapping.Instance
	newest map[string]any // newest message of each topic
}

func startBooster(t *testing.T, text string) *booster {
	w := must.Get(worlds.Load(simtest.BoosterT1(t, "..", text)))(t)
	s := simtest.New(t, w, omnipitch.Options{NewRenderer: simtest.Grey})
	t.Cleanup(s.Close)
	p := must.Get(mapping.CompileAll(w, msg.ROS2, ""))(t)["booster"]
	c := p.NewContext(w, 0)
	c.BodyName, c.Camera, c.Match, c.Truth = s.Sensors().Scenery().BodyName, s.Sensors().Camera, s.Match(), s.Truth()
	b := &booster{t, s, map[string][]*mapping.Instance{}, map[string]any{}}
	for _, entries := range [][]*mapping.Entry{p.Publications, p.Subscriptions, p.Replies} {
		for _, i := range mapping.Instances(entries, c) {
			b.topics[i.Plain] = append(b.topics[i.Plain], &i)
		}
	}
	for i := range w.Robots[0].Sensors {
		must.Get(s.Listen("t1", w.Robots[0].Sensors[i].Name, omnipitch.Listener{Observe: b.observe}))(t)
	}
	return b
}

// observe makes the messages that an observation feeds.
func (b *booster) observe(o *sensors.Observation) {
	for topic, all := range b.topics {
		for _, i := range all {
			if i.Publish == nil || i.Context.Sensor == nil || i.Context.Sensor.Name != o.Sensor || !i.FedBy(o) {
				continue
			}
			i.Context.Truth = b.Truth()
			i.Context.Observe(o)
			b.newest[topic] = b.decoded(i)
		}
	}
}

// decoded returns the present message of a topic.
func (b *booster) decoded(i *mapping.Instance) (message any) {
	text := must.Get(must.Get(dynamic.Compile(i.Topic))(b).AppendJSON(nil, filled(i)))(b)
	must.Do(b, json.Unmarshal(text, &message))
	return message
}

// at returns a part of the newest message of a topic.
func (b *booster) at(topic string, path ...any) any {
	b.Helper()
	v := b.newest[topic]
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

func (b *booster) number(topic string, path ...any) float64 {
	b.Helper()
	return b.at(topic, path...).(float64)
}

// send sends a message, given as JSON, and returns the number of actions that it causes.
func (b *booster) send(topic, text string) (n int) {
	b.Helper()
	for _, i := range b.topics[topic] {
		message := must.Get(must.Get(dynamic.Compile(i.Topic))(b).AppendROS(nil, []byte(text), msg.Time{}))(b)
		i.Context.Truth = b.Truth()
		actions := must.Get(i.Actions.Read(&i.Context, message))(b)
		b.Must(actions...)
		n += len(actions)
	}
	return n
}

// call sends a request to LocoApiTopicReq, and returns the number of actions that it causes.
func (b *booster) call(id int, body string) int {
	b.Helper()
	return b.send("LocoApiTopicReq", rpc(id, body))
}

func rpc(id int, body string) string {
	return fmt.Sprintf(`{"uuid": "1", "header": %q, "body": %q}`, fmt.Sprintf(`{"api_id":%d}`, id), body)
}

// reply returns the status and the body of the reply to a request, which is not carried out.
func (b *booster) reply(id int, body string) (status int, text string) {
	b.Helper()
	i := b.topics["LocoApiTopicResp"][0]
	def := b.topics["LocoApiTopicReq"][0].Topic
	request := must.Get(must.Get(dynamic.Compile(def))(b).AppendROS(nil, []byte(rpc(id, body)), msg.Time{}))(b)
	c := i.Context
	c.Truth = b.Truth()
	c.Answer = answer(i.Answers(), &c, request)
	var got struct{ UUID, Header, Body string }
	must.Do(b, json.Unmarshal(must.Get(must.Get(dynamic.Compile(i.Topic))(b).AppendJSON(nil,
		i.AppendReply(nil, &c, request)))(b), &got))
	must.Equal(b, got.UUID, "1", "uuid of the reply")
	var header struct{ Status int }
	must.Do(b, json.Unmarshal([]byte(got.Header), &header))
	return header.Status, got.Body
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
	b := startBooster(t, boosterWorld)
	b.bendKnees()
	b.turnHead()
	b.seeBall()
	b.readJSON()
	must.Equal(t, b.call(2031, ""), 1, "actions of a reset of the odometry")
	b.Steps(4)
	must.Near(t, "x of odometer_state after a reset", b.number("odometer_state", "x"), 0, 0.001)
}

// bendKnees lets the arms down and bends the knees slowly.
func (b *booster) bendKnees() {
	for i := range 100 {
		must.Equal(b, b.send("joint_ctrl", lowCommand(float64(i+1)/100)), 1, "actions of joint_ctrl")
		b.Steps(10)
	}
	b.RunFor(2 * time.Second)
	must.Equal(b, len(b.at("low_state", "motor_state_serial").([]any)), 23, "motors")
	knee := func(key string) float64 { return b.number("low_state", "motor_state_serial", 14, key) }
	must.Near(b, "left knee, rad", knee("q"), bentKnee, 0.05)
	must.Near(b, "torque of the left knee, N m", knee("tau_est"), 350*(bentKnee-knee("q"))-5.5*knee("dq"), 0.5)
	must.Near(b, "roll, rad", b.number("low_state", "imu_state", "rpy", 0), 0, 0.03)
	must.Near(b, "pitch, rad", b.number("low_state", "imu_state", "rpy", 1), 0, 0.1)
	must.Near(b, "acceleration upwards, m/s²", b.number("low_state", "imu_state", "acc", 2), 9.81, 0.3)
	must.Near(b, "height of the head", b.number("head_pose", "position", "z"), 1.1, 0.1)
}

// turnHead turns the head and walks for a second.
func (b *booster) turnHead() {
	must.Equal(b, b.call(2004, `{"pitch":0.3,"yaw":0.5}`), 1, "actions of a head's request")
	must.Equal(b, b.call(2001, `{"vx":0.2,"vy":0,"vyaw":0.1}`), 1, "actions of a move")
	must.Equal(b, b.call(2018, "{}"), 0, "actions of a request for the status")
	b.RunFor(time.Second)
	must.Near(b, "yaw of the head", b.number("low_state", "motor_state_serial", 0, "q"), 0.5, 0.05)
	must.Near(b, "pitch of the head", b.number("low_state", "motor_state_serial", 1, "q"), 0.3, 0.05)
}

// ballB returns the ball's position in the robot's frame.
func (b *booster) ballB() mgl64.Vec3 {
	truth := b.Truth()
	return truth.Robots[0].PoseWB.Inverse().Apply(truth.Ball.PosW)
}

// seeBall reads the results of the vision node.
func (b *booster) seeBall() {
	const topic = "booster_soccer/detection"
	objects := b.at(topic, "detected_objects").([]any)
	i := slices.IndexFunc(objects, func(o any) bool { return o.(map[string]any)["label"] == "Ball" })
	if i < 0 {
		b.Fatalf("no ball in %v", objects)
	}
	value := func(path ...any) float64 { return b.number(topic, append([]any{"detected_objects", i}, path...)...) }
	must.Near(b, "distance of the ball", math.Hypot(value("position", 0), value("position", 1)),
		b.ballB().Vec2().Len(), 0.3)
	if low, high := value("xmin"), value("xmax"); !(high > low && low >= 0 && high < 640) {
		b.Errorf("the ball is from u = %v to %v of 640", low, high)
	}
	must.Equal(b, len(b.at(topic, "corner_pos").([]any)), 10, "numbers of corners")
	if n := len(b.at("booster_soccer/line_segments", "coordinates").([]any)); n == 0 || n%4 != 0 {
		b.Errorf("%d coordinates of lines: must be four for each line", n)
	}
}

// readJSON reads detections as the demo's detection_converter does.
func (b *booster) readJSON() {
	var read struct {
		Timestamp  float64
		Detections []struct {
			Type      string
			BBox, Pos []float64
		}
		Lines []float64 `json:"line_coordinates"`
	}
	text := b.at("camera/t1_rgbd_camera/detections", "data").(string)
	must.Do(b, json.Unmarshal([]byte(text), &read))
	found := false
	for _, d := range read.Detections {
		if d.Type == "Ball" {
			found = true
			must.Equal(b, len(d.BBox), 4, "numbers of the ball's box")
			must.Near(b, "distance of the ball in JSON", math.Hypot(d.Pos[0], d.Pos[1]), b.ballB().Vec2().Len(), 0.3)
		}
	}
	if !found {
		b.Errorf("no ball in %s", text)
	}
	must.Near(b, "time in JSON, s", read.Timestamp, b.Truth().Time.Seconds(), 0.2)
	if n := len(read.Lines); n == 0 || n%4 != 0 {
		b.Errorf("%d coordinates of lines in JSON: must be four for each line", n)
	}
}

// The status of a reply says whether the request was understood, is simulated, and can be carried out now.
func TestBoosterReplies(t *testing.T) {
	b := startBooster(t, boosterWorld)
	other := func(robot string) *booster {
		return startBooster(t, "name = 'other'\nfield = 'hsl-14x9'\nphysics = { engine = 'mujoco' }\n"+
			"[[robot]]\nname = 't1'\nros2 = { profiles = ['booster'] }\n"+robot)
	}
	statuses := func(of *booster, when string, want map[string]int) {
		t.Helper()
		for request, status := range want {
			id, body, _ := strings.Cut(request, " ")
			if got, _ := of.reply(must.Get(strconv.Atoi(id))(t), body); got != status {
				t.Errorf("%s: status of the reply to %s = %d, want %d", when, request, got, status)
			}
		}
	}
	standing := map[string]int{
		`2000 {"mode":0}`: 0, `2000 {"mode":1}`: 0, `2000 {"mode":2}`: 0, `2000 {"mode":3}`: 0,
		`2000 {"mode":7}`: 501, `2000 {}`: 400,
		`2001 {"vx":0,"vy":0,"vyaw":0}`: 0, `2001 {"vx":0}`: 400, `2004 {"pitch":0,"yaw":0}`: 0,
		`2007 `: 501, `2008 `: 502, `2017 `: 0, `2018 `: 0, `2024 `: 501, `2025 {"mode":2}`: 502, `2031 `: 0, `2099 `: 501,
	}
	b.Steps(2)
	statuses(b, "standing", standing)
	statuses(other("model = 'nubot'\ndrive = { level = 'chassis' }"), "without joints", map[string]int{
		`2000 {"mode":1}`: 501, `2000 {"mode":2}`: 0, `2001 {"vx":0,"vy":0,"vyaw":0}`: 0,
		`2004 {"pitch":0,"yaw":0}`: 501, `2008 `: 502, `2031 `: 0,
	})
	_, mode := b.reply(2017, "")
	must.Equal(t, mode, `{"mode":2}`, "mode of a robot that stands")
	must.Equal(t, b.call(2000, `{"mode":2}`), 0, "actions of a change to mode walking")
	must.Equal(t, b.call(2000, `{"mode":0}`), 1, "actions of a change to mode damping")
	b.Steps(2)
	_, mode = b.reply(2017, "")
	must.Equal(t, mode, `{"mode":0}`, "mode in damping")
	statuses(b, "in damping", map[string]int{`2000 {"mode":2}`: 502, `2000 {"mode":1}`: 0})

	kid := other("model = 'humanoid-kid'\ndrive = { level = 'joints' }") // it gets up on its own
	statuses(kid, "standing", map[string]int{
		`2004 {"pitch":0,"yaw":0}`: 501, `2008 `: 502, `2024 `: 0, `2025 {"mode":2}`: 502,
	})
	kid.fall()
	statuses(kid, "fallen", map[string]int{`2000 {"mode":2}`: 0, `2008 `: 0, `2025 {"mode":2}`: 0})

	kid = other("model = 'humanoid-kid'\ndrive = { level = 'joints' }")
	must.Equal(t, kid.call(2000, `{"mode":0}`), 1, "actions of a change to mode damping")
	kid.fall()
	kid.RunFor(time.Second)
	must.Equal(t, kid.Truth().Robots[0].Motion, physics.Fallen, "motion state of a robot that has no motors to get up with")
	statuses(kid, "fallen in damping", map[string]int{
		`2000 {"mode":2}`: 502, `2000 {"mode":1}`: 0, `2008 `: 502, `2025 {"mode":2}`: 502,
	})
	_, mode = kid.reply(2018, "")
	must.Equal(t, mode, `{"current_mode":0,"current_body_control":0,"current_actions":[]}`, "mode of a fallen robot")
	for _, i := range kid.topics["robot_states"] {
		i.Context.Truth = kid.Truth()
		must.Equal(t, kid.decoded(i).(map[string]any)["current_mode"], any(0.0), "current_mode of robot_states")
	}
	must.Equal(t, kid.call(2000, `{"mode":1}`), 1, "actions of a change to mode prepare")
	kid.Steps(1)
	statuses(kid, "fallen with motors on again", map[string]int{`2000 {"mode":2}`: 0, `2008 `: 0})
}

// fall pushes the robot, and waits until it lies.
func (b *booster) fall() {
	b.Helper()
	b.Must(&action.Push{Name: "t1", FX: 75, For: 100 * time.Millisecond})
	for deadline := 10 * time.Second; b.Truth().Robots[0].Motion != physics.Fallen; b.Steps(1) {
		if b.Truth().Time > deadline {
			b.Fatal("the pushed robot does not fall")
		}
	}
}

// A message that no action can be made of is refused with the field and the rule.
func TestBoosterRefuses(t *testing.T) {
	topics := startBooster(t, boosterWorld).topics
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
