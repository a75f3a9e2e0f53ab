package worlds

import (
	"strings"
	"testing"
)

// Datagrams only go to multicast groups that programs may use, and no two robots share a port.
func TestRadiosByUDP(t *testing.T) {
	const mates = "name = \"w\"\n[[robot]]\nname = \"a\"\nmodel = \"nubot\"\nnumber = 1\n[[robot]]\nname = " +
		"\"b\"\nmodel = \"nubot\"\nnumber = 2\npose = { x_m = 2 }\n" +
		"[[robot]]\nname = \"c\"\nmodel = \"nubot\"\nteam = \"magenta\"\nnumber = 2\npose = { x_m = 4 }\n"
	const place = "robot[0].radio.udp: "
	for _, c := range []struct{ keys, want string }{
		{"[team.cyan.radio.udp]\ngroup = \"224.16.32.32\"\nbase_port = 2000\n[team.magenta.radio.udp]\ngroup = " +
			"\"224.16.32.32\"\nbase_port = 2100\n", ""},
		{"[team.cyan.radio.udp]\ngroup = \"224.16.32.32\"\nbase_port = 2000\n[team.magenta.radio.udp]\ngroup = " +
			"\"224.16.32.33\"\nbase_port = 2000\n",
			"robot[2].radio.udp: base_port = 2000: port 2002, with its number, is already that of b: each robot " +
				"needs one of its own, whatever its group"},
		{"[team.cyan.radio.udp]\nbase_port = 2000\n", "group: must be given"},
		{"[team.cyan.radio.udp]\ngroup = \"224.16.32.32\"\n", "base_port: must be given"},
		{"[team.cyan.radio.udp]\ngroup = \"224.16.32.32\"\nbase_port = 80\n",
			"base_port = 80: must lie in [1024, 65000]"},
		{"[team.cyan.radio.udp]\ngroup = \"10.0.0.1\"\nbase_port = 2000\n",
			place + `group = "10.0.0.1": must be an IPv4 multicast address from 224.0.1.0 to 239.255.255.255`},
		{"[team.cyan.radio.udp]\ngroup = \"224.0.0.1\"\nbase_port = 2000\n", place + `group = "224.0.0.1": must be`},
		{"[team.cyan.radio.udp]\ngroup = \"ff05::1\"\nbase_port = 2000\n", place + `group = "ff05::1": must be`},
		{"[team.cyan.radio.udp]\ngroup = \"rtdb\"\nbase_port = 2000\n", place + `group = "rtdb": must be`},
	} {
		_, err := Parse("w.toml", []byte(mates+c.keys))
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.keys, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v, want %s", c.keys, err, c.want)
		}
	}
}
