package rcsssmj

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"net"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/testdata/simtest"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/radio"
)

// match is a run of the world simulation-league at speed lockstep, with a server.
type match struct {
	*Server
	t     *testing.T
	said  must.List[string]
	model *physics.Model

	mu    sync.Mutex
	truth physics.Snapshot
}

// play starts a run, which ends with the test.
func play(t *testing.T, changes ...func(*worlds.World)) *match {
	t.Helper()
	sim := simtest.New(t, simtest.World(t, "simulation-league", changes...), omnipitch.Options{})
	m := &match{t: t, model: sim.World().Model()}
	say := func(text string) { m.said.Add(text) }
	sim.OnStep(func(truth *physics.Snapshot) {
		m.mu.Lock()
		defer m.mu.Unlock()
		truth.CopyTo(&m.truth)
	})
	m.Server = must.Get(Listen(sim.Sim, Config{Addr: "127.0.0.1:0", Refused: func(err error) { say(err.Error()) },
		Say: say}))(t)
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		_, err := sim.Run(ctx, omnipitch.Pace{Speed: timesync.Lockstep, Notify: say})
		must.Do(t, err)
	})
	t.Cleanup(func() { cancel(); running.Wait(); m.Close() })
	return m
}

// client is an agent.
type client struct {
	net.Conn
	t *testing.T
}

func (m *match) dial() *client {
	m.t.Helper()
	c := &client{must.Get(net.Dial("tcp", m.Addr().String()))(m.t), m.t}
	m.t.Cleanup(func() { c.Close() })
	return c
}

func (c *client) send(text string) {
	c.t.Helper()
	must.Get(c.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(text))), text...)))(c.t)
}

func (c *client) receive() (string, error) {
	_ = c.SetReadDeadline(time.Now().Add(time.Minute))
	var head [4]byte
	if _, err := io.ReadFull(c, head[:]); err != nil {
		return "", err
	}
	b := make([]byte, binary.BigEndian.Uint32(head[:]))
	_, err := io.ReadFull(c, b)
	return string(b), err
}

// values returns the numbers in the first match of a pattern.
func values(text, pattern string) (all []float64) {
	found := regexp.MustCompile(pattern).FindStringSubmatch(text)
	if found == nil {
		return nil
	}
	for f := range strings.FieldsSeq(found[1]) {
		v, err := strconv.ParseFloat(f, 64)
		if err != nil {
			return nil
		}
		all = append(all, v)
	}
	return all
}

// exact makes cameras exact.
func exact(w *worlds.World) { simtest.AtLevel(abstraction.Truth)(w) }

