package serve

import (
	"fmt"
	"strconv"
	"syscall"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/wire"
	"github.com/omnipitch/omnipitch/worlds"
)

// loopback is the default address to listen at.
const loopback = "127.0.0.1"

// nodeName is the name of the simulator's node.
const nodeName = "/omnipitch"

// nodes holds the masters and nodes of the simulator. There is one common node and, for each robot that has its own
// master, that master with a further node.
type nodes struct {
	master *ros1.Master // nil with --ros1 external
	node   *ros1.Node
	uri    string

	own map[string]ownMaster // by name of the robot
}

// ownMaster is the master that belongs to one robot, with the simulator's node at this master.
type ownMaster struct {
	master *ros1.Master
	node   *ros1.Node // nil if the node could not be started
}

// openNodes joins the master at ROS_MASTER_URI or starts a master, as choice says. It also starts the masters that
// belong to single robots.
func openNodes(w *worlds.World, choice MasterChoice, at listening, printf func(format string, args ...any)) (*nodes,
	error) {
	n := &nodes{own: map[string]ownMaster{}}
	err := at.checkLocal()
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
	n.node, err = at.node(ros1.NodeConfig{Name: nodeName, MasterURI: n.uri, OnMaster: func(lost error) {
		if lost != nil {
			printf("the ROS master at %s does not answer: the run continues, and joins the master again when it answers", n.uri)
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

// ownMaster starts the master that belongs to one robot, and the simulator's node at it.
func (n *nodes) ownMaster(r *worlds.Robot, port string, at listening) error {
	master, err := at.master(port, "its ros1.master_port names it")
	if err != nil {
		return fmt.Errorf("robot %s: %w", r.Name, err)
	}
	node, err := at.node(ros1.NodeConfig{Name: nodeName, MasterURI: master.URI()})
	n.own[r.Name] = ownMaster{master, node}
	return err
}

// ownNodes returns the simulator's nodes at the masters of single robots, by the name of the robot.
func (n *nodes) ownNodes() map[string]wire.Node {
	all := map[string]wire.Node{}
	for robot, m := range n.own {
		all[robot] = m.node
	}
	return all
}

// ownPorts returns an error if the master of a robot would listen at port, the port of the common master.
func ownPorts(w *worlds.World, port string) error {
	for i := range w.Robots {
		if r := &w.Robots[i]; r.ROS1.MasterPort != 0 && strconv.Itoa(r.ROS1.MasterPort) == port {
			return console.BadInputf("robot %s: ros1.master_port = %s: is the port of the simulation's own master; "+
				"--ros1 embedded:PORT chooses another", r.Name, port)
		}
	}
	return nil
}

// leave closes the simulator's nodes and cancels calls to their masters.
func (n *nodes) leave() {
	for _, m := range n.own {
		if m.node != nil {
			m.node.Close()
		}
	}
	n.node.Close() // fails if an external master has ended
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

// Numbers of files that a process which serves ROS has open at the same time.
const (
	// files of a run, or of a master, with its first clients. Measured: 42 with all servers and renderers
	filesOfRun    = 64
	filesOfMaster = 8 // files of each master of a robot with its node. Measured: 7
)

// CheckOpenFiles returns an error if this process may open too few files for a run of the world w. A nil w means a
// master without a run.
func CheckOpenFiles(w *worlds.World) error {
	need := uint64(filesOfRun)
	if w != nil {
		for i := range w.Robots {
			if w.Robots[i].ROS1.MasterPort != 0 {
				need += filesOfMaster
			}
		}
	}
	return NeedOpenFiles(need)
}

// NeedOpenFiles returns an error if this process may open fewer than need files: connections would then never be
// accepted. The Go runtime has already raised the soft limit to the hard limit.
func NeedOpenFiles(need uint64) error {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil || limit.Cur >= need {
		return nil // nil on systems without the limit
	}
	return console.Unavailablef("open files: at most %d: must be at least %d; ulimit -n sets the limit", limit.Cur,
		need)
}
