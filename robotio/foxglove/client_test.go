package foxglove

import (
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/robotio/web"
	"github.com/omnipitch/omnipitch/robotio/web/webtest"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// TestClient runs the client of npm's @foxglove/ws-protocol the way Foxglove uses it, with both subprotocols. The
// checks are in testdata/web/foxglove.mjs.
func TestClient(t *testing.T) {
	for _, protocol := range protocols {
		t.Run(protocol, func(t *testing.T) {
			uri := webtest.Master(t)
			sim := webtest.Sim(t, uri)
			must.Do(t, sim.SetParam("/use_sim_time", true))
			clock := must.Get(ros1.Advertise[msg.Clock](sim, "/clock", "rosgraph_msgs/Clock", ros1.PubOptions{}))(t)
			now := 200 * time.Second
			webtest.Repeat(t, 10*time.Millisecond, func() {
				now += 10 * time.Millisecond
				clock.Publish(&msg.Clock{Clock: msg.TimeFrom(now)})
			})
			p := webtest.Start(t, "foxglove.mjs", newServer(t, uri, web.Config{}).URL(), protocol)
			p.Prints("watching /web/x")
			must.Do(t, sim.SetParam("/web/x", 9.5))
			p.Prints("watching the graph")
			late := must.Get(ros1.Advertise[msg.Int32](sim, "/late", "std_msgs/Int32", ros1.PubOptions{}))(t)
			p.Prints("seen /late")
			must.Do(t, late.Close())
			p.Prints("ok connection graph")
			again := must.Get(ros1.Advertise[msg.String](sim, "/late", "std_msgs/String",
				ros1.PubOptions{Latch: true}))(t)
			again.Publish(&msg.String{Data: "later"})
			p.End()
		})
	}
}
