package serve

import (
	"context"

	"github.com/omnipitch/omnipitch/cmd/internal/dashboard"
	"github.com/omnipitch/omnipitch/robotio"
	"github.com/omnipitch/omnipitch/robotio/belief"
	"github.com/omnipitch/omnipitch/robotio/ros1"
)

// beliefsNode is the name of the node that subscribes to the beliefs of robots.
const beliefsNode = "/omnipitch_beliefs"

// Beliefs returns what the programs of robots believe about the world. A caller that shows beliefs must call Beliefs
// periodically. If nobody calls it, the subscriptions to the beliefs end.
func (s *Server) Beliefs() []belief.Robot { return s.beliefs.Beliefs() }

// openBeliefs prepares the subscriptions that Beliefs needs.
func (s *Server) openBeliefs() {
	s.beliefs = robotio.NewBeliefs(s.bridge, func(beside *ros1.Node) (*ros1.Node, error) {
		uri := s.ros.uri
		for _, own := range s.ros.own {
			if own.node == beside {
				uri = own.master.URI()
			}
		}
		return s.at.node(ros1.NodeConfig{Name: beliefsNode, MasterURI: uri, Types: s.bridge.Types(),
			Ignore: []string{beside.URI()}})
	}, func(err error) { s.printf("what robots believe is not known: %v", err) })
}

// graph returns the topics at all masters.
func (s *Server) graph(ctx context.Context) ([]dashboard.Topic, error) {
	all, err := s.bridge.Graph(ctx, s.beliefs)
	topics := make([]dashboard.Topic, len(all))
	for i, t := range all {
		topics[i] = dashboard.Topic{Robot: t.Robot, Name: t.Name, Type: t.Type, Publishers: t.Publishers,
			Listeners: t.Subscribers, Measured: t.Measured, Rate: t.Rate, Last: t.Last}
	}
	return topics, err
}
