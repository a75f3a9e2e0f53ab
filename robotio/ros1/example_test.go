package ros1_test

import (
	"fmt"
	"time"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/timesync"
)

// Example connects two nodes with an embedded master. The publisher latches, so it need not wait for its subscriber.
func Example() {
	m, err := ros1.ListenMaster(ros1.MasterConfig{Addr: "127.0.0.1:0"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer m.Close()
	robot, err := ros1.NewNode(ros1.NodeConfig{Name: "/cyan1/driver", MasterURI: m.URI()})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer robot.Close()
	brain, err := ros1.NewNode(ros1.NodeConfig{Name: "/cyan1/brain", MasterURI: m.URI()})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer brain.Close()

	pub, err := ros1.Advertise[msg.OdoInfo](robot, "~odoinfo", "nubot_common/OdoInfo", ros1.PubOptions{Latch: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	pub.Publish(&msg.OdoInfo{Vx: 120, PowerState: true})
	got := make(chan *msg.OdoInfo)
	if _, err := ros1.Subscribe(brain, "driver/odoinfo", "nubot_common/OdoInfo",
		func(m *msg.OdoInfo) { got <- m }); err != nil {
		fmt.Println(err)
		return
	}
	odo := <-got
	fmt.Println(pub.Topic(), odo.Header.Seq, odo.Vx, "cm/s")
	// Output: /cyan1/driver/odoinfo 1 120 cm/s
}

// ExampleFollowClock shows a program that follows sim time. The example publishes a second of it as a simulation would.
func ExampleFollowClock() {
	m, err := ros1.ListenMaster(ros1.MasterConfig{Addr: "127.0.0.1:0"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer m.Close()
	node, err := ros1.NewNode(ros1.NodeConfig{Name: "/robot", MasterURI: m.URI()})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer node.Close()
	clock, err := ros1.Advertise[msg.Clock](node, "/clock", "rosgraph_msgs/Clock", ros1.PubOptions{Queue: 1000,
		Latch: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	clock.Publish(&msg.Clock{})
	client := timesync.NewClient(timesync.SystemWall())
	if _, err := ros1.FollowClock(node, client); err != nil {
		fmt.Println(err)
		return
	}
	<-client.Ready()
	ticker := client.NewTicker(250 * time.Millisecond)
	for t := time.Duration(0); t <= time.Second; t += 10 * time.Millisecond {
		clock.Publish(&msg.Clock{Clock: msg.TimeFrom(t)})
		if t > 0 && t%(250*time.Millisecond) == 0 {
			fmt.Println(<-ticker.C)
		}
	}
	// Output:
	// 250ms
	// 500ms
	// 750ms
	// 1s
}
