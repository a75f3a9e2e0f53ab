package serve

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/robotio"
	"github.com/omnipitch/omnipitch/robotio/ros1/graph"
	"github.com/omnipitch/omnipitch/worlds"
)

// conflict is a running node of another process that does something which only one node may do.
type conflict struct {
	*graph.Process
	does string
}

// findConflict looks for another node that publishes /clock or serves one of the services at a master. It returns nil
// if there is no such node, or if no master answers. Two publishers of /clock would make the time of all robots jump
// back and forth. If a service has several providers, only the last provider gets calls.
func findConflict(masterURI string, services []string) *conflict {
	ctx, cancel := context.WithTimeout(context.Background(), AnswerTime)
	defer cancel()
	g, err := graph.FetchState(ctx, masterURI, graph.Anonymous)
	if err != nil {
		return nil // joining the master will report the error
	}
	dead := map[string]bool{}
	answering := func(names []string) *graph.Process {
		for _, name := range names {
			if dead[name] {
				continue
			}
			if p, err := graph.FindNode(ctx, masterURI, name); err == nil && p != nil {
				return p
			}
			dead[name] = true
		}
		return nil
	}
	if p := answering(g.Publishers["/clock"]); p != nil {
		return &conflict{p, "publishes /clock"}
	}
	for _, s := range services {
		if p := answering(g.Services[s]); p != nil {
			return &conflict{p, "serves " + s}
		}
	}
	return nil
}

// checkConflicts returns an error if another node at the master does something that only this run may do. The error
// names the node.
func checkConflicts(masterURI string, w *worlds.World) error {
	services, err := robotio.Services(w)
	if err != nil {
		return err
	}
	if other := findConflict(masterURI, services); other != nil {
		return console.BadInputf("ROS master %s: %v %s: end it, or have ROS_MASTER_URI name another master", masterURI,
			other, other.does)
	}
	return nil
}

// AnswerTime is the maximum wall time that a running simulation may take to answer. 5 s is a guess.
const AnswerTime = 5 * time.Second

// freeName returns a name for a new node. This is the argument name or, if a running node has this name, the name with
// the process ID appended. A new node with a name in use would shut down the running node.
func freeName(masterURI, name string) string {
	ctx, cancel := context.WithTimeout(context.Background(), AnswerTime)
	defer cancel()
	if other, err := graph.FindNode(ctx, masterURI, name); err != nil || other == nil {
		return name
	}
	return fmt.Sprintf("%s_%d", name, os.Getpid())
}

// holderTime is the maximum wall time that the program which holds a port may take to answer. 2 s is a guess.
const holderTime = 2 * time.Second

// errMasterRuns is wrapped by the error of a master that cannot start because another master holds its port.
var errMasterRuns = errors.New("runs already")

// explainPort handles an error of starting a master. If the port is in use, the new error says which program holds the
// port, and how the user can choose another port.
func explainPort(err error, masterURI, elsewhere string) error {
	if !errors.Is(err, syscall.EADDRINUSE) {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), holderTime)
	defer cancel()
	master, unknown := graph.FindMaster(ctx, masterURI)
	if unknown != nil {
		return fmt.Errorf(
			"ROS master %s: %w by a program that does not answer as a ROS master: choose another port: %s", masterURI,
			syscall.EADDRINUSE, elsewhere)
	}
	return fmt.Errorf("ROS master %s: %w, as process %d: choose another port: %s", masterURI, errMasterRuns, master.PID,
		elsewhere)
}

// explainConflict handles an error of starting a master. If the master of another run holds the port, the new error
// also names a node of that run and says what the node does.
func explainConflict(err error, masterURI string) error {
	if !errors.Is(err, errMasterRuns) {
		return err
	}
	if other := findConflict(masterURI, nil); other != nil {
		return console.BadInputf("ROS master %s: %w, and %v %s there: end it, or choose another port: %s", masterURI,
			errMasterRuns, other, other.does, embeddedElsewhere)
	}
	return fmt.Errorf("%w; --ros1 external joins it", err)
}
