package player

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"io"
	"math"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/testdata/simtest"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// text is an array of bytes in a message. Player sends its length twice.
type text string

// pack encodes values by the rules of playerxdrgen.py, independently of the code under test: integers and booleans take
// four bytes, floats four, doubles eight, all big-endian; an array of bytes is filled up to a multiple of four.
func pack(values ...any) []byte {
	var b bytes.Buffer
	for _, v := range values {
		switch v := v.(type) {
		case int:
			_ = binary.Write(&b, binary.BigEndian, int32(v)) // a Buffer never fails
		case text:
			_ = binary.Write(&b, binary.BigEndian, [2]int32{int32(len(v)), int32(len(v))})
			b.WriteString(string(v) + strings.Repeat("\x00", (4-len(v)%4)%4))
		default:
			_ = binary.Write(&b, binary.BigEndian, v)
		}
	}
	return b.Bytes()
}

// served is a simulation with a server, and the refusals that the server has reported.
type served struct {
	simtest.Sim
	*Server
	refused must.List[string]
}

// serve serves the world player, with small messages and the renderer Grey.
func serve(t testing.TB, changes ...func(*worlds.World)) *served {
	t.Helper()
	return serveSim(t, newSim(t, append(changes, small)...))
}

// newSim returns a simulation of the world player, with the renderer Grey.
func newSim(t testing.TB, changes ...func(*worlds.World)) simtest.Sim {
	t.Helper()
	return simtest.New(t, simtest.World(t, "player", changes...), omnipitch.Options{NewRenderer: simtest.Grey})
}

func serveSim(t testing.TB, sim simtest.Sim) *served {
	t.Helper()
	s := &served{Sim: sim}
	var err error
	s.Server, err = Listen(s.Sim.Sim, Config{Addr: "127.0.0.1:0",
		Refused: func(err error) { s.refused.Add(err.Error()) },
		Say:     func(text string) { s.refused.Add(text) }})
	must.Do(t, err)
	t.Cleanup(func() { s.Server.Close() })
	return s
}

// small makes the messages of cyan1 short: three beams, images of 16 × 16 pixels.
func small(w *worlds.World) {
	for i := range w.Robots[0].Sensors {
		c := &w.Robots[0].Sensors[i]
		if c.Laser != nil && c.Level != abstraction.Pose { // there, a scan must show enough to localise by
			c.Laser.FOV, c.Laser.Resolution = 0.5, 0.25
		}
		if c.Image != nil {
			c.Image.Width, c.Image.Height = 16, 16
		}
	}
}

// peer is a client that is not made of the code under test.
type peer struct {
	t testing.TB
	net.Conn
	port uint32
}

func dial(t testing.TB, s *served, robot int) *peer {
	t.Helper()
	addr := s.Addrs()[robot].(*net.TCPAddr)
	p := &peer{t, must.Get(net.Dial("tcp", addr.String()))(t), uint32(addr.Port)}
	t.Cleanup(func() { p.Close() })
	must.Do(t, p.SetDeadline(time.Now().Add(time.Minute)))
	must.Equal(t, string(p.receive(32)), "Player v.3.1.0"+strings.Repeat("\x00", 18), "identity")
	return p
}

func (p *peer) receive(n int) []byte {
	p.t.Helper()
	b := make([]byte, n)
	must.Get(io.ReadFull(p, b))(p.t)
	return b
}

// send sends a message. Its header has another host and port than the connection: servers ignore them.
func (p *peer) send(interf, index, typ, subtype int, payload []byte) {
	p.t.Helper()
	head := pack(9, 9, interf, index, typ, subtype, 0.0, 77, len(payload))
	must.Get(p.Write(append(head, payload...)))(p.t)
}

// got is a message that a peer has received.
type got struct {
	interf, index, typ, subtype int
	time                        float64
	payload                     []byte
}

func (p *peer) read() got {
	p.t.Helper()
	var h struct {
		Host, Port, Interf, Index, Type, Subtype uint32
		Time                                     float64
		Seq, Size                                uint32
	}
	must.Do(p.t, binary.Read(p, binary.BigEndian, &h))
	if h.Type != typeSynch && (h.Host != 0x0100007f || h.Port != p.port) {
		p.t.Errorf("got address %x:%d, want 100007f:%d", h.Host, h.Port, p.port)
	}
	return got{int(h.Interf), int(h.Index), int(h.Type), int(h.Subtype), h.Time, p.receive(int(h.Size))}
}

