package reproduce

import (
	"context"
	"errors"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/cmd/internal/bench/rospeer"
	"github.com/omnipitch/omnipitch/physics/experiment"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/sensors"
)

// motionNode is a node of the motion software of the paper's robot, with the messages of our node in its place.
type motionNode struct {
	name  string
	roles []string // of the peer: see rospeer.Start
	sends string   // topic; "": none
	// loads in the paper, in per cent of a core, while the robot stands, plays an animation, and walks
	reported [3]float64
}

// Topics of the experiment.
const (
	imuTopic   = "/imu"
	stateTopic = "/joint_states"
	goalTopic  = "/motor_goals" // of walking and animation
)

// motionNodes returns the nodes. The node hcm passes goals on to the hardware, cm730.
func motionNodes() []motionNode {
	const goals = "trajectory"
	hears := []string{"subscribe", "imu", imuTopic, "subscribe", goals, stateTopic}
	return []motionNode{
		{"cm730", []string{"publish", "imu", imuTopic, "subscribe", goals, rospeer.RelayOf(goalTopic)}, imuTopic,
			[3]float64{58, 58, 58}},
		{"joint state publisher", []string{"publish", goals, stateTopic}, stateTopic, [3]float64{4, 4, 4}},
		{"hcm", append([]string{"relay", goals, goalTopic}, hears...), "", [3]float64{10, 20, 20}},
		{"walking", append([]string{"publish", goals, goalTopic}, hears...), goalTopic, [3]float64{12, 12, 40}},
		{"animation", append([]string{"publish", goals, goalTopic}, hears...), goalTopic, [3]float64{7, 46, 7}},
	}
}

// motionCases are what the robot does, and whether walking and animation send goals then.
var motionCases = [3]struct {
	name string
	idle []string // nodes that send nothing
	sum  float64  // load of all nodes in the paper
}{
	{"standing", []string{"walking", "animation"}, 91},
	{"animation", []string{"walking"}, 140},
	{"walking", []string{"animation"}, 129},
}

func runLoad(ctx context.Context, t *Trial) error {
	w, err := t.Load(0)
	if err != nil {
		return err
	}
	imu := sensorOf(w, "imu")
	if imu == nil || sensorOf(w, "joints") == nil {
		return t.unfit("has no robot with an IMU and a sensor of joints, whose messages would be sent")
	}
	turn := 8 * time.Second
	switch {
	case t.brief:
		turn = 300 * time.Millisecond
	case t.Quick:
		turn = time.Second
	}
	loads, err := measureNodes(ctx, t, imu.Rate, turn)
	if err != nil {
		return err
	}
	p := experiment.Plot{Name: "load", Title: "Processor load of each node: cm730, joint state publisher, hcm, walking, " +
		"animation", XLabel: "node", YLabel: "load, % of a core"}
	for i, c := range motionCases {
		curve, sum := experiment.Curve{Name: c.name}, 0.
		for k, n := range motionNodes() {
			t.Add(besidePaper(n.name+", "+c.name, loads[i][k], n.reported[i]))
			curve.Add(float64(k+1), loads[i][k])
			sum += loads[i][k]
		}
		t.Add(besidePaper("all nodes, "+c.name, sum, c.sum))
		p.Curves = append(p.Curves, curve)
	}
	const standing, animation, subscriptions = 0, 4, 2
	t.Add(AtMost("each subscription of a node that sends nothing", loads[standing][animation]/subscriptions, 6.5, "%"))
	simulator, err := t.simulatorLoad(ctx, turn)
	if err != nil {
		return err
	}
	t.Add(Aside("simulator in the place of robot and cm730, in real time", simulator, "%"))
	t.Plot(p)
	return nil
}

// besidePaper returns a load in per cent without a verdict, because the paper's nodes do more work.
func besidePaper(name string, value, reported float64) Finding {
	f := Aside(name, value, "%")
	f.Reported = number(reported) + " %"
	return f
}

// measureNodes starts the nodes as processes, and returns the load of each in each case, in per cent of a core.
func measureNodes(ctx context.Context, t *Trial, rate float64, turn time.Duration) (loads [3][]float64, err error) {
	master, err := ros1.ListenMaster(ros1.MasterConfig{Addr: "127.0.0.1:0"})
	if err != nil {
		return loads, err
	}
	defer master.Close()
	home, err := os.MkdirTemp("", "omnipitch-reproduce-")
	if err != nil {
		return loads, err
	}
	defer os.RemoveAll(home)
	nodes := motionNodes()
	peers := make([]*rospeer.Process, len(nodes))
	for i := range nodes {
		if peers[i], err = rospeer.Start(ctx, master.URI(), home, "", strings.ReplaceAll(nodes[i].name, " ", "_"),
			nodes[i].roles...); err != nil {
			return loads, err
		}
		defer peers[i].Kill()
	}
	for i := range nodes {
		if nodes[i].sends != "" {
			if _, err := peers[i].Ask("await %s", nodes[i].sends); err != nil {
				return loads, err
			}
		}
	}
	for i, c := range motionCases {
		for _, d := range []time.Duration{turn / 8, turn} { // the first is a warm-up
			if loads[i], err = loadOf(nodes, peers, c.idle, rate, d); err != nil {
				return loads, err
			}
		}
		t.Progress(float64(i+1) / float64(len(motionCases)+1))
	}
	return loads, nil
}

// loadOf lets all nodes but the idle ones send messages for a time, and returns the load of each.
func loadOf(nodes []motionNode, peers []*rospeer.Process, idle []string, rate float64, d time.Duration) ([]float64,
	error) {
	before, loads := make([]time.Duration, len(peers)), make([]float64, len(peers))
	errs := make([]error, 2*len(peers))
	for i, p := range peers {
		before[i], errs[i] = p.CPU()
	}
	begun, done := time.Now(), make(chan struct{})
	sending := 0
	for i := range nodes {
		if nodes[i].sends == "" || slices.Contains(idle, nodes[i].name) {
			continue
		}
		sending++
		go func() {
			_, errs[len(peers)+i] = peers[i].Ask("publish %s %g %d", nodes[i].sends, rate, d)
			done <- struct{}{}
		}()
	}
	for range sending {
		<-done
	}
	wall := time.Since(begun)
	for i, p := range peers {
		after, err := p.CPU()
		errs = append(errs, err)
		loads[i] = 100 * float64(after-before[i]) / float64(wall)
	}
	return loads, errors.Join(errs...)
}

// simulatorLoad returns the load of this process while it simulates the world in real time and reads the sensors of
// motion, in per cent of a core.
func (t *Trial) simulatorLoad(ctx context.Context, turn time.Duration) (float64, error) {
	sim, err := t.start()
	if err != nil {
		return math.NaN(), err
	}
	defer sim.Close()
	w := sim.World()
	for i := range w.Robots {
		for k := range w.Robots[i].Sensors {
			if s := &w.Robots[i].Sensors[k]; s.Kind == "imu" || s.Kind == "joints" {
				if _, err := sim.Sensors().Listen(w.Robots[i].Name, s.Name, omnipitch.Listener{
					Observe: func(*sensors.Observation) {}}); err != nil {
					return math.NaN(), err
				}
			}
		}
	}
	used, begun := rospeer.CPUTime(), time.Now()
	err = steps(ctx, sim, turn, nil, func() { time.Sleep(time.Until(begun.Add(sim.Truth().Time))) })
	t.Progress(1)
	return 100 * float64(rospeer.CPUTime()-used) / float64(time.Since(begun)), err
}
