package rosbridge

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
		k.Send(`{"op":"subscribe","topic":"/image"}`)
		k.Send(`{"op":"subscribe","topic":"/fast","throttle_rate":60000}`)
		k.Send(`{"op":"advertise","topic":"/cmd","type":"nubot_common/OdoInfo"}`)
		k.Send(`{"op":"advertise_service","service":"/web/s","type":"std_srvs/Empty"}`)
		k.Send(`{"op":"call_service","service":"/Shoot","id":"x"}`)
		k.receive(`"/image"`)
		k.Conn.CloseNow()
	}
	must.Do(t, s.Close())
	must.Do(t, s.Node.Close())
	webtest.Until(t, "goroutines to end", func() bool { return runtime.NumGoroutine() <= before })
}
