// Package wire connects a robot's player with ROS 1, by the messages of profile refbot: each message on perception is
// answered by exactly one on command. With a radio the player tells its mates something besides, and gets what they
// tell. No clock is read for that, so that at speed lockstep whole games repeat.
package wire

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
)

// Config says where a robot's node is.
type Config struct {
	Namespace string // of the robot's topics, such as cyan1 or /cyan1
	MasterURI string // empty: ros1.DefaultMasterURI
	Host      string // in the node's URIs; empty: 127.0.0.1

	// Eyes has the robot perceive by its own vision, which takes topics by the node and calls Perceive, instead of by
	// messages on perception; nil: by those. The robot is not ready before it returns.
	Eyes func(r *Robot) error
}

// Player decides what a robot does.
type Player interface {
	// Decide returns the command that answers a frame.
	Decide(p *msg.Perception) msg.RobotCommand
	// Talks tells whether the player ever has something to tell its mates; a robot whose player has not needs no radio.
	Talks() bool
	// Tell returns what mates are to be told after a frame, nil for nothing.
	Tell() []byte
	// Hear gives the player what a mate has told, and the sim time at which it was sent.
	Hear(sent time.Duration, data []byte)
}

// Silent is a Player that decides by a function and does not talk.
type Silent func(p *msg.Perception) msg.RobotCommand

func (s Silent) Decide(p *msg.Perception) msg.RobotCommand { return s(p) }
func (Silent) Talks() bool                                 { return false }
func (Silent) Tell() []byte                                { return nil }
func (Silent) Hear(time.Duration, []byte)                  {}

// Robot is a connected robot.
type Robot struct {
	node *ros1.Node
	stop context.CancelFunc

	perception, received string // topics

	mu       sync.Mutex // messages come by several goroutines
	player   Player
	commands *ros1.Publisher[msg.RobotCommand]
	radio    *ros1.Publisher[msg.Radio] // nil without one
	turn     *turn                      // nil with one topic alone
	beliefs  *beliefs                   // nil of a player that says nothing of them
}

// Connect starts a node that answers each perception by what the player decides. It fails when the master does not
// answer, or the eyes do.
func Connect(cfg Config, p Player) (*Robot, error) {
	space := "/" + strings.TrimPrefix(cfg.Namespace, "/")
	types, err := msg.Load("std")
	if err != nil {
		return nil, err
	}
	node, err := ros1.NewNode(ros1.NodeConfig{Name: space + "/refbot", MasterURI: cfg.MasterURI, Host: cfg.Host,
		Types: types})
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	r := &Robot{node: node, stop: stop, perception: space + "/perception", received: space + "/radio/received",
		player: p}
	if err := r.connect(ctx, cfg.Eyes); err != nil {
		_ = r.Close()
		return nil, fmt.Errorf("robot %s: %w", space, err)
	}
	return r, nil
}

// connect sets up the topics. Whoever gets a message can answer it: those that are published come first.
func (r *Robot) connect(ctx context.Context, eyes func(*Robot) error) (err error) {
	if r.commands, err = ros1.Advertise[msg.RobotCommand](r.node, "command", "omnipitch_msgs/RobotCommand",
		ros1.PubOptions{}); err != nil {
		return err
	}
	if p, ok := r.player.(Believer); ok {
		if r.beliefs, err = newBeliefs(r.node, p); err != nil {
			return err
		}
	}
	if r.player.Talks() || eyes != nil {
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
	if eyes == nil {
		err = Take(r, r.perception, "omnipitch_msgs/Perception", r.Perceive)
	} else {
		err = eyes(r)
	}
	if err == nil && r.turn != nil {
		go r.begin(ctx)
	}
	return err
}

// Take has the messages of a topic handled, lent, by the robot's node, each in its turn. It is for topics that the
// robot has from the start.
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

// Perceive answers a frame, of a message or of the robot's own vision. It may be called by any goroutine.
func (r *Robot) Perceive(p *msg.Perception) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.player.Decide(p)
	r.commands.Publish(&c)
	if r.turn == nil {
		r.beliefs.publish(nil)
		return
	}
	r.turn.sent++
	if data := r.player.Tell(); data != nil {
		r.radio.Publish(&msg.Radio{Data: data})
		r.turn.sent++
	}
	r.turn.sent += r.beliefs.publish(r.turn.acks.Connections()) // those who wait for the robot have what it does by now
}

// hear gives the player what a mate has told.
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
