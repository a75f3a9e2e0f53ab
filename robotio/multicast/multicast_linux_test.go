package multicast

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
	"github.com/omnipitch/omnipitch/worlds/match"
	"github.com/omnipitch/omnipitch/worlds/radio"
)

const deadline = 30 * time.Second

// group is that of the tests.
const group = "224.16.32.199"

// observed is a simulation that tells what datagrams have been handed to it, or not because a robot is cut off.
type observed struct {
	*omnipitch.Sim
	come chan string
}

func (o observed) Send(robot, topic string, data []byte) error {
	err := o.Match().Send(robot, topic, data)
	o.come <- fmt.Sprintf("%s: %.10s", robot, data)
	return err
}

func (o observed) OnRadio(robot string, f match.Listener) error {
	return o.Match().OnRadio(robot, f)
}

func (o observed) Wired(robot string) bool {
	wired := o.Match().Wired(robot)
	if !wired {
		o.come <- robot + ": cut off"
	}
	return wired
}

// freeBase is a port below the kernel's own range, after which few programs are.
func freeBase() int { return 10_000 + 10*rand.N(2000) }

// newSim returns a simulation of robots cyan1 to cyan3 and magenta4 and magenta5, each a metre from the next.
func newSim(t *testing.T, base int, keys string) observed {
	t.Helper()
	w := must.Get(worlds.Parse("mates.toml", fmt.Appendf(nil, `
name = "mates"
[physics]
engine = "planar"
[[robot]]
for_each = [{ t = "cyan", n = 1 }, { t = "cyan", n = 2 }, { t = "cyan", n = 3 }, { t = "magenta", n = 4 },
	{ t = "magenta", n = 5 }]
name = "{t}{n}"
model = "differential"
team = "{t}"
number = "{n}"
pose = { x_m = "{n}" }
radio = { udp = { group = %q, base_port = %d }, %s }
`, group, base, keys)))(t)
	sim := must.Get(omnipitch.New(w, omnipitch.Options{}))(t)
	t.Cleanup(sim.Close)
	return observed{sim, make(chan string, 10_000)}
}

// join has a simulation's radios carry datagrams, until leave is called or the test ends.
func join(t *testing.T, sim observed) (x *Radios, leave func()) {
	t.Helper()
	x = must.Get(Join(sim.World(), sim, func(text string) { t.Log(text) }))(t)
	leave = sync.OnceFunc(x.Close)
	t.Cleanup(leave)
	return x, leave
}

// program is a robot's program, which sends and listens with one socket as RTDB does: bound to all addresses, with a
// port that is shared, and with its own datagrams switched off.
type program struct {
	*net.UDPConn
	to *net.UDPAddr
}

func newProgram(t *testing.T, port int) program {
	t.Helper()
	lo := must.Get(net.InterfaceByName("lo"))(t)
	to := &net.UDPAddr{IP: net.ParseIP(group), Port: port}
	conn := must.Get(net.ListenMulticastUDP("udp4", lo, to))(t)
	t.Cleanup(func() { conn.Close() })
	return program{conn, to}
}

// say has a program say something, and a step take it.
func (p program) say(t *testing.T, sim observed, text string) {
	t.Helper()
	must.Get(p.WriteTo([]byte(text), p.to))(t)
	sim.comes(t, fmt.Sprintf(": %.10s", text))
	sim.step(t)
}

// comes waits for what comes next to the simulation.
func (o observed) comes(t *testing.T, what string) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), deadline)
	defer stop()
	select {
	case got := <-o.come:
		if !strings.HasSuffix(got, what) {
			t.Errorf("%s comes, want %s", got, what)
		}
	case <-ctx.Done():
		t.Fatalf("%s does not come", what)
	}
}

func (o observed) step(t *testing.T) {
	t.Helper()
	must.Do(t, o.Step())
}

func (o observed) do(t *testing.T, a action.Action) {
	t.Helper()
	must.Do(t, o.Do(a))
	o.step(t)
}

// hears says what a program gets next, but for what it has sent itself.
func (p program) hears(t *testing.T, want string) {
	t.Helper()
	buf := make([]byte, radio.MaxBytes+1)
	for {
		p.SetReadDeadline(time.Now().Add(deadline))
		n, from, err := p.ReadFromUDPAddrPort(buf)
		if err != nil {
			t.Fatal(err)
		}
		if int(from.Port()) == p.to.Port { // from where it sends
			continue
		}
		must.Equal(t, string(buf[:n]), want, "port %d", p.to.Port)
		return
	}
}