// ask sends a request, and returns the type and the payload of the answer. It skips data.
func (p *peer) ask(interf, index, subtype int, payload []byte) (int, []byte) {
	p.t.Helper()
	p.send(interf, index, typeRequest, subtype, payload)
	for {
		m := p.read()
		if m.typ == typeData {
			continue
		}
		if m.interf != interf || m.index != index || m.subtype != subtype {
			p.t.Errorf("got the answer of %d:%d %d, want %d:%d %d", m.interf, m.index, m.subtype, interf, index,
				subtype)
		}
		return m.typ, m.payload
	}
}

// open opens a device.
func (p *peer) open(interf, index int) {
	p.t.Helper()
	if typ, b := p.ask(playerInterface, 0, 3, pack(0, 0, interf, index, 1, text(""))); typ != typeAck {
		p.t.Fatalf("device %d:%d: got type %d, payload %x, want an acknowledgement", interf, index, typ, b)
	}
}

// data reads the next data of a device.
func (p *peer) data(interf, index int) got {
	p.t.Helper()
	for {
		if m := p.read(); m.typ == typeData && m.interf == interf && m.index == index {
			return m
		}
	}
}

// A whole conversation in bytes, written by hand from player.h and 001_player.def. A client opens position2d:0 and
// drives. Then it asks for a device that does not exist.
func TestGoldenBytes(t *testing.T) {
	s := serve(t)
	p := dial(t, s, 0)
	port := hex.EncodeToString(binary.BigEndian.AppendUint32(nil, p.port))
	exchange := func(send, want string) {
		t.Helper()
		_, err := p.Write(must.Get(hex.DecodeString(strings.ReplaceAll(send, " ", "")))(t))
		must.Do(t, err)
		want = strings.ReplaceAll(strings.ReplaceAll(want, "PORT", port), " ", "")
		must.Equal(t, hex.EncodeToString(p.receive(len(want)/2)), want, "the answer to %s", send)
	}
	// host, port, interface, index, type, subtype, time, number, size; then the payload
	exchange("00000000 00000000 00000001 00000000 00000003 00000003 0000000000000000 00000001 0000001c"+
		"00000000 00000000 00000004 00000000 00000001 00000000 00000000",
		"0100007f PORT 00000001 00000000 00000004 00000003 0000000000000000 00000001 00000024"+
			"0100007f PORT 00000004 00000000 00000001 00000008 00000008 6f646f6d65747279") // driver odometry
	exchange("00000000 00000000 00000004 00000000 00000002 00000001 0000000000000000 00000000 0000001c"+
		"3fe0000000000000 0000000000000000 0000000000000000 00000001"+ // 0.5 m/s ahead
		"00000000 00000000 00000001 00000000 00000003 00000003 0000000000000000 00000002 0000001c"+
		"00000000 00000000 00000006 00000007 00000001 00000000 00000000",
		"0100007f PORT 00000001 00000000 00000006 00000003 0000000000000000 00000002 0000001c"+
			"0100007f PORT 00000006 00000007 00000003 00000000 00000000")
	must.Equal(t, len(s.refused.All()), 1, "number of refusals")
	s.Steps(1)
	exchange("", "0100007f PORT 00000004 00000000 00000001 00000001 0000000000000000 00000000 00000034"+
		strings.Repeat("00", 52)) // at rest at time 0
	s.Steps(200)
	if v := s.Truth().Robots[0].TwistWBInB().VX; !(v > 0.45 && v < 0.55) {
		t.Errorf("got %v m/s, want 0.5", v)
	}
}

