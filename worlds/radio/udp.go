package radio

import (
	"fmt"
	"net/netip"

	"github.com/omnipitch/omnipitch/worlds/schema"
)

// DatagramTopic is that of messages which programs send and get as datagrams of UDP. No topic of a robot's own can have
// this name.
const DatagramTopic = "(udp)"

// UDP says where a robot's program sends datagrams to its mates and gets theirs: at one group and port, as on a robot.
type UDP struct {
	Group    string `toml:"group" required:"true" fixed:"true" doc:"IPv4 multicast address that the program sends to and listens to, such as 224.16.32.32"`
	BasePort int    `toml:"base_port" required:"true" range:"[1024, 65000]" fixed:"true" doc:"the program of robot number N sends to and listens at port base_port + N, which no other robot of the world has"`
}

// Address returns where the program of a robot with a number sends and listens. It fails unless the group is one for
// programs.
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
