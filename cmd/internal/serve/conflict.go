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

// conflict is a running node that does what only one node may do.
type conflict struct {
	*graph.Process
	does string
}

// findConflict returns a node that publishes /clock at a master or serves one of the services, or nil. It returns nil
// if no master answers. Every run publishes the clock: with two runs, the time of all robots would jump back and forth.
// Of several providers of a service, the last gets all calls.
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

// checkConflicts fails if a node at the master already does what this run would do. The error names the node.
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

// AnswerTime is the wall time within which a running simulation must answer. A guess.
const AnswerTime = 5 * time.Second

// freeName returns the name for a node, with the process ID appended if a running node has the name. A node that takes
// a name in use shuts the other one down.
func freeName(masterURI, name string) string {
	ctx, cancel := context.WithTimeout(context.Background(), AnswerTime)
	defer cancel()
	if other, err := graph.FindNode(ctx, masterURI, name); err != nil || other == nil {
		return name
	}
	return fmt.Sprintf("%s_%d", name, os.Getpid())
}

// holderTime is the wall time within which a program that holds a port must answer. A guess.
const holderTime = 2 * time.Second

// errMasterRuns is wrapped by the error of a master whose port is held by another master.
var errMasterRuns = errors.New("runs already")

// explainPort adds to the error of a master which program holds its port, and how to choose another port.
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

// explainConflict returns the error of checkConflicts if the port of the master is held by the master of another run.
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
