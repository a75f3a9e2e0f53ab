package rospeer

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/ros2"
)

// Command is a Go node that executes commands from stdin, like roscpp/peer.cpp.
type Command struct {
	Name  string   `arg:""`
	Roles []string `arg:"" optional:"" help:"Triples ROLE TYPE TOPIC."`
}

// Answer is a peer's answer to a command. Fields that do not apply are 0.
type Answer struct {
	Sent    int64   `json:"sent"`
	CPU     int64   `json:"cpu_ns"`  // processor time of the process while publishing, or since the last command take
	Mallocs uint64  `json:"mallocs"` // objects allocated by the process while publishing
	Span    int64   `json:"span_ns"` // time from the first message to the last
	Lost    int64   `json:"lost"`    // number of missing messages or of failed calls
	NS      []int64 `json:"ns"`      // latency of each message or duration of each call
}

// CPUPer returns the processor time per message, ms.
func (a Answer) CPUPer(messages int64) float64 { return float64(a.CPU) / 1e6 / float64(messages) }

// peer is the node and its roles.
type peer struct {
	node    *ros1.Node
	context *ros2.Context // with node2; nil without roles of ROS 2
	node2   *ros2.Node
	publish map[string]publishing
	inboxes map[string]*inbox
}

// publishing is a published topic. The function send publishes a message with the given stamp.
type publishing struct {
	subscribers func() int
	send        func(now msg.Time)
	draw        func(n int64) // fills an image's pixels; nil for other messages
}

func (c *Command) Run(ctx context.Context, con console.Streams) error {
	node, err := ros1.NewNode(ros1.NodeConfig{Name: c.Name, MasterURI: os.Getenv("ROS_MASTER_URI")})
	if err != nil {
		return err
	}
	defer node.Close()
	p := &peer{node: node, publish: map[string]publishing{}, inboxes: map[string]*inbox{}}
	defer p.close()
	for r := c.Roles; len(r) >= 3; r = r[3:] {
		if err := p.play(r[0], r[1], r[2]); err != nil {
			return err
		}
	}
	out := json.NewEncoder(con.Out)
	if err := out.Encode(Answer{}); err != nil {
		return err
	}
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		a, err := p.execute(ctx, in.Text())
		if err != nil {
			return err
		}
		if err := out.Encode(a); err != nil {
			return err
		}
	}
	return nil
}

// play makes the peer take on a role.
func (p *peer) play(role, typ, topic string) error {
	switch role {
	case "publish", "subscribe", "relay":
		kind, err := p.kindOf(typ)
		if err != nil {
			return err
		}
		switch role {
		case "publish":
			p.publish[topic], err = kind.publish(p.node, topic)
			return err
		case "relay":
			return kind.relay(p.node, topic)
		}
		p.inboxes[topic] = &inbox{}
		return kind.subscribe(p.node, topic, p.inboxes[topic])
	case "serve":
		_, err := ros1.Serve(p.node, topic, "nubot_common/BallHandle",
			func(_ context.Context, q *msg.BallHandleRequest) (*msg.BallHandleResponse, error) {
				return &msg.BallHandleResponse{BallIsHolding: q.Enable}, nil
			})
		return err
	}
	return console.BadInputf("role = %q: must be publish, serve, subscribe or relay", role)
}

func (p *peer) execute(ctx context.Context, command string) (Answer, error) {
	var name, topic string
	var x, y float64
	fmt.Sscan(command, &name, &topic, &x, &y) // missing arguments are 0
	switch name {
	case "publish":
		return p.publish[topic].publish(ctx, x, time.Duration(y), nil), nil
	case "draw":
		return p.publish[topic].publish(ctx, x, time.Duration(y), p.publish[topic].draw), nil
	case "await":
		for p.publish[topic].subscribers() == 0 && ctx.Err() == nil {
			time.Sleep(time.Millisecond)
		}
		return Answer{}, nil
	case "call":
		return p.call(ctx, topic, int(x), y != 0)
	case "take":
		return p.inboxes[topic].take(), nil
	}
	return Answer{}, fmt.Errorf("command %q: must be await, publish, draw, take or call", command)
}

// fill sets all pixels to a value at memory speed.
func fill(pixels []byte, value byte) {
	pixels[0] = value
	for n := 1; n < len(pixels); n *= 2 {
		copy(pixels[n:], pixels[:n])
	}
}

