// Package wire connects a robot's decisions with ROS 1, by the messages of profile refbot: each message on perception is answered by exactly one on
// command. Nothing else happens, and no clock is read, so that at speed lockstep whole games repeat.
package wire

import (
	"fmt"

	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
)

// Config says where a robot's node is.
type Config struct {
	Namespace string // of the robot's topics, such as /cyan1
	MasterURI string // empty: ros1.DefaultMasterURI
	Host      string // in the node's URIs; empty: 127.0.0.1
}

// Robot is a connected robot.
type Robot struct{ node *ros1.Node }

// Connect starts a node that answers each perception by what decide returns, which is called by one goroutine. It fails when the master does not answer.
func Connect(cfg Config, decide func(*msg.Perception) msg.RobotCommand) (*Robot, error) {
	types, err := msg.Load("std")
	if err != nil {
		return nil, err
	}
	node, err := ros1.NewNode(ros1.NodeConfig{Name: cfg.Namespace + "/refbot", MasterURI: cfg.MasterURI, Host: cfg.Host, Types: types})
	if err != nil {
		return nil, err
	}
	// Whoever gets a message can answer it: the command's topic comes first.
	commands, err := ros1.Advertise[msg.RobotCommand](node, "command", "omnipitch_msgs/RobotCommand", ros1.PubOptions{})
	if err == nil {
		_, err = ros1.SubscribeLent(node, "perception", "omnipitch_msgs/Perception", func(p *msg.Perception) {
			c := decide(p)
			commands.Publish(&c)
		})
	}
	if err != nil {
		_ = node.Close()
		return nil, fmt.Errorf("robot %s: %w", cfg.Namespace, err)
	}
	return &Robot{node}, nil
}

// Done is closed when the robot's node has been shut down.
func (r *Robot) Done() <-chan struct{} { return r.node.Done() }

// Close ends the robot's node.
func (r *Robot) Close() error { return r.node.Close() }
