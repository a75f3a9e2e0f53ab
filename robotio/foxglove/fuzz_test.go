package foxglove

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/omnipitch/omnipitch/robotio/web"
	"github.com/omnipitch/omnipitch/robotio/web/webtest"
	"github.com/omnipitch/omnipitch/testdata/allocs"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// FuzzSession checks that the server still answers a client after any text message and any binary message.
func FuzzSession(f *testing.F) {
	request := call{service: 2, id: 3, encoding: "ros1", data: make([]byte, 12)}.append([]byte{opServiceRequest})
	for _, s := range []string{
		`{"op":"subscribe","subscriptions":[{"id":0,"channelId":2},{"id":1,"channelId":3}]}`,
		`{"op":"unsubscribe","subscriptionIds":[0,1]}`,
		`{"op":"advertise","channels":[{"id":1,"topic":"/cmd","encoding":"ros1","schemaName":"nubot_common/OdoInfo"}]}`,
		`{"op":"advertise","channels":[{"id":1,"topic":"/x","encoding":"json","schemaName":"a/A","schema":"int8 x","schemaEncoding":"ros1msg"}]}`,
		`{"op":"unadvertise","channelIds":[1]}`,
		`{"op":"getParameters","parameterNames":[],"id":"x"}`,
		`{"op":"setParameters","parameters":[{"name":"/a/b","value":[1,2],"type":"float64_array"},{"name":"/c"}],"id":"y"}`,
		`{"op":"subscribeParameterUpdates","parameterNames":["/a"]}`,
		`{"op":"unsubscribeParameterUpdates","parameterNames":["/a"]}`,
		`{"op":"subscribeConnectionGraph"}`,
		`{"op":"unsubscribeConnectionGraph"}`,
		`{"op":"fetchAsset","uri":"x","requestId":1}`,
	} {
		f.Add(s, request)
		f.Add(s, append([]byte{opClientMessage, 1, 0, 0, 0}, make([]byte, 30)...))
	}
	uri := webtest.Master(f)
	webtest.Sim(f, uri)
	s := newServer(f, uri, web.Config{Limits: web.Limits{Rate: 1e9}})
	ctx := f.Context()
	f.Fuzz(func(t *testing.T, text string, binary []byte) {
		ctx, cancel := context.WithTimeout(ctx, time.Minute)
		defer cancel()
		c, _, err := websocket.Dial(ctx, s.URL(), &websocket.DialOptions{Subprotocols: protocols})
		if err != nil {
			t.Fatal(err)
		}
		defer c.CloseNow()
		c.SetReadLimit(64 << 20)
		allocs.AtMost(t, allocs.ParseLimit, func() { converse(ctx, t, c, text, binary) })
	})
}

// converse sends a text and a binary message and waits until the server has handled them.
func converse(ctx context.Context, t *testing.T, c *websocket.Conn, text string, binary []byte) {
	t.Helper()
	for _, m := range []struct {
		kind websocket.MessageType
		b    []byte
	}{{websocket.MessageText, []byte(text)}, {websocket.MessageBinary, binary},
		{websocket.MessageText, []byte(`{"op":"getParameters","parameterNames":["/none"],"id":"fuzz-end"}`)}} {
		must.Do(t, c.Write(ctx, m.kind, m.b))
	}
	for {
		_, b, err := c.Read(ctx)
		if err != nil {
			t.Fatalf("%.200q, %.200q: %v", text, binary, err)
		}
		if strings.Contains(string(b), `"id":"fuzz-end"`) {
			return
		}
	}
}

// Messages of almost 1 MiB with as many elements as possible stay within the limit of allocations of a parser.
func TestAllocs(t *testing.T) {
	for name, m := range map[string][3]string{
		"subscriptions":          {`{"op":"subscribe","subscriptions":[`, `{"id":1,"channelId":2},`, `{}]}`},
		"empty subscriptions":    {`{"op":"subscribe","subscriptions":[`, `{},`, `{}]}`},
		"subscriptions to leave": {`{"op":"unsubscribe","subscriptionIds":[`, `9,`, `9]}`},
		"channels":               {`{"op":"advertise","channels":[`, `{"id":1},`, `{}]}`},
		"channels to leave":      {`{"op":"unadvertise","channelIds":[`, `9,`, `9]}`},
		"a schema":               {`{"op":"advertise","channels":[{"id":1,"topic":"/x","encoding":"json","schemaName":"a/A","schemaEncoding":"ros1msg","schema":"`, `int8 a\n`, `"}]}`},
		"a schema of types":      {`{"op":"advertise","channels":[{"id":1,"topic":"/x","encoding":"json","schemaName":"a/A","schemaEncoding":"ros1msg","schema":"B b\n`, `===\nMSG: a/B\nint8 x\n`, `"}]}`},
		"names of parameters":    {`{"op":"getParameters","id":"x","parameterNames":[`, `"/a",`, `"/b"]}`},
		"parameters":             {`{"op":"setParameters","id":"x","parameters":[`, `{},`, `{}]}`},
		"a parameter": {`{"op":"setParameters","id":"x","parameters":[{"name":"/a","value":[`, `1,`,
			`1]}]}`},
		"a parameter of lists": {`{"op":"setParameters","id":"x","parameters":[{"name":"/a","value":[`, `[],`,
			`1]}]}`},
		"parameters to watch": {`{"op":"subscribeParameterUpdates","parameterNames":[`, `"/a",`, `"/b"]}`},
		"an operation":        {`{"op":"`, `a`, `"}`},
		"an unknown field":    {`{"op":"subscribe","x":[`, `{"a":1},`, `1]}`},
		"depth":               {`{"op":"subscribe","x":`, `[`, ``},
	} {
		for _, size := range []int{1<<20 - 1, 30 << 10} { // the larger one exceeds the limits of some lists
			t.Run(fmt.Sprint(name, size), func(t *testing.T) {
				uri := webtest.Master(t)
				webtest.Sim(t, uri)
				s := newServer(t, uri, web.Config{Limits: web.Limits{Rate: 1e9}})
				c, _, err := websocket.Dial(t.Context(), s.URL(), &websocket.DialOptions{Subprotocols: protocols})
				if err != nil {
					t.Fatal(err)
				}
				defer c.CloseNow()
				c.SetReadLimit(64 << 20)
				text := m[0] + strings.Repeat(m[1], (size-len(m[0])-len(m[2]))/len(m[1])) + m[2]
				allocs.AtMost(t, allocs.ParseLimit,
					func() { converse(t.Context(), t, c, text, []byte{opClientMessage, 1, 0, 0, 0}) })
			})
		}
	}
}

// FuzzCall checks that encoding a parsed call yields the same bytes.
func FuzzCall(f *testing.F) {
	f.Add(call{1, 2, "ros1", []byte{3}}.append(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		var c call
		var err error
		allocs.AtMost(t, allocs.ParseLimit, func() { c, err = parseCall(b) })
		if err != nil {
			return
		}
		if again := c.append(nil); !bytes.Equal(again, b) {
			t.Errorf("% x became % x", b, again)
		}
	})
}
