package graph

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"
)

// Process is a running node or master.
type Process struct {
	Name string // empty of a master
	URI  string
	PID  int // 0 of one that listens and does not answer, as a process does that is stopped
}

func (p *Process) String() string {
	if p.PID == 0 {
		return fmt.Sprintf("%s (at %s, which does not answer)", p.Name, p.URI)
	}
	return fmt.Sprintf("%s (process %d at %s)", p.Name, p.PID, p.URI)
}

// whoTime bounds the question to a node who it is, wall time: it is there whether or not it answers. A guess.
const whoTime = 2 * time.Second

// Anonymous is the caller's name of programs that have no node.
const Anonymous = "/omnipitch_asks"

// FindMaster asks the master at uri who it is. It fails where no master answers.
func FindMaster(ctx context.Context, uri string) (*Process, error) {
	v, err := Call(ctx, uri, "getPid", Anonymous)
	if err != nil {
		return nil, err
	}
	pid, _ := v.(int)
	return &Process{URI: uri, PID: pid}, nil
}

// FindNode asks the master for the node of a name, and that node who it is. It returns nil where the master knows none,
// and where nothing listens any more at the address that it knows. It fails when the master does not answer.
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
