package rosbridge

import (
	"testing"

	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/robotio/web"
	"github.com/omnipitch/omnipitch/robotio/web/webtest"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// TestRoslib runs the checks with npm's roslib in testdata/web/rosbridge.mjs.
func TestRoslib(t *testing.T) {
	uri := webtest.Master(t)
	sim := webtest.Sim(t, uri)
	p := webtest.Start(t, "rosbridge.mjs", newServer(t, uri, web.Config{}).URL())
	p.Prints("serving /web/switch")
	answer := must.Get(ros1.CallRaw(t.Context(), sim, "/web/switch", nil, []byte{0}))(t)
	if want := "\x00\x0b\x00\x00\x00it is false"; string(answer) != want {
		t.Errorf("a node of the graph called the page's service: %q, want %q", answer, want)
	}
	served := must.Get(ros1.Advertise[msg.Int32](sim, "/served", "std_msgs/Int32", ros1.PubOptions{Latch: true}))(t)
	served.Publish(&msg.Int32{})
	p.End()
}
