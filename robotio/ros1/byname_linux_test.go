package ros1

import (
	"net"
	"os"
	"testing"

	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// TestPeersByName checks that rospy and roscpp may use the machine's names for the master and our node: localhost, the
// host's own name, and the address of another interface if there is one.
func TestPeersByName(t *testing.T) {
	needROS(t)
	throttle := needProgram(t, "/usr/lib/topic_tools/throttle", "topic-tools")
	t.Parallel()
	names := []string{"localhost"}
	own := must.Get(os.Hostname())(t)
	if addrs, err := net.LookupHost(own); err == nil && net.ParseIP(addrs[0]).IsLoopback() {
		names = append(names, own)
	}
	addrs, _ := net.InterfaceAddrs()
	for _, a := range addrs {
		if ip, ok := a.(*net.IPNet); ok && !ip.IP.IsLoopback() && ip.IP.To4() != nil {
			names = append(names, ip.IP.String())
			break
		}
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := must.Get(ListenMaster(MasterConfig{Addr: "0.0.0.0:0", Host: name}))(t)
			t.Cleanup(func() { m.Close() })
			n := must.Get(NewNode(NodeConfig{Name: "/omnipitch", MasterURI: m.URI(), Host: name, Listen: "0.0.0.0",
				Log: testLog(t)}))(t)
			t.Cleanup(func() { n.Close() })
			pub := must.Get(Advertise[msg.OdoInfo](n, "/odo", "nubot_common/OdoInfo", PubOptions{}))(t)
			repeat(t, func() { pub.Publish(&msg.OdoInfo{Vx: 1}) })
			env := []string{"ROS_HOSTNAME=" + name}
			startEnv(t, m.URI(), env, throttle, "messages", "/odo", "10", "/slow") // roscpp
			got := received[msg.OdoInfo](t, n, "/slow", "nubot_common/OdoInfo")
			recv(t, got)
			// rospy's XML-RPC calls, to the master and to the node
			out, err := startEnv(t, m.URI(), env, "/usr/bin/rosnode", "info", "/omnipitch").end()
			must.Do(t, err)
			wantAll(t, "rosnode info", out, "/odo [nubot_common/OdoInfo]", "contacting node "+n.URI(), "Pid: ",
				"* to: /odo_throttle")
		})
	}
}
