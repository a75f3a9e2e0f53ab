package main

import (
	"fmt"
	"net"
	"net/url"
	"os"

	"github.com/omnipitch/omnipitch/robotio/ros1"
)

// rosLink is the simulator's place in a ROS 1 graph.
type rosLink struct {
	master *ros1.Master // nil with an external one
	node   *ros1.Node
	uri    string
}

// openROS1 joins the graph of ROS_MASTER_URI, or starts it there: with an embedded master the address in it says where
// to listen, which must be this machine.
func openROS1(embedded bool) (*rosLink, error) {
	l := &rosLink{uri: os.Getenv("ROS_MASTER_URI")}
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
	if err != nil {
		l.close()
		return nil, err
	}
	return l, nil
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
	if l.node != nil {
		l.node.Close() // fails when an external master is gone already, which is no concern at the end
	}
	if l.master != nil {
		l.master.Close()
	}
}
