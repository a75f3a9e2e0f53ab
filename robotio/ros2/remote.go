package ros2

import (
	"strings"

	"github.com/omnipitch/omnipitch/robotio/ros2/internal/rtps"
)

// Remote is a publisher or a subscriber of another process, or a server of a service.
type Remote struct {
	Node      string // its name; empty as long as it is unknown
	Name      string // of the topic or the service
	Type      string // package/Type
	Hash      string // of a topic's type; empty if the node has none, as in Humble
	Service   bool
	Publishes bool
	QoS       QoS
}

// Remotes returns all publishers, subscribers and servers of other processes.
func (n *Node) Remotes() (all []Remote) {
	g := n.c.graph
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, list := range g.endpoints {
		for _, e := range list {
			if r, ok := remoteOf(&e); ok {
				r.Node = g.names[e.GUID.Prefix()].of[e.GUID]
				all = append(all, r)
			}
		}
	}
	return all
}

func remoteOf(e *rtps.Endpoint) (r Remote, ok bool) {
	r = Remote{Type: libraryName(rosType(e.Type)), Publishes: e.Writer, QoS: e.QoS}
	if r.Name, ok = strings.CutPrefix(e.Topic, "rt/"); ok {
		r.Hash = typeHash(e.UserData)
	} else if r.Name, ok = strings.CutPrefix(e.Topic, "rq/"); ok {
		r.Name, ok = strings.CutSuffix(r.Name, "Request")
		r.Type, r.Service, ok = strings.TrimSuffix(r.Type, "_Request"), true, ok && !r.Publishes
	}
	r.Name = "/" + r.Name
	return r, ok
}

// Mismatch says why a subscriber of a topic does not connect to a publisher with QoS q, or returns "".
func (r *Remote) Mismatch(q QoS) string {
	switch {
	case r.QoS.Reliable && !q.Reliable:
		return "asks for reliable messages, which best effort is not"
	case r.QoS.TransientLocal && !q.TransientLocal:
		return "asks for the last messages (transient local), which are not kept"
	case r.QoS.Deadline != 0 && (q.Deadline == 0 || q.Deadline > r.QoS.Deadline):
		return "asks for a deadline that is not offered"
	}
	return ""
}
