// Package wire connects a robot's player to ROS 1 by the messages of profile refbot. It answers each message on topic
// perception with exactly one message on topic command. With a radio it also sends and receives radio messages. No
// decision depends on a clock, so at speed "lockstep" whole games are repeatable.
package wire

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1"
)

// Config configures a robot's node.
type Config struct {
	Namespace string // namespace of the robot's topics, such as cyan1 or /cyan1
	MasterURI string // URI of the ROS master; ros1.DefaultMasterURI if empty
	Host      string // host name in the node's URIs; 127.0.0.1 if empty

	// Eyes connects the robot's own vision, which subscribes to topics through the node. The robot is not ready before
	// Eyes returns. nil: the robot has no vision.
	Eyes func(r *Robot) error
	// ByEyes says that Eyes calls Perceive. Without it, the robot receives messages on the topic perception.
	ByEyes bool
	// Fail is called with an error that says why the robot cannot play, such as a topic without messages. It must not
	// block. nil: nobody is told.
	Fail func(error)
}

// Player decides what a robot does.
type Player interface {
	// Decide returns the command for a frame.
	Decide(p *msg.Perception) msg.RobotCommand
	// Talks reports whether the player may send radio messages. If it returns false, the robot needs no radio.
	Talks() bool
	// Tell returns the radio message to send after a frame, or nil if there is no message to send.
	Tell() []byte
	// Hear delivers a teammate's radio message and the sim time at which it was sent.
	Hear(sent time.Duration, data []byte)
	// Look returns the pan, anticlockwise, and the tilt, down, of a humanoid's head after a frame, in rad. ok is false
	// for robots on wheels.
	Look() (pan, tilt float64, ok bool)
}

// Silent is a Player without radio. The function itself decides on the command for each frame.
type Silent func(p *msg.Perception) msg.RobotCommand

func (s Silent) Decide(p *msg.Perception) msg.RobotCommand { return s(p) }
func (Silent) Talks() bool                                 { return false }
func (Silent) Tell() []byte                                { return nil }
func (Silent) Hear(time.Duration, []byte)                  {}
func (Silent) Look() (pan, tilt float64, ok bool)          { return 0, 0, false }

// Robot is a connected robot.
type Robot struct {
	node *ros1.Node
	stop context.CancelFunc

	space, perception, received, odom string // namespace, and topics
	fail                              func(error)

	mu       sync.Mutex // guards the fields below, because messages arrive on several goroutines
	player   Player
	commands *ros1.Publisher[msg.RobotCommand]
	radio    *ros1.Publisher[msg.Radio]   // nil without a radio
	head     *ros1.Publisher[msg.Vector3] // nil for a robot on wheels
	odometry *msg.Twist                   // newest velocity in the robot's axes; nil if perceptions contain it
	turn     *turn                        // nil if the robot receives only one topic
	needs    []*need
	beliefs  *beliefs // nil if the player publishes no beliefs
}

// NewNode starts a node below a namespace, such as cyan1 or /cyan1, and returns the namespace with its slash.
func NewNode(namespace, name, masterURI, host string) (node *ros1.Node, space string, err error) {
	space = "/" + strings.TrimPrefix(namespace, "/")
	types, err := msg.Load("std")
	if err != nil {
		return nil, space, err
	}
	node, err = ros1.NewNode(ros1.NodeConfig{Name: space + "/" + name, MasterURI: masterURI, Host: host, Types: types})
	return node, space, err
}

// Connect starts a node that answers each perception with the player's command. It returns an error if the master does
// not answer or cfg.Eyes fails.
func Connect(cfg Config, p Player) (*Robot, error) {
	node, space, err := NewNode(cfg.Namespace, "refbot", cfg.MasterURI, cfg.Host)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	r := &Robot{node: node, stop: stop, space: space, perception: space + "/perception",
		received: space + "/radio/received", odom: space + "/odom", fail: cfg.Fail, player: p}
	if err := r.connect(ctx, &cfg); err != nil {
		_ = r.Close()
		return nil, fmt.Errorf("robot %s: %w", space, err)
	}
	return r, nil
}