// The devices of a robot, and what the interface player says of them.
func TestDevices(t *testing.T) {
	s := serve(t)
	p := dial(t, s, 0)
	typ, b := p.ask(playerInterface, 0, 1, nil)
	want := [][2]int{{4, 0}, {6, 0}, {62, 0}, {40, 0}, {7, 0}, {10, 0}, {25, 0}, {25, 1}, {8, 0}, {3, 0}, {53, 0},
		{31, 0}}
	list := pack(len(want), len(want))
	for _, d := range want {
		list = append(list, pack(0x0100007f, int(p.port), d[0], d[1])...)
	}
	must.Equal(t, typ, typeAck, "type")
	must.Equal(t, hex.EncodeToString(b), hex.EncodeToString(list), "devices")
	_, b = p.ask(playerInterface, 0, 2, pack(0, 0, 40, 0, text("")))
	must.Equal(t, string(b), string(pack(0x0100007f, int(p.port), 40, 0, text("front"))), "driver of camera:0")
	other := s.Addrs()[1].(*net.TCPAddr).Port
	_, b = p.ask(playerInterface, 0, 8, pack(text("magenta1\x00"), 0))
	must.Equal(t, string(b), string(pack(text("magenta1"), other)), "name service")
	for _, c := range []struct {
		name                   string
		interf, index, subtype int
		payload                []byte
		want                   int
	}{
		{"authentication without a key", 1, 0, 7, pack(text("secret")), typeAck},
		{"name of no robot", 1, 0, 8, pack(text("nobody"), 0), typeNack},
		{"driver of no device", 1, 0, 2, pack(0, 0, 40, 9, text("")), typeNack},
		{"unknown data mode", 1, 0, 5, pack(3), typeNack},
		{"short data mode", 1, 0, 5, nil, typeNack},
		{"replace rule", 1, 0, 10, pack(-1, -1, 1, -1, 1), typeAck},
		{"unknown replace rule", 1, 0, 10, pack(-1, -1, 1, -1, 7), typeNack},
		{"unknown request to the server", 1, 0, 99, nil, typeNack},
		{"second server", 1, 1, 1, nil, typeNack},
		{"unknown interface", 9, 0, 1, nil, typeNack},
		{"device that is not open", 6, 0, 1, nil, typeNack},
		{"opened", 1, 0, 3, pack(0, 0, 6, 0, 1, text("")), typeAck},
		{"geometry of the laser", 6, 0, 1, nil, typeAck},
		{"identification of the laser", 6, 0, 5, nil, typeNack},
		{"capability", 6, 0, 255, pack(3, 1), typeAck},
		{"missing capability", 6, 0, 255, pack(2, 1), typeNack},
		{"closed", 1, 0, 3, pack(0, 0, 6, 0, 2, text("")), typeAck},
		{"closed device", 6, 0, 1, nil, typeNack},
	} {
		if typ, _ := p.ask(c.interf, c.index, c.subtype, c.payload); typ != c.want {
			t.Errorf("%s: got type %d, want %d", c.name, typ, c.want)
		}
	}
}

// level returns a change that sets the level of a sensor of cyan1.
func level(sensor string, to abstraction.Level) func(*worlds.World) {
	return func(w *worlds.World) {
		for i := range w.Robots[0].Sensors {
			if c := &w.Robots[0].Sensors[i]; c.Name == sensor {
				c.Level, c.Latency = to, 0
				if c.Vision != nil {
					c.Vision.Delay, c.Vision.Segmentation = 0, 0
				}
			}
		}
	}
}

// Each kind of data is the encoding of the observation that a listener in Go receives.
func TestData(t *testing.T) {
	for _, c := range []struct {
		name          string
		sensor        string
		level         abstraction.Level
		interf, index int
		subtype       int
		want          func(o *sensors.Observation) []byte
	}{
		{"odometry", "odometry", abstraction.Raw, 4, 0, 1, func(o *sensors.Observation) []byte {
			r := o.Reading.(*sensors.OdometryReading)
			p, v := r.PoseOB, r.TwistB
			return pack(p.Pos[0], p.Pos[1], p.Heading(), v.VX, v.VY, v.Omega, 0)
		}},
		{"laser", "laser", abstraction.Raw, 6, 0, 1, func(o *sensors.Observation) []byte { return wantScan(o) }},
		{"laser with pose", "laser", abstraction.Pose, 6, 0, 2, func(o *sensors.Observation) []byte {
			p := o.Reading.(*sensors.LaserScan).PoseWB
			return append(wantScan(o), pack(p.Pos[0], p.Pos[1], p.Heading())...)
		}},
		{"ranger", "laser", abstraction.Raw, 62, 0, 1, func(o *sensors.Observation) []byte {
			scan := o.Reading.(*sensors.LaserScan)
			b := pack(len(scan.Ranges), len(scan.Ranges))
			for _, r := range scan.Ranges {
				b = append(b, pack(min(r, scan.Max))...)
			}
			return b
		}},
		{"localisation", "laser", abstraction.Truth, 25, 0, 1, func(o *sensors.Observation) []byte {
			p := o.Reading.(*sensors.LaserScan).PoseWB
			return pack(0, o.Stamp.Seconds(), 1, 1, p.Pos[0], p.Pos[1], p.Heading(), [6]float64{}, 1.0)
		}},
		{"camera", "front", abstraction.Raw, 40, 0, 1, func(o *sensors.Observation) []byte {
			return pack(16, 16, 24, 5, 1, 0, text(o.Color.Pix))
		}},
		{"blobs", "front", abstraction.Features, 7, 0, 1, func(o *sensors.Observation) []byte {
			all := appendBlobs(nil, o.Features, 0xefbc21)
			b := pack(16, 16, len(all), len(all))
			for _, x := range all {
				b = append(b, pack(x.id, x.color, x.area, round(x.u), round(x.v), round(x.minU), round(x.maxU),
					round(x.minV), round(x.maxV), float32(0))...)
			}
			return b
		}},
		{"objects", "front", abstraction.Objects, 10, 0, 1, func(o *sensors.Observation) []byte {
			all := o.Objects.Detections
			b := pack(len(all), len(all))
			for i := range all {
				id := map[abstraction.Kind]int{abstraction.BallKind: 1, abstraction.RobotKind: 4,
					abstraction.ObstacleKind: 5, abstraction.PostKind: 6}[all[i].Kind]
				b = append(b, pack(id, all[i].PosB, [3]float64{}, [6]float64{})...)
			}
			return b
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := serve(t, level(c.sensor, c.level))
			var want [][]byte
			s.On("cyan1", c.sensor, func(o *sensors.Observation) { want = append(want, c.want(o)) })
			p := dial(t, s, 0)
			p.open(c.interf, c.index)
			s.Until(time.Second)
			for i := range 3 {
				m := p.data(c.interf, c.index)
				must.Equal(t, m.subtype, c.subtype, "subtype")
				must.Equal(t, hex.EncodeToString(m.payload), hex.EncodeToString(want[i]), "message %d", i)
			}
		})
	}
}

