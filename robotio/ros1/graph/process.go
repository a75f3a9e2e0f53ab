package graph

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"
)

// Process describes a running node or master.
type Process struct {
	Name string // empty for a master
	URI  string
	PID  int // process id; 0 if the process listens but does not answer, such as a stopped process
}

func (p *Process) String() string {
	if p.PID == 0 {
		return fmt.Sprintf("%s (at %s, which does not answer)", p.Name, p.URI)
	}
	return fmt.Sprintf("%s (process %d at %s)", p.Name, p.PID, p.URI)
}

// whoTime is the maximum wall time of the request for a node's process id. If the node does not answer within this
// time, it still counts as running. 2 s is a guess.
const whoTime = 2 * time.Second

// Anonymous is the caller id that programs without a node use.
const Anonymous = "/omnipitch_asks"

// FindMaster asks the master at uri for its process id. It returns an error if no master answers there.
func FindMaster(ctx context.Context, uri string) (*Process, error) {
	v, err := Call(ctx, uri, "getPid", Anonymous)
	if err != nil {
		return nil, err
	}
	pid, _ := v.(int)
	return &Process{URI: uri, PID: pid}, nil
}

// FindNode asks the master for the address of the node with the given name, and asks that node for its process id. It
// returns nil if the master does not know the node, or if nothing listens at the node's address. It returns an error if
// the master does not answer.
func FindNode(ctx context.Context, masterURI, name string) (*Process, error) {
	v, err := Call(ctx, masterURI, "lookupNode", Anonymous, name)
	var unknown *RefusedError
	if errors.As(err, &unknown) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	p := &Process{Name: name}
	p.URI, _ = v.(string)
	ctx, cancel := context.WithTimeout(ctx, whoTime)
	defer cancel()
	v, err = Call(ctx, p.URI, "getPid", Anonymous)
	var dial *net.OpError
	if errors.As(err, &dial) && dial.Op == "dial" {
		return nil, nil
	}
	p.PID, _ = v.(int)
	return p, nil
}