// connect sets up the topics: publishers first, so that each received message can be answered.
func (r *Robot) connect(ctx context.Context, cfg *Config) (err error) {
	if r.commands, err = ros1.Advertise[msg.RobotCommand](r.node, "command", "omnipitch_msgs/RobotCommand",
		ros1.PubOptions{}); err != nil {
		return err
	}
	if p, ok := r.player.(Believer); ok {
		if r.beliefs, err = newBeliefs(r.node, p); err != nil {
			return err
		}
	}
	_, _, legs := r.player.Look()
	if legs {
		if r.head, err = ros1.Advertise[msg.Vector3](r.node, "head", "geometry_msgs/Vector3",
			ros1.PubOptions{}); err != nil {
			return err
		}
	}
	if r.player.Talks() || cfg.Eyes != nil || legs {
		acks, err := ros1.Advertise[msg.Header](r.node, "ack", "std_msgs/Header", ros1.PubOptions{Queue: 100})
		if err != nil {
			return err
		}
		r.turn = &turn{acks: acks}
	}
	if r.player.Talks() {
		if r.radio, err = ros1.Advertise[msg.Radio](r.node, "radio/send", "omnipitch_msgs/Radio",
			ros1.PubOptions{}); err != nil {
			return err
		}
		if err := Take(r, r.received, "omnipitch_msgs/Radio", r.hear); err != nil {
			return err
		}
	}
	if legs && !cfg.ByEyes {
		r.odometry = &msg.Twist{}
		if err := Need(r, r.odom, "nav_msgs/Odometry", OdometrySource, Readings, r.step); err != nil {
			return err
		}
	}
	if !cfg.ByEyes {
		err = Need(r, r.perception, "omnipitch_msgs/Perception", "profile refbot, and a camera that localises", Frames,
			func(p *msg.Perception) bool {
				r.Perceive(p)
				return true
			})
	}
	if err == nil && cfg.Eyes != nil {
		err = cfg.Eyes(r)
	}
	if err == nil && r.turn != nil {
		go r.announce(ctx)
	}
	return err
}

// Take subscribes the robot's node to a topic, and calls the function handle for each message in turn. A message is
// valid only during the call. Take must be called before the robot is ready.
func Take[T any](r *Robot, topic, kind string, handle func(*T)) error {
	if r.turn != nil {
		r.turn.topics = append(r.turn.topics, topic)
	}
	_, err := ros1.SubscribeLent(r.node, topic, kind, func(m *T) {
		handle(m)
		if r.turn != nil {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.turn.done(topic)
		}
	})
	return err
}

// Perceive processes a frame from a message or from the robot's own vision. Any goroutine may call it.
func (r *Robot) Perceive(p *msg.Perception) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if o := r.odometry; o != nil {
		p.VX, p.VY, p.Omega = o.Linear.X, o.Linear.Y, o.Angular.Z
	}
	c := r.player.Decide(p)
	r.commands.Publish(&c)
	if r.turn == nil {
		r.beliefs.publish(nil)
		return
	}
	r.turn.sent++
	if r.head != nil {
		pan, tilt, _ := r.player.Look()
		r.head.Publish(&msg.Vector3{Y: tilt, Z: pan})
		r.turn.sent++
	}
	if data := r.player.Tell(); data != nil {
		r.radio.Publish(&msg.Radio{Data: data})
		r.turn.sent++
	}
	// count the beliefs that the waiting simulation receives
	r.turn.sent += r.beliefs.publish(r.turn.acks.Connections())
}

// Do calls f while the player processes no message.
func (r *Robot) Do(f func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f()
}

// step records the velocity by odometry.
func (r *Robot) step(m *msg.Odometry) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	*r.odometry = m.Twist.Twist
	return true
}

// hear delivers a teammate's message to the player.
func (r *Robot) hear(m *msg.Radio) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.player.Hear(m.Header.Stamp.Since(), m.Data)
}

// Done is closed when the robot's node has been shut down.
func (r *Robot) Done() <-chan struct{} { return r.node.Done() }

// Close ends the robot's node.
func (r *Robot) Close() error {
	r.stop()
	return r.node.Close()
}

// turn acknowledges messages. A simulation that waits for the robot with order = "all" sends the next message when the
// last one is acknowledged. So messages arrive in the same order in each run, although they use several threads and
// connections. Other simulations ignore the acknowledgements.
type turn struct {
	acks   *ros1.Publisher[msg.Header]
	topics []string // topics whose messages are acknowledged
	ready  bool     // whether the topics have been announced to the simulation
	sent   uint32   // number of commands, radio messages, poses of the head and counted beliefs
}

// pollInterval is the wall time between two checks of announce for a new simulation. 10 ms is a guess: the start of a
// run waits for at most one such interval.
const pollInterval = 10 * time.Millisecond

// announce tells each new simulation which topics the robot acknowledges. It does so when all publishers of the robot
// are connected to that simulation.
func (r *Robot) announce(ctx context.Context) {
	t := time.NewTicker(pollInterval)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
		r.mu.Lock()
		r.turn.check(r.commands.NumSubscribers() > 0 && (r.radio == nil || r.radio.NumSubscribers() > 0) &&
			(r.head == nil || r.head.NumSubscribers() > 0))
		r.mu.Unlock()
	}
}

func (t *turn) check(heard bool) {
	switch waits := t.acks.NumSubscribers() > 0; {
	case !waits:
		t.ready = false
	case heard && !t.ready:
		t.ready, t.sent = true, 0
		for _, topic := range append(t.topics, "") {
			t.acks.Publish(&msg.Header{FrameID: topic})
		}
	}
}

// done acknowledges a message of a topic.
func (t *turn) done(topic string) {
	if t.ready {
		t.acks.Publish(&msg.Header{Seq: t.sent, FrameID: topic})
	}
}
