package foxglove

import (
	"runtime"
	"testing"

	"github.com/omnipitch/omnipitch/robotio/web"
	"github.com/omnipitch/omnipitch/robotio/web/webtest"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// Neither disconnected clients nor a closed server leave goroutines behind.
func TestNothingIsLeft(t *testing.T) {
	uri := webtest.Master(t)
	webtest.Sim(t, uri)
	before := runtime.NumGoroutine()
	s := newServer(t, uri, web.Config{})
	for range 30 {
		k := dial(t, s)
		k.Send(`{"op":"subscribe","subscriptions":[{"id":7,"channelId":%d}]}`, k.channel("/image").ID)
		k.Send(`{"op":"advertise","channels":[{"id":1,"topic":"/cmd","encoding":"json","schemaName":"nubot_common/OdoInfo"}]}`)
		k.Send(`{"op":"subscribeConnectionGraph"}`)
		k.Send(`{"op":"subscribeParameterUpdates","parameterNames":["/speed"]}`)
		k.Receive("an image", func(binary bool, _ []byte) bool { return binary })
		k.Conn.CloseNow()
	}
	must.Do(t, s.Close())
	must.Do(t, s.Node.Close())
	webtest.Until(t, "goroutines to end", func() bool { return runtime.NumGoroutine() <= before })
}