// publish publishes messages for the duration d, at the given rate in Hz. If rate is 0, it publishes without pause. If
// draw is not nil, publish calls it to fill each message before the message is stamped.
func (p publishing) publish(ctx context.Context, rate float64, d time.Duration, draw func(n int64)) (a Answer) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	used, begun := CPUTime(), time.Now()
	for time.Since(begun) < d && ctx.Err() == nil {
		if draw != nil {
			draw(a.Sent)
		}
		p.send(stampNow())
		if a.Sent++; rate > 0 {
			time.Sleep(time.Until(begun.Add(time.Duration(float64(a.Sent) / rate * 1e9))))
		}
	}
	a.CPU, a.Span = CPUTime()-used, int64(time.Since(begun))
	runtime.ReadMemStats(&after)
	a.Mallocs = after.Mallocs - before.Mallocs
	return a
}

func (p *peer) call(ctx context.Context, name string, times int, keep bool) (a Answer, err error) {
	client, err := ros1.NewClient[msg.BallHandleRequest, msg.BallHandleResponse](p.node, name,
		"nubot_common/BallHandle")
	if err != nil {
		return a, err
	}
	defer client.Close()
	for i := range times {
		req, begun := &msg.BallHandleRequest{Enable: int64(i)}, time.Now()
		var resp *msg.BallHandleResponse
		if keep {
			resp, err = client.Call(ctx, req)
		} else {
			resp, err = ros1.Call[msg.BallHandleRequest, msg.BallHandleResponse](ctx, p.node, name,
				"nubot_common/BallHandle", req)
		}
		if err != nil {
			return a, err
		}
		if resp.BallIsHolding != req.Enable {
			return a, fmt.Errorf("service %s: answered %d: must be %d", name, resp.BallIsHolding, req.Enable)
		}
		a.NS = append(a.NS, int64(time.Since(begun)))
	}
	return a, nil
}

// CPUTime returns the processor time of the whole process, ns.
func CPUTime() int64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // invalid arguments
	}
	return u.Utime.Nano() + u.Stime.Nano()
}

func stampNow() msg.Time {
	now := time.Now()
	return msg.Time{Sec: uint32(now.Unix()), Nsec: uint32(now.Nanosecond())}
}

// inbox collects the messages of a topic.
type inbox struct {
	mu          sync.Mutex
	answer      Answer
	first, last time.Time
	used        int64
}

// subscribe subscribes to messages of a type that has a header.
func subscribe[T any](in *inbox, node *ros1.Node, topic, typ string, header func(*T) *msg.Header) (*ros1.Subscriber,
	error) {
	seq := uint32(0) // sequence number of this subscriber's last message
	return ros1.SubscribeLent(node, topic, typ, func(m *T) {
		in.receive(header(m), &seq)
	})
}

// receive records a message. The argument seq points to the sequence number of the previous message.
func (in *inbox) receive(h *msg.Header, seq *uint32) {
	now := time.Now()
	in.mu.Lock()
	defer in.mu.Unlock()
	if *seq != 0 && h.Seq > *seq+1 {
		in.answer.Lost += int64(h.Seq - *seq - 1)
	}
	*seq = h.Seq
	if len(in.answer.NS) == 0 {
		in.first = now
	}
	in.last = now
	in.answer.NS = append(in.answer.NS, int64(now.Sub(time.Unix(int64(h.Stamp.Sec), int64(h.Stamp.Nsec)))))
}

// take returns what the inbox has recorded since the previous call of take.
func (in *inbox) take() Answer {
	in.mu.Lock()
	defer in.mu.Unlock()
	a := in.answer
	a.Span, a.CPU = int64(in.last.Sub(in.first)), CPUTime()-in.used
	in.answer = Answer{NS: make([]int64, 0, 2*len(a.NS))} // allocated here, so that growing it is not measured
	in.used = CPUTime()
	return a
}

// kind is a type of messages that peers exchange.
type kind interface {
	publish(node *ros1.Node, topic string) (publishing, error)
	subscribe(node *ros1.Node, topic string, in *inbox) error
	relay(node *ros1.Node, topic string) error // republishes a topic's messages unchanged on the topic RelayOf(topic)
}

// RelayOf returns the topic on which a relay republishes a topic.
func RelayOf(topic string) string { return topic + "_relayed" }

// Defaults: images have 640 × 480 pixels, trajectories 20 joints, as small humanoids have. Types can override them:
// image:1280x960, trajectory:2.
const (
	imageWidth, imageHeight = 640, 480
	joints                  = 20
)

