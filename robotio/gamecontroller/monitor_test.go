package gamecontroller

import (
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// watch returns a socket of a monitor at an own address of this machine, which has sent its request to the server.
func watch(t *testing.T, s *Server, host byte, offset uint16) *net.UDPConn {
	t.Helper()
	at := netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, host}), s.cfg.Addr.Port()+offset)
	conn := must.Get(net.ListenUDP("udp4", net.UDPAddrFromAddrPort(at)))(t)
	t.Cleanup(func() { conn.Close() })
	ask(t, s, conn, request)
	return conn
}

// ask sends a packet to the port for monitors' requests, and waits until it has been handled.
func ask(t *testing.T, s *Server, conn *net.UDPConn, packet string) {
	t.Helper()
	to := netip.AddrPortFrom(s.cfg.Addr.Addr(), s.cfg.Addr.Port()-requestOffset)
	must.Get(conn.WriteToUDPAddrPort([]byte(packet), to))(t)
	if packet == request {
		must.Until(t, "a monitor", s.monitors.watched)
	}
}

// Monitors learn of a kick-off at once, and robots after the delay. Robots' packets reach monitors as they are.
func TestMonitors(t *testing.T) {
	sim := newSim(t, `referee = "gamecontroller"`)
	s, inTeam := serve(t, sim, ServerConfig{Version: Soccer20, Numbers: Numbers{5, 24}, Delay: 2 * time.Second})
	conn := watch(t, s, 2, 0)
	monitor := &robots{conn, t}
	other := must.Get(net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 3)}))(t)
	t.Cleanup(func() { other.Close() })
	for _, bad := range []string{"", "RGTr", "RGTr\x01", request + "\x00", "RGme\x00"} {
		ask(t, s, other, bad)
	}
	watch(t, s, 4, forwardOffset)
	last := netip.AddrFrom4([4]byte{127, 0, 0, 4})
	must.Until(t, "the last monitor", func() bool { return s.monitors.watches(last) })
	if s.monitors.watches(netip.AddrFrom4([4]byte{127, 0, 0, 3})) {
		t.Error("a bad request makes a monitor")
	}
	take(t, sim, 10*time.Millisecond)
	monitor.next()
	inTeam.next()
	command(t, sim, game.FirstHalf, "", 0)
	command(t, sim, game.Kickoff, "cyan", 0)
	command(t, sim, game.Set, "", 0)
	command(t, sim, game.Start, "", 0)
	for i := range 5 {
		take(t, sim, 500*time.Millisecond)
		got, told := monitor.next(), inTeam.next()
		must.Equal(t, [3]any{got.True, got.State, got.Packet}, [3]any{true, Playing, uint8(1 + i)}, "to a monitor")
		want := Set
		if i == 4 {
			want = Playing
		}
		must.Equal(t, [3]any{told.True, told.State, told.Packet}, [3]any{false, want, uint8(1 + i)}, "to robots")
		must.Equal(t, got.Teams, told.Teams, "teams")
	}

	forwards := watch(t, s, 2, forwardOffset)
	to := netip.AddrPortFrom(s.cfg.Addr.Addr(), s.cfg.Addr.Port()+returnOffset)
	for _, packet := range [][]byte{(&Return{Version: 4, Team: 24, Player: 4, PoseO: [3]float64{1, 2, 3}}).Append(nil),
		[]byte("a bad one")} {
		must.Get(inTeam.WriteToUDPAddrPort(packet, to))(t)
		buf := make([]byte, 64)
		must.Do(t, forwards.SetReadDeadline(time.Now().Add(20*time.Second)))
		n := must.Get(forwards.Read(buf))(t)
		must.Equal(t, string(buf[:n]), "\x7f\x00\x00\x01"+string(packet), "forwarded packet")
	}
}

// A host from which a robot has sent a packet gets no true state. The number of monitors is limited.
func TestWhoIsNoMonitor(t *testing.T) {
	m := monitors{}
	host := func(i int) netip.Addr { return netip.AddrFrom4([4]byte{10, 0, 0, byte(i)}) }
	for i := range 2 * maxMonitors {
		must.Equal(t, m.add(host(i)), i != maxMonitors, "monitor %d is new", i)
		must.Equal(t, m.add(host(maxMonitors)), i == 0, "a repeated request makes a new monitor")
	}
	must.Equal(t, len(m.hosts), maxMonitors, "monitors")
	must.Equal(t, m.hosts[maxMonitors-1], host(maxMonitors), "newest request")
	m.heard(host(maxMonitors))
	must.Equal(t, m.add(host(maxMonitors)), false, "a robot's request")
	must.Equal(t, len(m.hosts), maxMonitors-1, "monitors beside a robot")
	for i := range 200 {
		m.heard(host(i))
	}
	must.Equal(t, len(m.robot), 2*MaxPlayers, "hosts of robots")
}
