package robotio

import (
	"math"
	"math/rand/v2"
	"net"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/robotio/belief"
	"github.com/omnipitch/omnipitch/robotio/mitecom"
	"github.com/omnipitch/omnipitch/robotio/multicast"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/radio"
)

// A program with Mitecom plays beside a robot of the simulation. It receives over UDP what that one knows, and what it
// sends, by broadcast or not, is in the other's team_data. Messages of other teams and broken ones are ignored, and
// after a while without messages the teammate is inactive.
func TestMitecom(t *testing.T) {
	base := 10_000 + 10*rand.N(2000)
	r := mitecomRig(t, base)
	checkKnown(t, r, listenMitecom(t, r, base+2))
	in := subscribe[teamData](r, "/cyan1/team_data", "humanoid_league_msgs/TeamData")
	tellMitecom(t, r, in, base+1002)
	checkTeamData(t, in.newest())
	checkTold(t, r.bridge.Told())
	r.until("the teammate to be inactive", func() bool { return in.newest().State[0] == 0 })
}

// mitecomRig has a robot of the simulation, and one whose program has the ports base + 2 and base + 1002.
func mitecomRig(t *testing.T, base int) *rig {
	r := humanoidRig(t, omnipitch.Options{}, func(w *worlds.World) {
		second := w.Robots[0]
		second.Name, second.Number, second.Pose, second.Sensors = "cyan2", 2, worlds.Pose{X: -3, Y: 2}, nil
		w.Robots = append(w.Robots, second)
		for i, base := range map[int]int{0: 0, len(w.Robots) - 1: base} {
			w.Robots[i].Radio = &radio.Config{Mitecom: &radio.Mitecom{Team: 4, BasePort: base}}
			w.Robots[i].Radio.SetDefaults()
		}
		free(w)
		w.Ball.X, w.Ball.Y = 1, 0
		omni, _ := w.Sensor("cyan1", "omni")
		omni.Level = abstraction.Truth
	})
	radios := must.Get(multicast.Join(r.sim.World(), r.sim.Match(), func(text string) { t.Log(text) }))(t)
	t.Cleanup(radios.Close)
	return r
}

// listenMitecom returns the first message to a port that says where the ball is.
func listenMitecom(t *testing.T, r *rig, port int) (m mitecom.Message) {
	program := must.Get(net.ListenUDP("udp4", &net.UDPAddr{Port: port}))(t)
	t.Cleanup(func() { program.Close() })
	buf := make([]byte, radio.MaxBytes)
	r.until("a message to the program", func() bool {
		program.SetReadDeadline(time.Now().Add(20 * time.Millisecond))
		n, _, err := program.ReadFromUDP(buf)
		if err != nil {
			return false
		}
		m = must.Get(mitecom.Parse(buf[:n]))(t)
		_, sees := m.Get(mitecom.BallX)
		return sees
	})
	return m
}

// checkKnown compares what cyan1 has sent with the truth, which it knows.
func checkKnown(t *testing.T, r *rig, m mitecom.Message) {
	must.Equal(t, [2]uint16{m.Team, m.Robot}, [2]uint16{4, uint16(r.sim.World().Robots[0].Number)}, "team and robot")
	value := func(key mitecom.Key) float64 {
		v, _ := m.Get(key)
		return float64(v)
	}
	truth := r.sim.Truth()
	pose := truth.Robots[0].PoseWB
	ballB := pose.Inverse().Apply(truth.Ball.PosW)
	must.Near(t, "x, mm", value(mitecom.X), 1000*pose.Pos[0], 2)
	must.Near(t, "heading, degrees", value(mitecom.Heading), pose.Heading()*180/math.Pi, 1)
	must.Near(t, "ball x, mm", value(mitecom.BallX), 1000*ballB[0], 50)
	must.Equal(t, [3]float64{value(mitecom.State), value(mitecom.Belief), value(mitecom.BallBelief)},
		[3]float64{1, 255, 255}, "state and beliefs")
}

// tellMitecom sends messages of cyan2's program until they have arrived: to the simulation alone, and by broadcast. The
// last number of the address is the robot's y, in mm.
func tellMitecom(t *testing.T, r *rig, in *inbox[teamData], port int) {
	own := mitecom.Message{Team: 4, Robot: 2}
	for key, v := range map[mitecom.Key]int32{mitecom.Role: 2, mitecom.Action: 3, mitecom.State: 2, mitecom.X: 1500,
		mitecom.Heading: 90, mitecom.Belief: 255, mitecom.BallX: 300, mitecom.BallY: -20, mitecom.BallBelief: 51,
		mitecom.RivalX: 2000, mitecom.RivalX + 1: 0, mitecom.Speed: 25, mitecom.BallTime: 7, mitecom.KickRange: 350,
		mitecom.Side: 3} {
		own.Set(key, v)
	}
	foreign := mitecom.Message{Team: 5, Robot: 2}
	from := must.Get(net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)}))(t)
	t.Cleanup(func() { from.Close() })
	raw := must.Get(from.SyscallConn())(t)
	must.Do(t, raw.Control(func(fd uintptr) {
		must.Do(t, unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_BROADCAST, 1))
	}))
	for _, to := range []net.IP{net.IPv4(127, 0, 0, 1), net.IPv4(127, 255, 255, 255)} {
		y := int32(to[len(to)-1])
		own.Set(mitecom.Y, y)
		r.until("the program's message from "+to.String(), func() bool {
			for _, b := range [][]byte{own.Append(nil), []byte("broken"), foreign.Append(nil)} {
				must.Get(from.WriteTo(b, &net.UDPAddr{IP: to, Port: port}))(t)
			}
			got := in.newest()
			return got != nil && len(got.State) == 1 && got.State[0] == 2 &&
				math.Abs(got.RobotPositions[0].Y-float64(y)/1000) < 1e-9
		})
	}
}

// checkTeamData compares team_data of cyan1 with what tellMitecom has sent.
func checkTeamData(t *testing.T, got *teamData) {
	must.Near(t, "heading", got.RobotPositions[0].Theta, math.Pi/2, 1e-9)
	must.Equal(t, [3]uint8{got.Role[0], got.Action[0], got.OffensiveSide[0]}, [3]uint8{2, 3, 2},
		"STRIKER, TRYING_TO_SCORE, RIGHT")
	must.Near(t, "ball", got.BallRelative[0].Pose.X, 0.3, 1e-9)
	must.Near(t, "belief in the ball", float64(got.BallRelative[0].Confidence), 0.2, 1e-6)
	must.Near(t, "opponent", got.OpponentRobotA[0].Pose.X, 2, 1e-9)
	must.Equal(t, [3]float32{got.AvgWalkingSpeed[0], got.TimeToPositionAtBall[0], got.MaxKickingDistance[0]},
		[3]float32{0.25, 7, 3.5}, "speed, time to the ball and kick")
}

// checkTold compares what the bridge knows of the teammate with what tellMitecom has sent.
func checkTold(t *testing.T, all []belief.Robot) {
	must.Equal(t, len(all), 2, "robots that tell")
	told := all[1]
	must.Equal(t, [3]string{told.Name, told.Status.Role, told.Status.Side}, [3]string{"cyan2", "striker", "right"},
		"status")
	must.Near(t, "believed heading", told.Pose.Places[0].Heading, math.Pi/2, 1e-9)
	must.Near(t, "believed ball", told.Ball.Places[0].X, 0.3, 1e-9)
	must.Equal(t, len(told.Obstacles.Places), 1, "believed robots")
}