// kindOf returns the kind of messages that the type of a role names.
func (p *peer) kindOf(typ string) (kind, error) {
	name, size, sized := strings.Cut(typ, ":")
	switch {
	case strings.HasSuffix(name, "images"):
		return p.imagesOf(name, size)
	case name == "image":
		width, height := imageWidth, imageHeight
		if n, err := fmt.Sscanf(size, "%dx%d", &width, &height); sized && (err != nil || n != 2 || width < 1 ||
			height < 1) {
			return nil, console.BadInputf("type = %q: must give a size as 640x480", typ)
		}
		return image{width, height}, nil
	case name == "odometry" && !sized:
		return messages[msg.OdoInfo]{"nubot_common/OdoInfo", func(m *msg.OdoInfo) *msg.Header { return &m.Header },
			msg.OdoInfo{}}, nil
	case name == "imu" && !sized:
		return messages[msg.Imu]{"sensor_msgs/Imu", func(m *msg.Imu) *msg.Header { return &m.Header }, msg.Imu{}}, nil
	case name == "trajectory":
		n := joints
		if sized {
			var err error
			if n, err = strconv.Atoi(size); err != nil || n < 1 || n > 10000 {
				return nil, console.BadInputf("type = %q: must give a number of joints in [1, 10000]", typ)
			}
		}
		return messages[msg.JointTrajectory]{"trajectory_msgs/JointTrajectory",
			func(m *msg.JointTrajectory) *msg.Header { return &m.Header }, goals(n)}, nil
	}
	return nil, console.BadInputf("type = %q: must be image, images, odometry, imu or trajectory", typ)
}

// goals returns a trajectory of one point. Such messages command the joint positions of walking robots.
func goals(joints int) msg.JointTrajectory {
	m := msg.JointTrajectory{Points: make([]msg.JointTrajectoryPoint, 1)}
	for i := range joints {
		m.JointNames = append(m.JointNames, fmt.Sprintf("joint%d", i))
		at := &m.Points[0]
		at.Positions, at.Velocities = append(at.Positions, 0.01*float64(i)), append(at.Velocities, 1)
	}
	return m
}

// messages is a kind of identical messages with a header.
type messages[T any] struct {
	typ    string
	header func(*T) *msg.Header
	like   T
}

func (k messages[T]) publish(node *ros1.Node, topic string) (publishing, error) {
	pub, err := ros1.Advertise[T](node, topic, k.typ, ros1.PubOptions{})
	if err != nil {
		return publishing{}, err
	}
	m := k.like
	k.header(&m).FrameID = "base_link"
	return publishing{pub.NumSubscribers, func(now msg.Time) {
		k.header(&m).Stamp = now
		pub.Publish(&m)
	}, nil}, nil
}

func (k messages[T]) subscribe(node *ros1.Node, topic string, in *inbox) error {
	_, err := subscribe(in, node, topic, k.typ, k.header)
	return err
}

func (k messages[T]) relay(node *ros1.Node, topic string) error {
	pub, err := ros1.Advertise[T](node, RelayOf(topic), k.typ, ros1.PubOptions{})
	if err != nil {
		return err
	}
	_, err = ros1.SubscribeLent(node, topic, k.typ, func(m *T) { pub.Publish(m) })
	return err
}

// image is a kind: bgr8 images of one size.
type image struct{ width, height int }

func (k image) publish(node *ros1.Node, topic string) (publishing, error) {
	pub, err := ros1.AdvertiseImage(node, topic, 0)
	if err != nil {
		return publishing{}, err
	}
	m := &msg.Image{Header: msg.Header{FrameID: "camera"}, Height: uint32(k.height), Width: uint32(k.width),
		Encoding: "bgr8", Step: uint32(3 * k.width), Data: bytes.Repeat([]byte{7}, 3*k.width*k.height)}
	return publishing{pub.NumSubscribers, func(now msg.Time) {
		m.Header.Stamp = now
		pub.Publish(m, nil) // fails only if the size is wrong
	}, func(n int64) { fill(m.Data, byte(n)) }}, nil
}

func (k image) subscribe(node *ros1.Node, topic string, in *inbox) error {
	_, err := subscribe(in, node, topic, "sensor_msgs/Image", func(m *msg.Image) *msg.Header { return &m.Header })
	return err
}

func (k image) relay(node *ros1.Node, topic string) error {
	pub, err := ros1.AdvertiseImage(node, RelayOf(topic), 0)
	if err != nil {
		return err
	}
	// the size is right
	_, err = ros1.Subscribe(node, topic, "sensor_msgs/Image", func(m *msg.Image) { pub.Publish(m, nil) })
	return err
}
