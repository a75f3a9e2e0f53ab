package rtps

import (
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/testdata/must"
)

func TestFromEnv(t *testing.T) {
	for _, c := range []struct {
		env  map[string]string
		want Config
		err  string
	}{
		{nil, Config{}, ""},
		{map[string]string{"ROS_DOMAIN_ID": "42", "ROS_AUTOMATIC_DISCOVERY_RANGE": "SUBNET"}, Config{Domain: 42,
			Range: Subnet}, ""},
		{map[string]string{"ROS_AUTOMATIC_DISCOVERY_RANGE": "SUBNET", "ROS_LOCALHOST_ONLY": "1"}, Config{
			Range: Localhost, Multicast: true}, ""},
		{map[string]string{"ROS_AUTOMATIC_DISCOVERY_RANGE": "OFF", "ROS_STATIC_PEERS": "10.0.0.1; 10.0.0.2;"}, Config{
			Range:       Off,
			StaticPeers: []netip.Addr{netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("10.0.0.2")}}, ""},
		{map[string]string{"ROS_DOMAIN_ID": "233"}, Config{}, "ROS_DOMAIN_ID = 233: must be a number in [0, 232]"},
		{map[string]string{"ROS_LOCALHOST_ONLY": "yes"}, Config{}, "ROS_LOCALHOST_ONLY = yes: must be 0 or 1"},
		{map[string]string{"ROS_AUTOMATIC_DISCOVERY_RANGE": "subnet"}, Config{},
			"ROS_AUTOMATIC_DISCOVERY_RANGE = subnet: must be SUBNET, LOCALHOST, OFF or SYSTEM_DEFAULT"},
		{map[string]string{"ROS_STATIC_PEERS": "robot"}, Config{}, `ROS_STATIC_PEERS: "robot": must be an IPv4 address`},
	} {
		var got Config
		err := got.FromEnv(func(name string) string { return c.env[name] })
		if c.err != "" {
			must.Fail(t, err, c.err)
			continue
		}
		must.Do(t, err)
		must.Equal(t, fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", c.want), "%v", c.env)
	}
}

func TestBadConfig(t *testing.T) {
	for want, c := range map[string]Config{
		"domain = -1: must lie in [0, 232]":                {Domain: -1},
		"range = 7: must be Localhost, Subnet or Off":      {Range: 7},
		"static_peers[0] = ::1: must be an IPv4 address":   {StaticPeers: []netip.Addr{netip.IPv6Loopback()}},
		"lease = 1ms: must be at least 1 s":                {Lease: time.Millisecond},
		"limits: must not be negative":                     {Limits: Limits{Sample: -1}},
		"user_data has 2000 bytes: must have at most 1024": {UserData: string(make([]byte, 2000))},
	} {
		must.Refuse(Open(c))(t, want)
	}
	p := open(t, Config{Domain: must.Domain(t)})
	must.Refuse(p.NewWriter(WriterConfig{Type: testType}))(t, `topic = "": must have 1 to 255 bytes`)
	must.Refuse(p.NewReader(ReaderConfig{Topic: testTopic}))(t, `type = "": must have 1 to 255 bytes`)
	must.Refuse(p.NewWriter(WriterConfig{Topic: testTopic, Type: testType, QoS: QoS{Depth: -1}}))(t,
		"qos.depth = -1: must lie in [0, 10000]")
	w := advertise(t, p, QoS{})
	must.Refuse(w.Write(Outgoing{Head: []byte{1}}))(t,
		"sample has 1 bytes: must have at least the 4 of the encapsulation")
	must.Do(t, p.Close())
	must.Refuse(w.Write(Outgoing{Head: text("x")}))(t, ErrClosed.Error())
}

// All of a machine's participants have their own ports; there is a limit, as peers look for no more.
func TestPorts(t *testing.T) {
	d := must.Domain(t)
	var all []*Participant
	for i := range 3 {
		p := open(t, Config{Domain: d, Range: Off})
		must.Equal(t, p.index, i, "index")
		all = append(all, p)
	}
	must.Do(t, all[1].Close())
	must.Equal(t, open(t, Config{Domain: d, Range: Off}).index, 1, "index of the next one")
	for range maxParticipants - 3 {
		open(t, Config{Domain: d, Range: Off})
	}
	must.Refuse(Open(Config{Domain: d}))(t, fmt.Sprintf("domain %d: all 32 pairs of ports are taken", d))
	must.Equal(t, all[0].Stats().Participants, 0, "participants found with Off")
}

// Announcements to the multicast group are heard only if that was asked for.
func TestMulticast(t *testing.T) {
	d := must.Domain(t)
	deaf, hears := open(t, Config{Domain: d, Range: Off}), open(t, Config{Domain: d, Multicast: true})
	must.Equal(t, deaf.multi == nil && hears.multi != nil, true, "only one listens to the group")
	s := must.Get(newSender(false, false))(t)
	defer s.close()
	fake := &Participant{prefix: forgedPrefix(1), cfg: Config{Domain: d, Lease: time.Minute}}
	fake.sockets.index = 20
	var m message
	fake.announcement(&m, Prefix{})
	must.Until(t, "the announcement", func() bool {
		s.multicast(hears.group(), hears.interfaces(false), m)
		return hears.Stats().Participants == 1
	})
}

// Messages in big endian are read, too.
func TestBigEndian(t *testing.T) {
	p := fuzzed(t)
	prefix := forgedPrefix(1)
	b := append([]byte{'R', 'T', 'P', 'S', 2, 3, 1, 0x7e}, prefix[:]...)
	b = append(b, idInfoTS, 0, 0, 8, 0, 0, 0, 5, 0x80, 0, 0, 0)
	b = append(b, idHeartbeat, 0, 0, 28, 0, 0, 0, 0, 0, 0, 1, byte(writerKind), 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0,
		0, 0, 0, 7, 0, 0, 0, 1)
	b = append(b, idData, flagInlineQoS|flagData, 0, 60, 0, 0, 0, 16, 0, 0, 0, 0, 0, 0, 1, byte(writerKind),
		0, 0, 0, 0, 0, 0, 0, 7)
	b = append(b, 0, pidRelated, 0, 24, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 0, 0, 0, 1, 0, 0, 0, 2,
		0, pidSentinel, 0, 0)
	b = append(b, 0, 0, 0, 0, 'a', 'b', 'c', 'd')
	var out outbox
	p.handle(b, netip.AddrPortFrom(loopback, 9), time.Unix(2, 0), &out)
	must.Equal(t, p.stats.Malformed, 0, "malformed datagrams")
	must.Equal(t, len(p.ready), 1, "readers with samples")
	s := p.ready[0].pop()
	must.Equal(t, string(s.buf[:s.size]), "\x00\x00\x00\x00abcd", "payload")
	must.Equal(t, s.info.Seq, 7, "sequence number")
	must.Equal(t, s.info.Time.Equal(time.Unix(5, 500_000_000)), true, "time")
	must.Equal(t, s.info.Related, Identity{GUID{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}, 1<<32 + 2},
		"related identity")
}
