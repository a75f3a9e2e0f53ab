package radio

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/omnipitch/omnipitch/worlds/schema"
)

// Config says how a robot's radio treats the messages that the robot sends. The default radio is nearly ideal: each
// message reaches all teammates within the step that follows the step in which the radio takes the message.
type Config struct {
	Off       bool          `toml:"off" doc:"whether the radio is off: it neither sends nor receives, until action restore_radio"`
	Delay     time.Duration `toml:"delay_ms" range:"[0, 10000]" doc:"delay from a message's last bit to its delivery"`
	Jitter    time.Duration `toml:"jitter_ms" range:"[0, 10000]" doc:"standard deviation of the delay, which is never negative; messages may overtake each other"`
	Loss      float64       `toml:"loss" range:"[0, 1]" doc:"probability that a message is lost, drawn separately for each teammate"`
	Bandwidth float64       `toml:"bandwidth_kbit_s" range:"[0, 1000000]" doc:"data rate at which the robot sends; 0 means that messages take no time. The league allows a team 2200 (recalled), which its robots share"`
	Queue     time.Duration `toml:"queue_ms" range:"[0, 10000]" doc:"a message that would wait longer than this for earlier ones is dropped"`
	Range     float64       `toml:"range_m" range:"[0, 1000]" doc:"range: teammates farther away when a message is sent do not get it; 0 is unlimited"`
	UDP       *UDP          `toml:"udp" doc:"sends datagrams by radio that programs send to their teammates by UDP multicast, in addition to radio/send; without it the simulation ignores them"`
	Mitecom   *Mitecom      `toml:"mitecom" doc:"tells teammates what the robot knows, by the Mixed Team Communication protocol of the Humanoid League"`
	Topics    []Topic       `toml:"topic" merge:"name" maxlen:"16" doc:"topics of the robot's program that go by radio unchanged, in addition to radio/send"`
}

// SetDefaults sets a short queue. The length is a guess: strategy programs send ten to thirty messages per second, and
// each message matters only until the next one.
func (c *Config) SetDefaults() { c.Queue = 100 * time.Millisecond }

// Topic is a topic whose messages are sent to teammates unchanged.
type Topic struct {
	Name string `toml:"name" required:"true" fixed:"true" doc:"name below the robot's namespace, such as nubotcontrol/strategy; teammates get it as radio/ROBOT/NAME"`
	Type string `toml:"type" required:"true" fixed:"true" doc:"message type, such as nubot_common/StrategyInfo; the robot's profiles must know it"`
}

// Relays reports whether messages on a topic go by radio. The empty topic stands for plain messages, DatagramTopic for
// datagrams, and MitecomTopic for messages of Mitecom.
func (c *Config) Relays(topic string) bool {
	_, ok := c.Type(topic)
	return ok || topic == "" || topic == DatagramTopic && c.UDP != nil ||
		topic == MitecomTopic && c.Mitecom != nil
}

// Type returns the type of the messages on a topic. The bool result is false if the radio does not relay the topic.
func (c *Config) Type(topic string) (string, bool) {
	for i := range c.Topics {
		if c.Topics[i].Name == topic {
			return c.Topics[i].Type, true
		}
	}
	return "", false
}

// Agree returns an error if a topic has another type in the configuration of a teammate. The argument mate is the
// teammate's name.
func (c *Config) Agree(other *Config, mate string) error {
	for i := range c.Topics {
		t := &c.Topics[i]
		if typ, ok := other.Type(t.Name); ok && typ != t.Type {
			return &schema.Violation{Path: fmt.Sprintf("topic[%d]", i), Key: "type", Value: t.Type,
				Rule: fmt.Sprintf("topic %s has type %s at its teammate %s", t.Name, typ, mate)}
		}
	}
	return nil
}

// DatagramTopic is the topic for messages that programs send and receive as UDP datagrams. No topic of a robot's
// program can have this name.
const DatagramTopic = "(udp)"

// UDP is the multicast group and port at which a robot's program sends datagrams to its teammates and receives
// datagrams from them, as it would on a real robot.
type UDP struct {
	Group    string `toml:"group" required:"true" fixed:"true" doc:"IPv4 multicast address at which the program sends and listens, such as 224.16.32.32"`
	BasePort int    `toml:"base_port" required:"true" range:"[1024, 65000]" fixed:"true" doc:"base of the port: the program of robot number N sends and listens at port base_port + N, which no other robot of the world has"`
}

// Address returns the address at which the program of the robot with the given number sends and listens. It fails if
// programs may not use the group.
func (u *UDP) Address(number int) (netip.AddrPort, error) {
	group, err := netip.ParseAddr(u.Group)
	if err != nil || !group.Is4() || !group.IsMulticast() || group.IsLinkLocalMulticast() {
		return netip.AddrPort{}, &schema.Violation{Path: "udp", Key: "group", Value: u.Group,
			Rule: "must be an IPv4 multicast address from 224.0.1.0 to 239.255.255.255"}
	}
	port := u.BasePort + number
	if port < 1 || port > 65535 {
		return netip.AddrPort{}, &schema.Violation{Path: "udp", Key: "base_port", Value: u.BasePort,
			Rule: fmt.Sprintf("robot number %d would have port %d: there are none beyond 65535", number, port)}
	}
	return netip.AddrPortFrom(group, uint16(port)), nil
}

// MitecomTopic is the topic for messages of Mitecom. No topic of a robot's program can have this name.
const MitecomTopic = "(mitecom)"

// Mitecom says how a robot takes part in the Mixed Team Communication.
type Mitecom struct {
	Team     int `toml:"team" range:"[0, 65535]" fixed:"true" doc:"number of the team in messages; teammates ignore those of other teams"`
	BasePort int `toml:"base_port" range:"[0, 60000]" fixed:"true" doc:"0: the simulation sends what the robot's programs and the levels of its sensors know. Otherwise, from 1024 on, the program of robot number N does: it listens at UDP port base_port + N and sends to base_port + 1000 + N, on loopback"`
}

// firstUserPort is the first port that programs without privileges can use.
const firstUserPort = 1024

// mitecomGap is the distance of the port to which a program sends from that at which it listens.
const mitecomGap = 1000

// Ports returns the ports at which the program of the robot with the given number listens, and to which it sends. They
// are 0 if the robot has no program. It fails if the number has none.
func (m *Mitecom) Ports(number int) (listens, sends uint16, err error) {
	if m.BasePort == 0 {
		return 0, 0, nil
	}
	if m.BasePort < firstUserPort {
		return 0, 0, &schema.Violation{Path: "mitecom", Key: "base_port", Value: m.BasePort,
			Rule: fmt.Sprintf("must be 0 or at least %d: programs without privileges cannot use the ports below",
				firstUserPort)}
	}
	port := m.BasePort + number
	if number < 0 || number >= mitecomGap || port+mitecomGap > 65535 {
		return 0, 0, &schema.Violation{Path: "mitecom", Key: "base_port", Value: m.BasePort,
			Rule: fmt.Sprintf("robot number %d has no ports: its number must lie in [0, %d], and its ports below 65536",
				number, mitecomGap-1)}
	}
	return uint16(port), uint16(port + mitecomGap), nil
}
