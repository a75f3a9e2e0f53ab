package main

import (
	"fmt"
	"net"
	"net/url"
	"os"
	"strconv"

	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/worlds"
)

// rosLink is the simulator's place in a ROS 1 graph, and in those of robots with a master of their own.
type rosLink struct {
	master *ros1.Master // nil with an external one
	node   *ros1.Node
	uri    string

	own     map[string]*ros1.Node // by robot
	masters []*ros1.Master
}

// openROS1 joins the graph of ROS_MASTER_URI, or starts it there: with an embedded master the address in it says where
// to listen, which must be this machine.
func openROS1(w *worlds.World, embedded bool) (*rosLink, error) {
	l := &rosLink{own: map[string]*ros1.Node{}, uri: os.Getenv("ROS_MASTER_URI")}
	if l.uri == "" {
		l.uri = ros1.DefaultMasterURI
	}
	addr, err := masterAddr(l.uri)
	if err != nil {
		return nil, err
	}
	if embedded {
		if l.master, err = ros1.ListenMaster(ros1.MasterConfig{Addr: addr}); err != nil {
			return nil, err
		}
		l.uri = l.master.URI()
	}
	l.node, err = ros1.NewNode(ros1.NodeConfig{Name: "/omnipitch", MasterURI: l.uri})
	for i := range w.Robots {
		if r := &w.Robots[i]; err == nil && r.ROS1.MasterPort != 0 {
			err = l.ownMaster(r)
		}
	}
	if err != nil {
		l.close()
		return nil, err
	}
	return l, nil
}

// ownMaster starts a master for one robot alone.
func (l *rosLink) ownMaster(r *worlds.Robot) error {
	m, err := ros1.ListenMaster(ros1.MasterConfig{Addr: net.JoinHostPort("127.0.0.1", strconv.Itoa(r.ROS1.MasterPort))})
	if err != nil {
		return fmt.Errorf("robot %s: %w", r.Name, err)
	}
	l.masters = append(l.masters, m)
	l.own[r.Name], err = ros1.NewNode(ros1.NodeConfig{Name: "/omnipitch", MasterURI: m.URI()})
	return err
}

// masterAddr returns where an embedded master listens: always on loopback, at the port that nodes look at. It fails on
// what is no master's address.
func masterAddr(uri string) (string, error) {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "http" || u.Port() == "" {
		return "", badInput{fmt.Errorf("ROS_MASTER_URI = %q: must be like %s", uri, ros1.DefaultMasterURI)}
	}
	return net.JoinHostPort("127.0.0.1", u.Port()), nil
}

// elsewhere returns what ROS_MASTER_URI names as host unless that is a name of loopback, where an embedded master
// listens whatever the name.
func elsewhere() string {
	u, err := url.Parse(os.Getenv("ROS_MASTER_URI"))
	if err != nil || u.Hostname() == "" || u.Hostname() == "localhost" {
		return ""
	}
	if ip := net.ParseIP(u.Hostname()); ip != nil && ip.IsLoopback() {
		return ""
	}
	return u.Hostname()
}

func (l *rosLink) close() {
	for _, n := range l.own {
		if n != nil {
			n.Close()
		}
	}
	for _, m := range l.masters {
		m.Close()
	}
	if l.node != nil {
		l.node.Close() // fails when an external master is gone already, which is no concern at the end
	}
	if l.master != nil {
		l.master.Close()
	}
}
