package serve

import (
	"fmt"
	"strconv"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/worlds"
)

// loopback is where everything listens unless told otherwise.
const loopback = "127.0.0.1"

// nodes are the simulator's nodes and the masters that it runs: the common ones, and those of robots with a master of
// their own.
type nodes struct {
	master *ros1.Master // nil with an external one
	node   *ros1.Node
	uri    string

	own map[string]ownMaster // by robot
}

// ownMaster is a robot's own master with the simulator's node at it.
type ownMaster struct {
	master *ros1.Master
	node   *ros1.Node // nil where it was not started
}

// openNodes joins the master of ROS_MASTER_URI, or starts one. Robots of the world that want a master of their own get
// one.
func openNodes(w *worlds.World, choice MasterChoice, at listening, printf func(format string, args ...any)) (*nodes,
	error) {
	n := &nodes{own: map[string]ownMaster{}}
	err := at.here()
	if err != nil {
		return nil, err
	}
	if n.uri, err = MasterURI(); err != nil && choice.port == "" {
		return nil, err
	}
	if !choice.external() {
		port := choice.port
		if port == "" {
			port = masterPort(n.uri)
		}
		if err := ownPorts(w, port); err != nil {
			return nil, err
		}
		if n.master, err = at.master(port, embeddedElsewhere); err != nil {
			return nil, explainConflict(err, at.masterURI(port))
		}
		n.uri = n.master.URI()
	} else if err := checkConflicts(n.uri, w); err != nil {
		return nil, err
	}
	n.node, err = at.node(ros1.NodeConfig{Name: "/omnipitch", MasterURI: n.uri, OnMaster: func(lost error) {
		if lost != nil {
			printf("the ROS master at %s does not answer: the run goes on, and joins it again when it does", n.uri)
		} else {
			printf("joined the ROS master at %s again", n.uri)
		}
	}})
	for i := range w.Robots {
		if r := &w.Robots[i]; err == nil && r.ROS1.MasterPort != 0 {
			port := strconv.Itoa(r.ROS1.MasterPort)
			if choice.alone {
				port = "0"
			}
			err = n.ownMaster(r, port, at)
		}
	}
	if err != nil {
		n.close()
		return nil, err
	}
	return n, nil
}

// ownMaster starts a master for one robot alone.
func (n *nodes) ownMaster(r *worlds.Robot, port string, at listening) error {
	master, err := at.master(port, "its ros1.master_port names it")
	if err != nil {
		return fmt.Errorf("robot %s: %w", r.Name, err)
	}
	node, err := at.node(ros1.NodeConfig{Name: "/omnipitch", MasterURI: master.URI()})
	n.own[r.Name] = ownMaster{master, node}
	return err
}

// ownNodes are the simulator's nodes at robots' own masters.
func (n *nodes) ownNodes() map[string]*ros1.Node {
	all := map[string]*ros1.Node{}
	for robot, m := range n.own {
		all[robot] = m.node
	}
	return all
}

// ownPorts refuses a robot's own master at the port of the simulation's.
func ownPorts(w *worlds.World, port string) error {
	for i := range w.Robots {
		if r := &w.Robots[i]; r.ROS1.MasterPort != 0 && strconv.Itoa(r.ROS1.MasterPort) == port {
			return console.BadInputf("robot %s: ros1.master_port = %s: is the port of the simulation's own master; "+
				"--ros1 embedded:PORT chooses another", r.Name, port)
		}
	}
	return nil
}

// leave has the nodes leave their graphs, and ends calls of their masters that are under way.
func (n *nodes) leave() {
	for _, m := range n.own {
		if m.node != nil {
			m.node.Close()
		}
	}
	n.node.Close() // fails when an external master is gone already, which is no concern at the end
}

func (n *nodes) close() {
	if n.node != nil {
		n.leave()
	}
	for _, m := range n.own {
		m.master.Close()
	}
	if n.master != nil {
		n.master.Close()
	}
}
