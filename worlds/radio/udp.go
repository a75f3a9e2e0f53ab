package radio

import (
	"fmt"
	"net/netip"

	"github.com/omnipitch/omnipitch/worlds/schema"
)

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
// the group is not one that programs may use.
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
