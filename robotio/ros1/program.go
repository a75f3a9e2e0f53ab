package ros1

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"
)

// Program is a node or a master that runs, maybe another one's.
type Program struct {
	Name string // empty of a master
	URI  string
	PID  int // 0 of one that listens and does not answer, as a process does that is stopped
}

func (p *Program) String() string {
	if p.PID == 0 {
		return fmt.Sprintf("%s (at %s, which does not answer)", p.Name, p.URI)
	}
	return fmt.Sprintf("%s (process %d at %s)", p.Name, p.PID, p.URI)
}

// whoTime bounds the question to a node who it is, wall time: it is there whether or not it answers. A guess.
const whoTime = 2 * time.Second

// asker is the caller's name in these questions; no node bears it.
const asker = "/omnipitch_asks"

// FindMaster asks the master at uri who it is. It fails where no master answers.
func FindMaster(ctx context.Context, uri string) (*Program, error) {
	v, err := callNode(ctx, uri, "getPid", asker)
	if err != nil {
		return nil, err
	}
	pid, _ := v.(int)
	return &Program{URI: uri, PID: pid}, nil
}

// FindNode asks the master for the node of a name, and that node who it is. It returns nil where the master knows none, and where nothing
// listens any more at the address that it knows. It fails when the master does not answer.
func FindNode(ctx context.Context, masterURI, name string) (*Program, error) {
	v, err := callNode(ctx, masterURI, "lookupNode", asker, name)
	var unknown *RefusedError
	if errors.As(err, &unknown) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	p := &Program{Name: name}
	p.URI, _ = v.(string)
	ctx, cancel := context.WithTimeout(ctx, whoTime)
	defer cancel()
	v, err = callNode(ctx, p.URI, "getPid", asker)
	var dial *net.OpError
	if errors.As(err, &dial) && dial.Op == "dial" {
		return nil, nil
	}
	p.PID, _ = v.(int)
	return p, nil
}

// FindPublishers returns the nodes that publish a topic, as FindNode finds them. It fails when the master does not answer, and then returns
// those that it has found before.
func FindPublishers(ctx context.Context, masterURI, topic string) ([]*Program, error) {
	v, err := callNode(ctx, masterURI, "getSystemState", asker)
	if err != nil {
		return nil, err
	}
	lists, _ := v.([]any)
	if len(lists) != 3 {
		return nil, fmt.Errorf("%s: getSystemState: answer %.80v: must be three lists", masterURI, v)
	}
	var found []*Program
	for _, name := range named(lists[0])[topic] {
		p, err := FindNode(ctx, masterURI, name)
		if err != nil {
			return found, err
		}
		if p != nil {
			found = append(found, p)
		}
	}
	return found, nil
}