func round(x float64) int { return min(max(int(x+0.5), 0), 15) }

// wantScan returns the message player_laser_data of a scan.
func wantScan(o *sensors.Observation) []byte {
	scan := o.Reading.(*sensors.LaserScan)
	b := pack(float32(scan.First), float32(scan.Last), float32(scan.Step), float32(scan.Max), len(scan.Ranges),
		len(scan.Ranges))
	for _, r := range scan.Ranges {
		b = append(b, pack(float32(min(r, scan.Max)))...)
	}
	return append(b, pack(0, 0, int(o.Frame))...)
}

// Commands move the robot and its actuators.
func TestCommands(t *testing.T) {
	place := func(s *served) {
		s.Must(&action.Place{Name: "ball", X: 0.33, Z: 0.11}) // where the dribbler holds it
	}
	for _, c := range []struct {
		name          string
		interf, index int
		subtype       int
		payload       []byte
		holds         func(*served) bool
	}{
		{"ptz", 8, 0, 1, pack(float32(0.5), float32(-0.2), float32(0), float32(0), float32(0)), func(s *served) bool {
			pan, tilt := s.Camera("cyan1", "front").Head().Angles()
			return pan > 0.499 && pan < 0.501 && tilt > 0.199 && tilt < 0.201
		}},
		{"gripper", 3, 0, 2, nil, func(s *served) bool { return s.Truth().Ball.HeldBy == 0 }},
		{"turn", 4, 0, 1, pack(0.0, 0.0, -1.0, 1), func(s *served) bool {
			omega := s.Truth().Robots[0].TwistWBInB().Omega
			return omega > -1.1 && omega < -0.9
		}},
		{"pause", 31, 0, 1, nil, func(s *served) bool { return s.Clock().Paused() }},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := serve(t)
			place(s)
			p := dial(t, s, 0)
			p.open(c.interf, c.index)
			p.send(c.interf, c.index, typeCommand, c.subtype, c.payload)
			p.ask(1, 0, 1, nil) // the answer comes after the command
			s.Steps(200)
			if !c.holds(s) {
				t.Errorf("the command has no effect; refused: %q", s.refused.All())
			}
		})
	}
	t.Run("kick", func(t *testing.T) {
		s := serve(t)
		place(s)
		p := dial(t, s, 0)
		p.open(3, 0)
		p.open(53, 0)
		p.send(3, 0, typeCommand, 2, nil)
		p.ask(1, 0, 1, nil)
		s.Steps(10)
		p.send(53, 0, typeCommand, 3, pack(0, float32(4)))
		p.send(53, 0, typeCommand, 3, pack(2, float32(4)))
		p.send(53, 0, typeCommand, 3, pack(0, float32(1e9)))
		p.ask(1, 0, 1, nil)
		s.Steps(2)
		if v := s.Truth().Ball.TwistInW.Lin[0]; !(v > 3.5 && v < 4.5) {
			t.Errorf("got a ball at %v m/s, want 4", v)
		}
		must.Equal(t, strings.Join(s.refused.All(), "; "), "robot cyan1: Player actarray:0: command 3: joint = 2: must be "+
			"0, a flat kick, or 1, a lob; robot cyan1: Player actarray:0: command 3: robot cyan1: kick.speed = 1e+09: "+
			"must lie in [-10000, 10000]", "refusals")
	})
}

