package foxglove

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/omnipitch/omnipitch/robotio/web"
	"github.com/omnipitch/omnipitch/robotio/web/webtest"
)

// FuzzSession: whatever a client says, in text and in bytes, the server still answers it afterwards.
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
	s := newServer(f, uri, Config{Limits: web.Limits{Rate: 1e9}})
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
		for _, m := range []struct {
			kind websocket.MessageType
			b    []byte
		}{{websocket.MessageText, []byte(text)}, {websocket.MessageBinary, binary}, {websocket.MessageText, []byte(`{"op":"getParameters","parameterNames":["/none"],"id":"fuzz-end"}`)}} {
			if err := c.Write(ctx, m.kind, m.b); err != nil {
				t.Fatal(err)
			}
		}
		for {
			_, b, err := c.Read(ctx)
			if err != nil {
				t.Fatalf("%q, %q: %v", text, binary, err)
			}
			if strings.Contains(string(b), `"id":"fuzz-end"`) {
				return
			}
		}
	})
}

// FuzzCall: what is read as a call is written the same.
func FuzzCall(f *testing.F) {
	f.Add(call{1, 2, "ros1", []byte{3}}.append(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := parseCall(b)
		if err != nil {
			return
		}
		if again := c.append(nil); !bytes.Equal(again, b) {
			t.Errorf("% x became % x", b, again)
		}
	})
}