// An agent gets what the robot's sensors report, in the form in which the league's server sends it, and its motors move
// the robot: it stands, and turns its head.
func TestAgent(t *testing.T) {
	m := play(t, exact)
	c := m.dial()
	c.send("(init T1 Blue 1)")
	robot := slices.IndexFunc(m.model.Robots, func(r physics.Robot) bool { return r.Name == "cyan1" })
	joints := m.model.Robots[robot].Joints
	var message string
	for cycle := range 100 {
		message = must.Get(c.receive())(t)
		m.mu.Lock()
		truth := m.truth
		poseWB, state, ball := truth.Robots[robot].PoseWB, m.model.JointsOf(robot, &truth), truth.Ball.PosW
		angles := map[string]float64{}
		for i := range joints {
			angles[joints[i].Name] = mgl64.RadToDeg(state[i].Position)
		}
		now := truth.Time
		m.mu.Unlock()
		// the form of a message of rcssservermj 0.2.1, without the angles of joints and what is seen
		form := regexp.MustCompile(`\(TCH .*|\(HJ .*`).ReplaceAllString(message, "")
		form = regexp.MustCompile(`-?[0-9][0-9.]*`).ReplaceAllString(form, "#")
		must.Equal(t, form, "(time (now #))(GS (t #)(pm BeforeKickOff)(tl Blue)(sl #)(sr #))"+
			"(quat (n torso_quat) (q # # # #))(pos (n torso_pos) (p # # #))(GYR (n torso_gyro) (rt # # #))"+
			"(ACC (n torso_acc) (a # # #))", "form")
		must.Near(t, "now", values(message, `\(now ([^)]*)`)[0], now.Seconds(), 0.01)
		must.Equal(t, now, time.Duration(cycle)*20*time.Millisecond, "cycle")
		imu := poseWB.Apply(mgl64.Vec3{0, 0, 0.5})
		for i, v := range values(message, `\(pos \(n torso_pos\) \(p ([^)]*)`) {
			must.Near(t, "position", v, imu[i], 0.002)
		}
		for sense, joint := range map[string]string{"q_hj1": "head_yaw", "q_llj1": "left_hip_pitch",
			"q_rlj6": "right_ankle_roll", "q_raj3": "right_elbow"} {
			must.Near(t, sense, values(message, `\(n `+sense+`\)\(ax ([^)]*)`)[0], angles[joint], 0.011)
		}
		if strings.Contains(message, "(See ") {
			// the camera is 0.735 m over the floor and 0.064 m before the axis of the neck while the head is straight
			seen := values(message, `\(B \(pol ([^)]*)`)
			at := poseWB.Inverse().Apply(ball)
			must.Near(t, "distance", seen[0], at.Sub(mgl64.Vec3{0.05, 0, 0.73}).Len(), 0.06)
			must.Near(t, "azimuth", seen[1], mgl64.RadToDeg(math.Atan2(at[1], at[0]-0.05))-angles["head_yaw"], 2.5)
			corner := poseWB.Inverse().Apply(mgl64.Vec3{4.5, 3, 0})
			polar := values(message, `\(l_ruf \(pol ([^)]*)`)
			must.Near(t, "distance of the corner", polar[0], corner.Sub(mgl64.Vec3{0.05, 0, 0.73}).Len(), 0.2)
			if !strings.Contains(message, "(P (team magenta)(id 2)(head (pol ") {
				t.Errorf("no magenta2 in %s", message)
			}
		}
		effectors := fmt.Sprintf("(he1 30 0 30 0.5 0)(nose 1 2 3 4 5)")
		for i := range m.robots[0].motors {
			if name := m.robots[0].motors[i].name; name != "he1" {
				effectors += fmt.Sprintf("(%s 0 0 60 1 0)", name)
			}
		}
		c.send(effectors)
	}
	must.Near(t, "angle of the head", values(message, `q_hj1\)\(ax ([^)]*)`)[0], 30, 3)
	touches := strings.Contains(message, ")(TCH n lfoot val 1)(TCH n rfoot val 1)(HJ ")
	must.Equal(t, touches, true, "touches in %s", message)
	must.Near(t, "height of the trunk", values(message, `\(p [-0-9.]+ [-0-9.]+ ([^)]*)`)[0], 0.5, 0.05)
	if !slices.Contains(m.said.All(), `robot cyan1: rcsssmj: "nose": the robot has no such motor`) {
		t.Errorf("said %q", m.said.All())
	}
}

// The second team plays on the right. Each team beams into its own half, before a kick-off. Teammates hear each other.
func TestTeams(t *testing.T) {
	m := play(t, func(w *worlds.World) {
		w.Time.WaitFor = append(w.Time.WaitFor, w.Time.WaitFor[0], w.Time.WaitFor[0])
		w.Time.WaitFor[1].Robot, w.Time.WaitFor[2].Robot = "magenta1", "magenta2"
	})
	var clients []*client
	for i, init := range []string{"(init K1 Blue 1)", "(init K1 Red 1)", "(init K1 Red 2)"} {
		clients = append(clients, m.dial())
		clients[i].send(init)
		must.Until(t, init, func() bool { return m.teamNames()[min(i, 1)] != "" })
	}
	var messages [3]string
	heard := ""
	for cycle := range 20 {
		for i, c := range clients {
			messages[i] = must.Get(c.receive())(t)
		}
		heard += strings.Join(regexp.MustCompile(`\(MIC.*`).FindAllString(messages[2], -1), "")
		for i, c := range clients {
			if cycle == 0 {
				c.send(fmt.Sprintf("(beam -3 %d 10)(SPK say 100 AQID)", i))
				continue
			}
			c.send("(syn)")
		}
	}
	for i, want := range [][3]float64{{-3, 0, 10}, {3, 1, 190}, {3, 2, 190}} {
		p := values(messages[i], `\(pos \(n torso_pos\) \(p ([^)]*)`)
		q := values(messages[i], `\(quat \(n torso_quat\) \(q ([^)]*)`)
		must.Near(t, "x", p[0], want[0], 0.1)
		must.Near(t, "y", p[1], want[1], 0.1)
		must.Near(t, "heading", math.Mod(2*mgl64.RadToDeg(math.Atan2(q[3], q[0]))+360, 360), want[2], 5)
	}
	must.Equal(t, strings.Contains(messages[0], "(tl Blue)(tr Red)"), true, "names of the teams in %s", messages[0])
	if !regexp.MustCompile(`^\(MIC hear \(-?\d+ AQID\)\)$`).MatchString(heard) {
		t.Errorf("magenta2 heard %q, want what magenta1 said", heard)
	}
}

