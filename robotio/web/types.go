package web

import (
	"context"
	"errors"
	"fmt"

	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/ros1/graph"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
)

// FindType returns the definition of a message type from the node's library or, if that lacks it, from a publisher in
// the graph. It fails if neither has it.
func FindType(ctx context.Context, n *ros1.Node, g *graph.State, typ string) (*msg.Definition, error) {
	def, err := n.MessageType(typ)
	if !errors.Is(err, msg.ErrUnknown) {
		return def, err
	}
	for topic, t := range g.Types {
		if t != typ {
			continue
		}
		for _, node := range g.Publishers[topic] {
			if def, err := ros1.ProbeTopic(ctx, n, topic, node); err == nil && def.Name == typ {
				return def, nil
			}
		}
	}
	return nil, fmt.Errorf("type = %.80q: must be known to the library or to a publisher", typ)
}
