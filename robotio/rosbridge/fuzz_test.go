package rosbridge

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/omnipitch/omnipitch/robotio/web"
	"github.com/omnipitch/omnipitch/robotio/web/webtest"
	"github.com/omnipitch/omnipitch/testdata/allocs"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// The server still answers a client after any two messages. There are two, so that the fuzzer finds fragments and state
// between operations.
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
	s := newServer(f, uri, web.Config{Limits: web.Limits{Rate: 1e9}})
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
		allocs.AtMost(t, allocs.ParseLimit, func() { converse(ctx, t, c, first, second) })
	})
}

// converse sends two messages and waits until the server has handled them.
func converse(ctx context.Context, t *testing.T, c *websocket.Conn, first, second string) {
	t.Helper()
	for _, m := range []string{first, second, `{"op":"set_level","level":"error"}`,
		`{"op":"nonsense","id":"fuzz-end"}`} {
		must.Do(t, c.Write(ctx, websocket.MessageText, []byte(m)))
	}
	for {
		_, b, err := c.Read(ctx)
		if err != nil {
			t.Fatalf("%.200q, %.200q: %v", first, second, err)
		}
		if strings.Contains(string(b), `"id":"fuzz-end"`) {
			return
		}
	}
}

// Messages of almost 1 MiB with as many elements as possible stay within the limit of allocations of a parser.
func TestAllocs(t *testing.T) {
	for name, m := range map[string][3]string{
		"numbers in a message": {`{"op":"publish","topic":"/cmd","msg":{"Vx":[`, `1,`, `1]}}`},
		"fields of a message":  {`{"op":"publish","topic":"/cmd","msg":{`, `"Vx":1,`, `"Vx":1}}`},
		"an id":                {`{"op":"subscribe","topic":"/odo","id":[`, `[],`, `1]}`},
		"depth":                {`{"op":"publish","topic":"/cmd","msg":`, `[`, ``},
		"arguments":            {`{"op":"call_service","service":"/Shoot","args":[`, `{},`, `1]}`},
		"a parameter": {`{"op":"call_service","service":"/rosapi/set_param","args":{"name":"/x","value":"[`,
			`1,`, `1]"}}`},
		"a parameter of lists": {`{"op":"call_service","service":"/rosapi/set_param","args":{"name":"/x","value":"[`,
			`[],`, `1]"}}`},
		"a parameter of structs": {`{"op":"call_service","service":"/rosapi/set_param","args":{"name":"/x","value":"[`,
			`{},`, `1]"}}`},
		"an unknown field": {`{"op":"publish","x":[`, `{"a":1},`, `1]}`},
		"an operation":     {`{"op":"`, `a`, `"}`},
		"a topic":          {`{"op":"subscribe","topic":"/`, `a`, `"}`},
		"a type":           {`{"op":"advertise","topic":"/x","type":"`, `a/`, `"}`},
		"escapes":          {`{"op":"publish","topic":"/cmd","msg":"`, `\u0000`, `"}`},
		"fragments":        {`{"op":"fragment","id":"1","num":0,"total":2,"data":"`, `\"`, `"}`},
		"values of a service": {`{"op":"service_response","service":"/web","id":"1","result":true,"values":[`, `1,`,
			`1]}`},
	} {
		t.Run(name, func(t *testing.T) {
			uri := webtest.Master(t)
			webtest.Sim(t, uri)
			s := newServer(t, uri, web.Config{Limits: web.Limits{Rate: 1e9}})
			c, _, err := websocket.Dial(t.Context(), s.URL(), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer c.CloseNow()
			c.SetReadLimit(64 << 20)
			n := (1<<20 - 1 - len(m[0]) - len(m[2])) / len(m[1])
			text := m[0] + strings.Repeat(m[1], n) + m[2]
			allocs.AtMost(t, allocs.ParseLimit,
				func() { converse(t.Context(), t, c, text, `{"op":"subscribe","topic":"/odo"}`) })
		})
	}
}

// Fragments join to the original text, and none splits a character.
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
		var err error
		allocs.AtMost(t, allocs.ParseLimit, func() {
			err = split([]byte(text), size, "id", func(b []byte) error {
				n++
				r, err := parse(b)
				if err == nil {
					whole, err = parts.add(r)
				}
				return err
			})
		})
		if err != nil || n > 0 && string(whole) != text {
			t.Errorf("%q in %d parts of %d bytes: %q, %v", text, n, size, whole, err)
		}
		if len(parts.open) != 0 || parts.size != 0 {
			t.Errorf("left behind: %+v", parts)
		}
	})
}
