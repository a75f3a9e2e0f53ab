package compare

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/ros1/graph"
	"github.com/omnipitch/omnipitch/robotio/ros2"
	"github.com/omnipitch/omnipitch/robotio/wire"
)

// Wall times for which a comparison waits. The values are guesses; healthy nodes answer within milliseconds.
const (
	askTime     = 2 * time.Second // time for the answer of one node
	askAllTime  = 8 * time.Second // time for the answers of all nodes
	connectTime = time.Second     // time for subscribers to connect before rates are measured
)

// maxAsked is the maximum number of concurrent queries; a guess.
const maxAsked = 32

// system is the state of the ROS graph at a master or in a domain, with the answers of the nodes to queries. In ROS 2
// the graph has all answers.
type system struct {
	node wire.Node
	*graph.State

	mu         sync.Mutex
	publishers map[endpoint]answer[*msg.Definition]  // by topic and node
	services   map[string]answer[ros1.ServiceHeader] // by service
	// for each node, the types of the topics that the node subscribes to
	subscribed map[string]answer[map[string]string]
	parameters map[string]answer[any] // by name
	remotes    []ros2.Remote          // in ROS 2
}

// endpoint is a publisher of a topic.
type endpoint struct{ topic, node string }

// answer is the answer to a query, or its error.
type answer[T any] struct {
	is  T
	err error
}

// survey reads the graph, without the entries of the node n itself.
func survey(ctx context.Context, n wire.Node) (*system, error) {
	if n.Version() == msg.ROS2 {
		wait(ctx, connectTime) // to find the others and their names
	}
	g, err := n.State(ctx)
	if err != nil {
		return nil, err
	}
	for _, nodes := range []map[string][]string{g.Publishers, g.Subscribers, g.Services} {
		for name := range nodes {
			nodes[name] = slices.DeleteFunc(nodes[name], func(s string) bool { return s == n.Name() })
			if len(nodes[name]) == 0 {
				delete(nodes, name)
			}
		}
	}
	s := &system{node: n, State: g, publishers: map[endpoint]answer[*msg.Definition]{},
		services:   map[string]answer[ros1.ServiceHeader]{},
		subscribed: map[string]answer[map[string]string]{}, parameters: map[string]answer[any]{}}
	if n, ok := n.(*ros2.Node); ok {
		s.remotes = n.Remotes()
		for i := range s.remotes {
			if r := &s.remotes[i]; !r.Service {
				s.Types[r.Name] = r.Type
			}
		}
	}
	return s, nil
}

// names returns all services if the side is one of services, else all topics.
func (s *system) names(side Side) []string {
	if side == Serves || side == Calls {
		return slices.Sorted(maps.Keys(s.Services))
	}
	return s.Topics()
}

// simulators returns the names for which some node has the role that the simulator would have.
func (s *system) simulators(side Side) []string {
	switch side {
	case Publishes:
		return slices.Sorted(maps.Keys(s.Publishers))
	case Subscribes:
		return slices.Sorted(maps.Keys(s.Subscribers))
	}
	return slices.Sorted(maps.Keys(s.Services))
}

// queryNodes finds the types that nodes have for names.
func (s *system) queryNodes(ctx context.Context, all []expectation) {
	switch n := s.node.(type) {
	case *ros1.Node:
		s.askNodes(ctx, n, all)
	default:
		for i := range s.remotes {
			switch r := &s.remotes[i]; {
			case r.Service:
				s.services[r.Name] = answer[ros1.ServiceHeader]{is: ros1.ServiceHeader{Type: r.Type}}
			case r.Publishes:
				def := &msg.Definition{Name: r.Type, Hash: r.Hash}
				s.publishers[endpoint{r.Name, r.Node}] = answer[*msg.Definition]{is: def}
			default:
				if s.subscribed[r.Node].is == nil {
					s.subscribed[r.Node] = answer[map[string]string]{is: map[string]string{}}
				}
				s.subscribed[r.Node].is[r.Name] = r.Type
			}
		}
	}
}

// askNodes concurrently queries all nodes of ROS 1 that use expected names. The answer to a query is an error if the
// node does not answer in time.
func (s *system) askNodes(ctx context.Context, n *ros1.Node, all []expectation) {
	ctx, cancel := context.WithTimeout(ctx, askAllTime)
	defer cancel()
	places := make(chan struct{}, maxAsked)
	var wait sync.WaitGroup
	query := func(f func(context.Context)) {
		wait.Go(func() {
			select {
			case places <- struct{}{}:
				defer func() { <-places }()
			case <-ctx.Done():
			}
			one, cancel := context.WithTimeout(ctx, askTime)
			defer cancel()
			f(one)
		})
	}
	asked := map[string]bool{}
	once := func(key string) bool { was := asked[key]; asked[key] = true; return !was }
	for i := range all {
		e := &all[i]
		switch e.side {
		case Publishes, Subscribes:
			for _, node := range s.Publishers[e.name] {
				if once("publisher " + e.name + " " + node) {
					query(func(ctx context.Context) { s.askPublisher(ctx, n, endpoint{e.name, node}) })
				}
			}
			for _, node := range s.Subscribers[e.name] {
				if once("subscriber " + node) {
					query(func(ctx context.Context) { s.askSubscriber(ctx, n, node) })
				}
			}
		case Serves, Calls:
			if len(s.Services[e.name]) > 0 && once("service "+e.name) {
				query(func(ctx context.Context) {
					h, err := ros1.ProbeService(ctx, n, e.name)
					s.mu.Lock()
					defer s.mu.Unlock()
					s.services[e.name] = answer[ros1.ServiceHeader]{h, err}
				})
			}
		case Parameter:
			query(func(ctx context.Context) {
				v, err := n.CallMaster(ctx, "getParam", e.name)
				s.mu.Lock()
				defer s.mu.Unlock()
				s.parameters[e.name] = answer[any]{v, err}
			})
		}
	}
	wait.Wait()
}

// askPublisher queries the type of a publisher's messages.
func (s *system) askPublisher(ctx context.Context, n *ros1.Node, at endpoint) {
	def, err := ros1.ProbeTopic(ctx, n, at.topic, at.node)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.publishers[at] = answer[*msg.Definition]{def, err}
}

// askSubscriber queries the types of the topics that a node subscribes to.
func (s *system) askSubscriber(ctx context.Context, n *ros1.Node, node string) {
	types := map[string]string{}
	v, err := n.CallMaster(ctx, "lookupNode", node)
	if err == nil {
		uri, _ := v.(string)
		v, err = graph.Call(ctx, uri, "getSubscriptions", n.Name())
	}
	list, _ := v.([]any)
	for _, one := range list {
		if pair, _ := one.([]any); len(pair) == 2 {
			topic, _ := pair[0].(string)
			types[topic], _ = pair[1].(string)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.subscribed[node] = answer[map[string]string]{types, err}
}

// unset reports whether the error says that the parameter is not set.
func unset(err error) bool {
	_, refused := errors.AsType[*graph.RefusedError](err)
	return refused
}

// base returns the last element of a name.
func base(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }
