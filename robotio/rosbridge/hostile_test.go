package rosbridge

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/coder/websocket"

	"github.com/omnipitch/omnipitch/robotio/web"
	"github.com/omnipitch/omnipitch/robotio/web/webtest"
)

// Next to clients that flood, send garbage, never read, and request too much, a normal client gets every answer and its
// images, and the graph keeps working.
func TestBadCompany(t *testing.T) {
	uri := webtest.Master(t)
	webtest.Sim(t, uri)
	s := newServer(t, uri, web.Config{})
	ctx, cancel := context.WithCancel(t.Context())
	var wait sync.WaitGroup
	bad := func(texts ...string) {
		k := dial(t, s)
		wait.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				if k.Conn.Write(ctx, websocket.MessageText, []byte(texts[i%len(texts)])) != nil {
					return // closed, as it deserves
				}
			}
		})
	}
	bad("{", "[]", `{"op":5}`, `{"op":"publish"}`, strings.Repeat("[", 1<<16))
	bad(`{"op":"subscribe","topic":"/image"}`, `{"op":"unsubscribe","topic":"/image"}`)
	bad(`{"op":"subscribe","topic":"/image"}`, `{"op":"call_service","service":"/rosapi/topics"}`)
	bad(`{"op":"call_service","service":"/nobody"}`)
	bad(`{"op":"publish","topic":"/flood","type":"std_msgs/String","msg":{"data":"` + strings.Repeat("x", 1<<16) +
		`"}}`)
	bad(`{"op":"fragment","id":"1","data":"x","num":0,"total":65536}`,
		`{"op":"fragment","id":"2","data":"x","num":0,"total":65536}`)
	deaf := dial(t, s)
	deaf.Send(`{"op":"subscribe","topic":"/image","compression":"png"}`)
	good := dial(t, s)
	good.Send(`{"op":"subscribe","topic":"/image","queue_length":2}`)
	for i := range 10 {
		good.Send(`{"op":"call_service","id":"call %d","service":"/Shoot","args":{"strength":%d}}`, i, i)
		if got := good.receive(fmt.Sprintf(`"id":"call %d"`, i)); !strings.Contains(got, fmt.Sprintf(`"ShootIsDone":%d`,
			i)) {
			t.Error(got)
		}
		good.receive(`"topic":"/image"`)
	}
	cancel()
	wait.Wait()
}