// What a program sends reaches its mates' programs by radio and nobody else, itself included; not while a radio is off
// or a mate too far, and not programs that are cut off, or by them.
func TestDatagrams(t *testing.T) {
	base := freeBase()
	sim := newSim(t, base, "range_m = 1.5")
	programs := make([]program, 6)
	for n := 1; n <= 5; n++ {
		programs[n] = newProgram(t, base+n)
	}
	join(t, sim)
	cyan1, cyan2, cyan3, magenta4, magenta5 := programs[1], programs[2], programs[3], programs[4], programs[5]
	cyan1.say(t, sim, "a")
	cyan2.hears(t, "a")
	sim.do(t, &action.CutRadio{Robot: "cyan2"})
	cyan1.say(t, sim, "its radio is off")
	sim.do(t, &action.RestoreRadio{Robot: "cyan2"})
	sim.do(t, &action.CutWires{Robot: "cyan2"})
	cyan1.say(t, sim, "it is cut off")
	sim.comes(t, "cyan2: cut off") // it would be delivered
	must.Get(cyan2.WriteTo([]byte("nobody hears that"), cyan2.to))(t)
	sim.comes(t, "cyan2: cut off")
	sim.do(t, &action.RestoreWires{Robot: "cyan2"})
	large := strings.Repeat("x", radio.MaxBytes)
	cyan1.say(t, sim, large)
	cyan2.hears(t, large)
	cyan2.say(t, sim, "b")
	magenta5.say(t, sim, "c")
	cyan1.hears(t, "b")
	cyan3.hears(t, "b")
	magenta4.hears(t, "c")
	magenta4.say(t, sim, "d")
	magenta5.hears(t, "d")
	cyan3.say(t, sim, "e")
	cyan2.hears(t, "e")
}

// One of two simulations with the same ports is told so, and the other's go on; when that has ended it gets them.
func TestTwoSimulations(t *testing.T) {
	base := freeBase()
	first, second := newSim(t, base, ""), newSim(t, base, "")
	_, leave := join(t, first)
	must.Refuse(Join(second.World(), second, nil))(t,
		fmt.Sprintf("radio of cyan1: port %d: another simulation on this machine uses it", base+1), "the second gets")
	cyan1, cyan2 := newProgram(t, base+1), newProgram(t, base+2)
	cyan1.say(t, first, "a")
	cyan2.hears(t, "a")
	leave()
	join(t, second)
	cyan1.say(t, second, "b")
	cyan2.hears(t, "b")
}

// A program that keeps its port to itself is named, by its port.
func TestPortIsNotShared(t *testing.T) {
	base := freeBase()
	other := must.Get(net.ListenPacket("udp4", fmt.Sprintf("0.0.0.0:%d", base+3)))(t)
	defer other.Close()
	third := newSim(t, base, "")
	must.Refuse(Join(third.World(), third, nil))(t,
		fmt.Sprintf("radio of cyan3: UDP %s:%d: bind: address already in use", group, base+3))
}

// Groups are joined on loopback alone, and what is sent to them stays there. What is sent to the ports of all the
// machine's addresses is not taken.
func TestStaysOnLoopback(t *testing.T) {
	base := freeBase()
	sim := newSim(t, base, "")
	x, _ := join(t, sim)
	table := must.Get(os.ReadFile("/proc/net/igmp"))(t)
	device, joined := "", 0
	for line := range strings.Lines(string(table)) {
		fields := strings.Fields(line)
		if line[0] != '\t' {
			device = fields[1]
		} else if fields[0] == "C72010E0" { // 224.16.32.199 as the kernel's integer
			joined++
			must.Equal(t, device, "lo", "the group is joined on")
		}
	}
	if joined == 0 {
		t.Errorf("the group is joined nowhere:\n%s", table)
	}
	raw := must.Get(x.sender.SyscallConn())(t)
	must.Do(t, raw.Control(func(fd uintptr) {
		ttl, err := unix.GetsockoptInt(int(fd), unix.IPPROTO_IP, unix.IP_MULTICAST_TTL)
		device, err2 := unix.GetsockoptInet4Addr(int(fd), unix.IPPROTO_IP, unix.IP_MULTICAST_IF)
		if ttl != 0 || device != loopback || err != nil || err2 != nil {
			t.Errorf("time to live %d, %v; device of %v, %v", ttl, err, device, err2)
		}
	}))
	stranger := must.Get(net.Dial("udp4", fmt.Sprintf("127.0.0.1:%d", base+1)))(t)
	defer stranger.Close()
	stranger.Write([]byte("to the port alone")) // nobody listens there, which is no error of writing
	newProgram(t, base+1).say(t, sim, "a")
}

// Programs send while a simulation steps, robots are cut off, and the radios are closed. More than a step takes is
// lost.
func TestManySend(t *testing.T) {
	base := freeBase()
	sim := newSim(t, base, "jitter_ms = 20")
	_, leave := join(t, sim)
	var sending sync.WaitGroup
	for n := 1; n <= 3; n++ {
		p := newProgram(t, base+n)
		sending.Go(func() {
			for i := range 400 {
				p.WriteTo(fmt.Appendf(nil, "%d", i), p.to)
			}
		})
	}
	for i := range 200 {
		var a action.Action = &action.CutWires{Robot: "cyan2"}
		if i%2 == 1 {
			a = &action.RestoreWires{Robot: "cyan2"}
		}
		sim.do(t, a)
	}
	sending.Wait()
	leave()
	for range 20 { // what is under way
		sim.step(t)
	}
}
