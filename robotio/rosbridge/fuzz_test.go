package rosbridge

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/omnipitch/omnipitch/robotio/web"
	"github.com/omnipitch/omnipitch/robotio/web/webtest"
)

// FuzzSession: whatever a client says, the server still answers it afterwards. Two messages at once, for fragments and
// for what one operation leaves to the next.
func FuzzSession(f *testing.F) {
	for _, s := range []string{
		`{"op":"subscribe","id":"a","topic":"/odo","type":"nubot_common/OdoInfo","throttle_rate":1,"queue_length":2,"fragment_size":9,"compression":"png"}`,
		`{"op":"unsubscribe","id":"a","topic":"/odo"}`,
		`{"op":"advertise","topic":"/cmd","type":"nubot_common/OdoInfo","latch":true,"queue_size":5}`,
		`{"op":"publish","topic":"/cmd","msg":{"header":{"stamp":"now","frame_id":"ä"},"Vx":1e3}}`,
		`{"op":"unadvertise","topic":"/cmd"}`,
		`{"op":"call_service","id":7,"service":"/Shoot","args":[1.5,2],"timeout":0.5}`,
		`{"op":"call_service","service":"/rosapi/message_details","args":{"type":"tf2_msgs/TFMessage"}}`,
		`{"op":"call_service","service":"/rosapi/set_param","args":{"name":"/x","value":"{\"a\":[1,2.5]}"}}`,
		`{"op":"advertise_service","service":"/web","type":"std_srvs/SetBool"}`,
		`{"op":"unadvertise_service","service":"/web"}`,
		`{"op":"service_response","id":"service_request:/web:1","values":{},"result":true}`,
		`{"op":"set_level","level":"info"}`,
		`{"op":"fragment","id":"1","data":"{\"op\":","num":0,"total":2}`,
		`{"op":"fragment","id":"1","data":"\"set_level\"}","num":1,"total":2}`,
	} {
		f.Add(s, `{"op":"status"}`)
		f.Add(`{"op":"subscribe","topic":"/odo"}`, s)
	}
	uri := webtest.Master(f)
	webtest.Sim(f, uri)
	s := newServer(f, uri, Config{Limits: web.Limits{Rate: 1e9}})
	ctx := f.Context()
	f.Fuzz(func(t *testing.T, first, second string) {
		ctx, cancel := context.WithTimeout(ctx, time.Minute)
		defer cancel()
		c, _, err := websocket.Dial(ctx, s.URL(), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer c.CloseNow()
		c.SetReadLimit(64 << 20)
		for _, m := range []string{first, second, `{"op":"set_level","level":"error"}`, `{"op":"nonsense","id":"fuzz-end"}`} {
			if err := c.Write(ctx, websocket.MessageText, []byte(m)); err != nil {
				t.Fatal(err)
			}
		}
		for {
			_, b, err := c.Read(ctx)
			if err != nil {
				t.Fatalf("%q, %q: %v", first, second, err)
			}
			if strings.Contains(string(b), `"id":"fuzz-end"`) {
				return
			}
		}
	})
}

// FuzzSplit: what is split is the same when put together, and no character is torn.
func FuzzSplit(f *testing.F) {
	f.Add(`{"op":"publish","msg":"äöü𝄞"}`, 3)
	f.Fuzz(func(t *testing.T, text string, size int) {
		text = strings.ToValidUTF8(text, "?")
		if size < 1 || len(text)/size > maxParts/2 {
			return
		}
		parts := fragments{most: len(text) + 1}
		var whole []byte
		n := 0
		err := split([]byte(text), size, "id", func(b []byte) error {
			n++
			r, err := parse(b)
			if err == nil {
				whole, err = parts.add(r)
			}
			return err
		})
		if err != nil || n > 0 && string(whole) != text {
			t.Errorf("%q in %d parts of %d bytes: %q, %v", text, n, size, whole, err)
		}
		if len(parts.open) != 0 || parts.size != 0 {
			t.Errorf("left behind: %+v", parts)
		}
	})
}