// A request for an image is answered with the next one.
func TestImageRequest(t *testing.T) {
	s := serve(t)
	p := dial(t, s, 0)
	p.open(cameraInterface, 0)
	p.send(cameraInterface, 0, typeRequest, 3, nil)
	answered := func() (answer, data []byte) {
		for answer == nil || data == nil {
			switch m := p.read(); m.typ {
			case typeAck:
				answer = m.payload
			case typeData:
				data = m.payload
			}
		}
		return answer, data
	}
	p.ask(playerInterface, 0, 1, nil) // the server has read the request
	s.Steps(20)
	answer, data := answered()
	must.Equal(t, hex.EncodeToString(answer), hex.EncodeToString(data), "answer")
	must.Equal(t, len(data), 6*4+2*4+16*16*3, "size")
}

// Pixels of depth images are millimetres; 0 is no depth.
func TestDepth(t *testing.T) {
	for _, c := range []struct {
		z    float64
		want uint16
	}{{0, 0}, {1.2344, 1234}, {65.535, 65535}, {65.536, 0}, {math.Inf(1), 0}} {
		must.Equal(t, depth(c.z), c.want, "depth of %v m", c.z)
	}
}

// What actuators and an inertial unit send, and the geometry of devices.
func TestStatesAndGeometry(t *testing.T) {
	s := serve(t)
	f := func(values ...float32) []byte { return pack(values) }
	var unit *sensors.IMUReading
	s.On("magenta1", "imu", func(o *sensors.Observation) {
		if unit == nil {
			first := *o.Reading.(*sensors.IMUReading)
			unit = &first
		}
	})
	front, _ := s.World().Sensor("cyan1", "front")
	fov := float32(front.Image.FOV)
	actuator := append(f(0, 0, 0, 0), pack(1)...)
	p, other := dial(t, s, 0), dial(t, s, 1)
	for _, interf := range []int{3, 53, 8, 6, 62} {
		p.open(interf, 0)
	}
	other.open(60, 0)
	s.Steps(20)
	for _, c := range []struct {
		name   string
		interf int
		want   []byte
	}{
		{"gripper", 3, pack(1, 0, 0)},
		{"actarray", 53, slices.Concat(pack(2, 2), actuator, actuator, pack(1))},
		{"ptz", 8, append(f(0, 0, fov, 0, 0), pack(0)...)},
	} {
		for m := p.read(); ; m = p.read() {
			if m.interf == c.interf && m.typ == typeData {
				must.Equal(t, hex.EncodeToString(m.payload), hex.EncodeToString(c.want), "%s", c.name)
				break
			}
		}
	}
	reading := other.data(60, 0)
	must.Equal(t, reading.subtype, 2, "subtype of the inertial unit")
	a, g := unit.AccelS, unit.GyroS
	must.Equal(t, hex.EncodeToString(reading.payload), hex.EncodeToString(f(float32(a[0]), float32(a[1]), float32(a[2]),
		float32(g[0]), float32(g[1]), float32(g[2]), 0, 0, 0)), "inertial unit")
	for _, c := range []struct {
		name            string
		interf, subtype int
		want            []byte
	}{
		{"laser's geometry", 6, 1, pack([9]float64{2: 0.28})},
		{"laser's configuration", 6, 3, slices.Concat(f(-0.25, 0.25, 0.25, 30, 0), pack(0), f(10))},
		{"ranger's geometry", 62, 1, pack([9]float64{2: 0.28}, 0, 0, 0, 0)},
		{"ranger's configuration", 62, 5, pack(-0.25, 0.25, 0.25, 30.0, 0.0, 10.0)},
	} {
		typ, b := p.ask(c.interf, 0, c.subtype, nil)
		must.Equal(t, typ, typeAck, "%s", c.name)
		must.Equal(t, hex.EncodeToString(b), hex.EncodeToString(c.want), "%s", c.name)
	}
}