// Agents without a robot are disconnected, and the run goes on. A robot is free again when its agent has left.
func TestRefusedAgents(t *testing.T) {
	m := play(t)
	first := m.dial()
	first.send("(init T1 Blue 1)")
	must.Get(first.receive())(t)
	for _, c := range []struct{ text, want string }{
		{"(init T1 Blue 1)", "robot cyan1: another agent drives it"},
		{"(init T1 Blue 9)", "team Blue: has no robot with number 9"},
		{"(he1 1 2 3 4 5)", "its first message must be (init MODEL TEAM NUMBER)"},
		{"(init T1 Blue x)", "and a number from 1"},
		{"init", "its first message must be"},
		{strings.Repeat("(", 65537), "it announces a message of 65537 bytes: must be at most 65536"},
	} {
		a := m.dial()
		a.send(c.text)
		if _, err := a.receive(); err == nil {
			t.Errorf("%.20s: an answer", c.text)
		}
		must.Until(t, c.want, func() bool { return strings.Contains(strings.Join(m.said.All(), "\n"), c.want) })
	}
	first.Close()
	must.Until(t, "the agent's departure", func() bool {
		return slices.Contains(m.said.All(), "rcsssmj: the agent of cyan1 has left")
	})
	next := m.dial()
	next.send("(init T1 Green 1)")
	if message := must.Get(next.receive())(t); !strings.Contains(message, "(tl Green)") {
		t.Errorf("%s", message)
	}
}

// Messages to an agent, also to one that reads nothing, take no memory. Of what teammates say, three messages are
// heard.
func TestMessageAllocs(t *testing.T) {
	sim := simtest.New(t, simtest.World(t, "simulation-league", exact), omnipitch.Options{})
	s := must.Get(Listen(sim.Sim, Config{Addr: "127.0.0.1:0"}))(t)
	defer s.Close()
	near, far := net.Pipe()
	defer far.Close()
	a := newAgent(s, near)
	r := must.Get(s.join(a, "Blue", 1))(t)
	seen := [4]*sensors.Observation{sim.Capture("cyan1", "camera", abstraction.Truth),
		{Reading: &sensors.IMUReading{GyroS: mgl64.Vec3{1, -2, 3}}},
		{Reading: &sensors.JointsReading{Joints: make([]sensors.JointReading, len(r.joints))}},
		{Reading: &sensors.FeetReading{Force: [2]float64{0, 30}}}}
	message := func() {
		s.view.observe(sim.Truth())
		r.look(seen[0])
		r.feel(seen[1])
		r.sense(seen[2])
		r.tread(seen[3])
		r.send(time.Second)
	}
	for _, data := range []string{"a", "too long a message", "b", "c", "d"} {
		r.hear("", &radio.Message{Data: []byte(data)})
	}
	message()
	if heard := "(MIC hear (0 YQ==)(0 Yg==)(0 Yw==))"; !strings.HasSuffix(string(<-a.queue), heard) {
		t.Errorf("not heard: %s", heard)
	}
	for range 2 * maxQueued {
		message()
	}
	must.Equal(t, len(a.queue), maxQueued, "queued messages")
	if n := testing.AllocsPerRun(50, message); n != 0 {
		t.Errorf("a message makes %v allocations", n)
	}
}

// The server needs a free address, and a robot that agents can drive. If it fails, it leaves nothing behind.
func TestListenFails(t *testing.T) {
	sim := simtest.New(t, simtest.World(t, "simulation-league"), omnipitch.Options{})
	first := must.Get(Listen(sim.Sim, Config{Addr: "127.0.0.1:0"}))(t)
	defer first.Close()
	must.Refuse(Listen(sim.Sim, Config{Addr: first.Addr().String()}))(t, "in use")
	must.Refuse(Listen(sim.Sim, Config{Addr: "here"}))(t, "missing port")
	wheels := simtest.New(t, simtest.World(t, "player"), omnipitch.Options{NewRenderer: simtest.Grey})
	must.Refuse(Listen(wheels.Sim, Config{Addr: "127.0.0.1:0"}))(t, "no robot has a sensor of kind imu")
}

// A world's motors have the league's names, and joints that a robot has.
func TestCheck(t *testing.T) {
	w := simtest.World(t, "simulation-league", func(w *worlds.World) { w.RCSSSMJ.Motors["he1"] = "head_jaw" })
	must.Fail(t, Check(w), "no robot has such a joint; did you mean head_yaw?")
	delete(w.RCSSSMJ.Motors, "he1")
	w.RCSSSMJ.Motors["nose"] = "head_yaw"
	must.Fail(t, Check(w), "no such motor: must be one of he1, he2")
}
