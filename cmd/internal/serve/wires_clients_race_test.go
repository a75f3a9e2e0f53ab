//go:build race && cgo

package serve

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/msg/dynamic"
	"github.com/omnipitch/omnipitch/robotio/ros1"
)

// most is the wall time that a client waits for an answer. Requests that wait for a frame or a step may take longer.
const most = 2 * time.Second

// request sends a request to the dashboard and returns the body of the answer.
func (x *exercise) request(ctx context.Context, path, body string) []byte {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	method := http.MethodGet
	if body != "" {
		method = http.MethodPost
	}
	q, err := http.NewRequestWithContext(ctx, method, x.page.URL()+path, strings.NewReader(body))
	if err != nil {
		x.t.Error(err)
		return nil
	}
	q.Header.Set("Content-Type", "application/json")
	r, err := http.DefaultClient.Do(q)
	if err != nil {
		return nil // it took too long
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err == nil {
		x.answers[pageWire].Add(1)
	}
	return b
}

// sensor returns the names of a random sensor.
func (x *exercise) sensor(rnd *rand.Rand) (robot, sensor string) {
	r := &x.world.Robots[rnd.IntN(len(x.world.Robots))]
	return r.Name, one(rnd, r.Sensors).Name
}

// requestPages sends requests of the dashboard that do not wait for a frame.
func (x *exercise) requestPages(ctx context.Context, rnd *rand.Rand) {
	base := "/api"
	if rnd.IntN(4) == 0 {
		base = x.beside(ctx, rnd)
	}
	switch rnd.IntN(8) {
	case 0, 1, 2:
		x.request(ctx, base+"/do", x.action(rnd))
	case 3:
		x.request(ctx, base+"/step", fmt.Sprintf(`{"steps": %d}`, 1+rnd.IntN(20)))
	case 4:
		x.request(ctx, base+"/seek", fmt.Sprintf(`{"time_s": %v}`, rnd.Float64()*10))
	case 5:
		x.request(ctx, "/api/recordings", fmt.Sprintf(`{"record": %v}`, rnd.IntN(2) == 0))
	default:
		x.request(ctx, base+one(rnd, []string{"/world", "/scene", "/scene.glb", "/beliefs", "/topics", "/sensors",
			"/pace", "/log", "/expectations", "/actions", "/timeline", "/recordings", "/results", "/replays"}), "")
	}
}

// beside returns the path of a replay beside the run. It opens one if there are few.
func (x *exercise) beside(ctx context.Context, rnd *rand.Rand) string {
	var open struct{ Replays []struct{ ID int } }
	_ = json.Unmarshal(x.request(ctx, "/api/replays", ""), &open)
	if len(open.Replays) < 2 {
		var files struct{ Recordings []struct{ ID string } }
		_ = json.Unmarshal(x.request(ctx, "/api/recordings", ""), &files)
		if len(files.Recordings) == 0 {
			return "/api"
		}
		x.request(ctx, "/api/replays", fmt.Sprintf(`{"recording": %q}`, one(rnd, files.Recordings).ID))
	}
	if len(open.Replays) == 0 {
		return "/api"
	}
	return fmt.Sprintf("/api/replays/%d", one(rnd, open.Replays).ID)
}

// action returns a random action as JSON. Restarts are frequent, and a paused run is soon resumed.
func (x *exercise) action(rnd *rand.Rand) string {
	robot, sensor := x.sensor(rnd)
	c, _ := x.world.Sensor(robot, sensor)
	of := fmt.Sprintf(`"robot": %q, "sensor": %q`, robot, sensor)
	return one(rnd, []string{
		`{"reset": {}}`, `{"reset": {}}`, fmt.Sprintf(`{"reset": {"seed": %d}}`, rnd.IntN(3)),
		`{"pause": {}}`, `{"resume": {}}`, `{"resume": {}}`, `{"resume": {}}`,
		fmt.Sprintf(`{"set_speed": {"speed": %q}}`, one(rnd, []string{"realtime", "0.5", "2", "steady"})),
		fmt.Sprintf(`{"set_level": {%s, "level": %q}}`, of, one(rnd, c.Kind.Levels())),
		fmt.Sprintf(`{"set_level": {%s, "level": %q}}`, of, one(rnd, c.Kind.Levels())),
		fmt.Sprintf(`{"break_sensor": {%s, "fault": %q}}`, of, one(rnd, c.Kind.Faults())),
		fmt.Sprintf(`{"heal_sensor": {%s}}`, of),
		`{"aim_head": {"robot": "cyan1", "sensor": "head", "pan_deg": 30}}`,
		`{"set_head_mode": {"robot": "cyan1", "sensor": "head", "mode": "search"}}`,
		fmt.Sprintf(`{"place": {"name": "ball", "x_m": %v, "vx_m_s": 3}}`, 4*rnd.Float64()),
		fmt.Sprintf(`{"place": {"name": %q, "y_m": %v}}`, robot, 4*rnd.Float64()),
		fmt.Sprintf(`{"drive": {"robot": %q, "vx_m_s": 1}}`, robot),
		fmt.Sprintf(`{"play": {"robot": %q, "chase_ball": {}}}`, robot),
		fmt.Sprintf(`{"follow": {"robot": %q, "way_points": [{"x_m": 1}]}}`, robot),
		fmt.Sprintf(`{"kick": {"robot": %q, "way": "flat", "speed_m_s": 3}}`, robot),
		fmt.Sprintf(`{"cut_wires": {"robot": %q}}`, robot), fmt.Sprintf(`{"restore_wires": {"robot": %q}}`, robot),
		fmt.Sprintf(`{"cut_radio": {"robot": %q}}`, "cyan1"), `{"restore_radio": {"robot": "cyan1"}}`,
		`{"game_command": {"command": "start"}}`, `{"game_command": {"command": "kickoff", "team": "cyan"}}`,
		`{"game_command": {"command": "stop"}}`, `{"coach": {"team": "cyan", "mode": "start"}}`,
		`{"set_light": {"lamp": 0.5, "over_s": 0.2}}`,
		`{"set_ball_color": {"color": "#00ff00"}}`, `{"set_carpet_color": {"color": "#0000ff"}}`,
		`{"hang": {"name": "board", "x_m": 2, "z_m": 1}}`, `{"record": {"on": true}}`, `{"record": {"on": false}}`,
	})
}

// requestFrames requests the next frames of sensors.
func (x *exercise) requestFrames(ctx context.Context, rnd *rand.Rand) {
	ctx, cancel := context.WithTimeout(ctx, most/4)
	defer cancel()
	robot, sensor := x.sensor(rnd)
	if rnd.IntN(4) == 0 {
		x.request(ctx, fmt.Sprintf("/api/sensors/%s/%s/next", robot, sensor), "")
		return
	}
	for after := range 3 {
		x.request(ctx, fmt.Sprintf("/api/cameras/%s/%s/next?after=%d&overlay=%s", robot, sensor, after, one(rnd,
			[]string{"", "detections,bodies", "lines,horizon,rim,unseen"})), "")
	}
}

// followSockets reads some messages of a WebSocket of the dashboard.
func (x *exercise) followSockets(ctx context.Context, rnd *rand.Rand) {
	url := "ws" + strings.TrimPrefix(x.page.URL(), "http") + one(rnd, []string{"/api/state", "/api/poses"})
	x.follow(ctx, url, socketWire, 10, nil)
}

// follow connects to a WebSocket and reads a number of messages. It passes each message to the function read, which may
// be nil and may answer. Before the first message it calls read with nil.
func (x *exercise) follow(ctx context.Context, url string, on way, messages int, read func(c *websocket.Conn,
	binary bool, b []byte), protocols ...string) {
	ctx, cancel := context.WithTimeout(ctx, 5*most)
	defer cancel()
	c, _, err := websocket.Dial(ctx, url, &websocket.DialOptions{Subprotocols: protocols})
	if err != nil {
		return // the server admits no more clients, or ctx has ended
	}
	defer c.CloseNow()
	c.SetReadLimit(-1)
	if read == nil {
		read = func(*websocket.Conn, bool, []byte) {}
	}
	read(c, false, nil)
	for range messages {
		kind, b, err := c.Read(ctx)
		if err != nil {
			return
		}
		x.answers[on].Add(1)
		read(c, kind == websocket.MessageBinary, b)
	}
}

// contents returns the JSON of a message or request of a type. Fields that are left out are 0.
func (x *exercise) contents(rnd *rand.Rand, typ string) string {
	robot, sensor := x.sensor(rnd)
	c, _ := x.world.Sensor(robot, sensor)
	switch typ {
	case "std_srvs/SetBool":
		return one(rnd, []string{`{"data": true}`, `{}`, `{}`})
	case "std_msgs/Float64":
		return `{"data": 1}`
	case "omnipitch_msgs/Step":
		return `{"steps": 3}`
	case "omnipitch_msgs/Seek":
		return fmt.Sprintf(`{"to": %v}`, rnd.Float64()*10)
	case "omnipitch_msgs/Coach":
		return one(rnd, []string{`{"command": "start"}`, `{"team": "cyan", "mode": "start"}`})
	case "roscpp/SetLoggerLevel":
		return fmt.Sprintf(`{"logger": %q, "level": %q}`, sensor, one(rnd, c.Kind.Levels()))
	}
	return `{}`
}

// joinROS joins the graph with a node of its own for some seconds, which subscribes, publishes and calls services.
func (x *exercise) joinROS(ctx context.Context, rnd *rand.Rand) {
	node, err := x.server.newNode(fmt.Sprintf("/client_%d", clients.Add(1)))
	if err != nil {
		pause(ctx, rnd, most)
		return
	}
	defer node.Close()
	pubs := map[string]func(){}
	for end := time.Now().Add(5 * most); time.Now().Before(end) && ctx.Err() == nil; {
		g, err := node.Graph(ctx)
		if err != nil {
			continue
		}
		topic, _ := oneOf(rnd, g.Publishers)
		taken, _ := oneOf(rnd, g.Subscribers)
		service, _ := oneOf(rnd, g.Services)
		switch rnd.IntN(5) {
		case 0:
			typ := g.Types[taken]
			if typ == "*" { // a topic of a condition of the world
				typ = "std_msgs/Float64"
			}
			if publish := x.advertise(node, taken, typ, rnd); publish != nil {
				pubs[taken] = publish
			}
		case 1:
			x.call(ctx, node, service, rnd)
		case 2:
			_, _ = node.GetParam("/")
			_ = node.SetParam("/a", rnd.IntN(9))
			_ = node.DeleteParam("/a")
		default:
			s, err := ros1.SubscribeRaw(node, topic, func(*ros1.Source, []byte) { x.answers[topicWire].Add(1) })
			if err == nil {
				defer s.Close()
			}
		}
		for _, publish := range pubs {
			publish()
		}
	}
}

// clients counts the nodes of clients.
var clients atomic.Int64

// advertise advertises a topic to which the simulator subscribes, and returns a function that publishes a message. It
// returns nil if that fails.
func (x *exercise) advertise(node *ros1.Node, topic, typ string, rnd *rand.Rand) func() {
	def, err := node.MessageType(typ)
	if err != nil {
		return nil
	}
	codec, err := dynamic.Compile(def)
	if err != nil {
		return nil
	}
	b, err := codec.AppendROS(nil, []byte(x.contents(rnd, typ)), msg.Time{})
	if err != nil {
		return nil
	}
	p, err := ros1.AdvertiseRaw(node, topic, def, ros1.PubOptions{})
	if err != nil {
		return nil
	}
	return func() { p.Publish(b) }
}

// call calls a service.
func (x *exercise) call(ctx context.Context, node *ros1.Node, service string, rnd *rand.Rand) {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	header, err := ros1.ProbeService(ctx, node, service)
	if err != nil {
		return
	}
	def, err := node.ServiceType(header.Type)
	if err != nil {
		return
	}
	codec, _, err := dynamic.CompileService(def)
	if err != nil {
		return
	}
	b, err := codec.AppendROS(nil, []byte(x.contents(rnd, header.Type)), msg.Time{})
	if err != nil {
		return
	}
	if _, err := ros1.CallRaw(ctx, node, service, def, b); err == nil {
		x.answers[serviceWire].Add(1)
	}
}

// url returns the address of one of the servers that openWeb has opened: 0 is rosbridge, and 1 is Foxglove.
func (x *exercise) url(number int) string {
	return "ws://" + x.server.web[2*number+1].(webServer).Addr().String()
}

// joinRosbridge is a client of rosbridge for some seconds.
func (x *exercise) joinRosbridge(ctx context.Context, rnd *rand.Rand) {
	send := func(c *websocket.Conn, format string, args ...any) {
		_ = c.Write(ctx, websocket.MessageText, fmt.Appendf(nil, format, args...))
	}
	n := 0
	x.follow(ctx, x.url(0), rosbridgeWire, 300, func(c *websocket.Conn, _ bool, _ []byte) {
		if n++; n%4 != 1 {
			return
		}
		for range 4 { // each of them is answered
			send(c, `{"op": "call_service", "service": %q}`, one(rnd, []string{"/rosapi/topics", "/rosapi/services",
				"/rosapi/nodes", "/rosapi/get_param_names"}))
		}
		g := x.graph(ctx)
		topic, _ := oneOf(rnd, g.Publishers)
		taken, _ := oneOf(rnd, g.Subscribers)
		service, _ := oneOf(rnd, g.Services)
		typ := g.Types[taken]
		switch rnd.IntN(4) {
		case 0:
			send(c, `{"op": "unsubscribe", "topic": %q}`, topic)
		case 1:
			send(c, `{"op": "advertise", "topic": %q, "type": %q}`, taken, typ)
			send(c, `{"op": "publish", "topic": %q, "msg": %s}`, taken, x.contents(rnd, typ))
		case 2:
			send(c, `{"op": "call_service", "service": %q, "args": %s}`, service, one(rnd, []string{`{}`,
				`{"data": true}`, `{"steps": 2}`}))
		default:
			send(c, `{"op": "subscribe", "topic": %q}`, topic)
		}
	})
}

// joinFoxglove is a client of the WebSocket protocol of Foxglove for some seconds.
func (x *exercise) joinFoxglove(ctx context.Context, rnd *rand.Rand) {
	type named struct {
		ID                     uint32
		Topic, Name, Type, Key string
	}
	var channels, offered []named
	calls := uint32(0)
	x.follow(ctx, x.url(1), foxgloveWire, 300, func(c *websocket.Conn, isBinary bool, b []byte) {
		var m struct{ Channels, Services []named }
		if !isBinary && json.Unmarshal(b, &m) == nil {
			channels, offered = append(channels, m.Channels...), append(offered, m.Services...)
		}
		if calls++; calls%4 != 0 || len(channels) == 0 || len(offered) == 0 {
			return
		}
		text := fmt.Sprintf(`{"op": "subscribe", "subscriptions": [{"id": %d, "channelId": %d}]}`, calls,
			one(rnd, channels).ID)
		switch rnd.IntN(4) {
		case 0:
			text = `{"op": "getParameters", "parameterNames": []}`
		case 1:
			text = fmt.Sprintf(`{"op": "setParameters", "parameters": [{"name": "/b", "value": %d}]}`, calls)
		case 2:
			s := one(rnd, offered)
			call := []byte{2}
			for _, v := range []uint32{s.ID, calls, 4} {
				call = binary.LittleEndian.AppendUint32(call, v)
			}
			_ = c.Write(ctx, websocket.MessageBinary, append(append(call, "json"...), x.contents(rnd, s.Type)...))
			return
		}
		_ = c.Write(ctx, websocket.MessageText, []byte(text))
	}, "foxglove.websocket.v1")
}

// joinPlayer is a client of a robot's Player server for some seconds. It opens all devices, and sends random requests
// and commands to them.
func (x *exercise) joinPlayer(ctx context.Context, rnd *rand.Rand) {
	const player, header = 1, 40 // the interface of the server itself; size of a header, bytes
	ctx, cancel := context.WithTimeout(ctx, time.Duration(1+rnd.IntN(4))*time.Second)
	defer cancel()
	c, err := (&net.Dialer{}).DialContext(ctx, "tcp", one(rnd, x.player.Addrs()).String())
	if err != nil {
		return
	}
	defer context.AfterFunc(ctx, func() { c.Close() })()
	defer c.Close()
	ints := func(values ...int) (b []byte) {
		for _, v := range values {
			b = binary.BigEndian.AppendUint32(b, uint32(v))
		}
		return b
	}
	send := func(interf, index, typ, subtype int, payload []byte) {
		head := ints(0, 0, interf, index, typ, subtype, 0, 0, 0, len(payload))
		_, _ = c.Write(append(head, payload...)) // the connection may end
	}
	for interf := range 63 {
		for index := range 4 {
			send(player, 0, 3, 3, ints(0, 0, interf, index, 1, 0, 0))
		}
	}
	if rnd.IntN(2) == 0 {
		send(player, 0, 3, 5, ints(2)) // pull
	}
	_, _ = io.CopyN(io.Discard, c, 32)
	for head := make([]byte, header); ; {
		if _, err := io.ReadFull(c, head); err != nil {
			return
		}
		size := int64(binary.BigEndian.Uint32(head[header-4:]))
		if n, _ := io.CopyN(io.Discard, c, size); n < size {
			return
		}
		x.answers[playerWire].Add(1)
		if rnd.IntN(10) == 0 {
			pause(ctx, rnd, time.Second/2) // leaves time for other clients
		}
		payload := make([]byte, 4*rnd.IntN(20))
		for i := range payload {
			payload[i] = byte(rnd.IntN(256) * rnd.IntN(2))
		}
		interf := one(rnd, []int{1, 3, 4, 6, 7, 8, 10, 25, 31, 40, 53, 60, 62})
		send(interf, rnd.IntN(2), 2+rnd.IntN(2), rnd.IntN(7), payload)
	}
}
