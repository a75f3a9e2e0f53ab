package rosbridge_test

import (
	"context"
	"fmt"

	"github.com/coder/websocket"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/rosbridge"
	"github.com/omnipitch/omnipitch/robotio/web"
)

// A WebSocket client subscribes to a topic of the graph. Errors are ignored here for brevity.
func Example() {
	m, _ := ros1.ListenMaster(ros1.MasterConfig{Addr: "127.0.0.1:0"})
	defer m.Close()
	robot, _ := ros1.NewNode(ros1.NodeConfig{Name: "/cyan1", MasterURI: m.URI()})
	defer robot.Close()
	pub, _ := ros1.Advertise[msg.String](robot, "~state", "std_msgs/String", ros1.PubOptions{Latch: true})
	pub.Publish(&msg.String{Data: "ready"})

	node, _ := ros1.NewNode(ros1.NodeConfig{Name: "/rosbridge", MasterURI: m.URI()})
	defer node.Close()
	s, err := rosbridge.Listen(node, web.Config{Addr: "127.0.0.1:0"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()

	ctx := context.Background()
	c, _, err := websocket.Dial(ctx, s.URL(), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.CloseNow()
	_ = c.Write(ctx, websocket.MessageText, []byte(`{"op":"subscribe","topic":"/cyan1/state"}`))
	_, b, _ := c.Read(ctx)
	fmt.Println(string(b))
	// Output: {"op":"publish","topic":"/cyan1/state","msg":{"data":"ready"}}
}
