package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/cmd/console"
	"github.com/omnipitch/omnipitch/cmd/exit"
	"github.com/omnipitch/omnipitch/robotio"
	"github.com/omnipitch/omnipitch/robotio/foxglove"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/rosbridge"
	"github.com/omnipitch/omnipitch/worlds"
)

// served is what a running simulation is reached by.
type served struct {
	ros    *rosLink
	bridge *robotio.Bridge
	web    []io.Closer
}

// serve joins a simulation to the wires that the command asks for, and says where it is reached. It ends with
// exit.ErrNotBegun when ctx does.
func (c *runCmd) serve(ctx context.Context, con console.Streams, w *worlds.World, sim *omnipitch.Sim) (*served, error) {
	at, err := newListening(c.Listen)
	if err != nil {
		return nil, err
	}
	say := func(format string, args ...any) {
		fmt.Fprintf(con.Err, w.Name+": "+format+"\n", args...)
	}
	if at.access, err = c.rule(!c.ROS1.external(), func(err error) { say("%v", err) }); err != nil {
		return nil, err
	}
	s := &served{}
	if s.ros, err = exit.Await(ctx, func() (*rosLink, error) { return openROS1(w, c.ROS1, at, say) }, (*rosLink).close); err != nil {
		return nil, wireError(err)
	}
	refused := newRefusals(con.Err, w.Name, func(text string) { s.ros.node.Logger().Warn(text) })
	stay := context.AfterFunc(ctx, s.ros.leave)
	s.bridge, err = robotio.NewBridge(sim, s.ros.node, robotio.Options{Own: s.ros.own, Refused: refused.tell})
	if !stay() {
		err = exit.ErrNotBegun
	}
	if err != nil {
		s.close()
		return nil, wireError(err)
	}
	if at.open() {
		say("%s", at.warning())
	}
	say("ROS 1 master at %s", s.ros.uri)
	for i := range w.Robots {
		if r := &w.Robots[i]; r.ROS1.MasterPort != 0 {
			say("master of %s at port %d", r.Name, r.ROS1.MasterPort)
		}
	}
	if text := at.unreachable(c.ROS1.external()); text != "" {
		say("%s", text)
	}
	if err := c.serveWeb(s, at, say); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// The ports that clients look at when nothing else is said.
const (
	rosbridgePort = "9090"
	foxglovePort  = "8765"
)

// serveWeb starts the servers for browsers, each with a node of its own.
func (c *runCmd) serveWeb(s *served, at listening, say func(string, ...any)) error {
	for _, server := range []struct {
		flag, value, port, node string
		listen                  func(n *ros1.Node, addr string) (webServer, error)
	}{
		{"--rosbridge", c.Rosbridge, rosbridgePort, "/rosbridge_websocket", func(n *ros1.Node, addr string) (webServer, error) {
			return rosbridge.Listen(n, rosbridge.Config{Addr: addr, Access: at.access, Log: n.Logger()})
		}},
		{"--foxglove", c.Foxglove, foxglovePort, "/foxglove_bridge", func(n *ros1.Node, addr string) (webServer, error) {
			return foxglove.Listen(n, foxglove.Config{Addr: addr, Access: at.access, Log: n.Logger()})
		}},
	} {
		addr, err := at.web(server.flag, server.value, server.port)
		if err != nil {
			return err
		}
		if addr == "" {
			continue
		}
		node, err := at.node(ros1.NodeConfig{Name: server.node, MasterURI: s.ros.uri, Types: s.bridge.Types()})
		if err != nil {
			return wireError(err)
		}
		s.web = append(s.web, node)
		listener, err := server.listen(node, addr)
		if err != nil {
			return wireError(fmt.Errorf("%s = %q: %w", server.flag, server.value, err))
		}
		s.web = append(s.web, listener)
		if host, _, _ := net.SplitHostPort(addr); !at.open() && (listening{addr: host}).open() {
			say("%s", listening{addr: host}.warning())
		}
		say("%s at ws://%s", strings.TrimPrefix(server.flag, "--"), listener.Addr())
	}
	return nil
}

// webServer is what both servers are.
type webServer interface {
	io.Closer
	Addr() net.Addr
}

// wanted tells whether a flag wants a server at all.
func wanted(value string) bool { return value != "" && value != "off" }

// web returns where a flag wants a server to listen; empty: nowhere.
func (a listening) web(flag, value, port string) (string, error) {
	if !wanted(value) {
		return "", nil
	}
	if value == "on" {
		return net.JoinHostPort(a.bind(), port), nil
	}
	if isPort(value) {
		return net.JoinHostPort(a.bind(), value), nil
	}
	if _, port, err := net.SplitHostPort(value); err != nil || !isPort(port) {
		return "", exit.BadInputf("%s = %q: must be on, off, a port, or host:port", flag, value)
	}
	return value, nil
}

// isPort tells whether a text is the number of a port, or 0 for a free one.
func isPort(text string) bool {
	n, err := strconv.Atoi(text)
	return err == nil && n >= 0 && n <= 65535
}

func (s *served) close() {
	for _, w := range slices.Backward(s.web) {
		w.Close()
	}
	if s.bridge != nil {
		s.bridge.Close()
	}
	if s.ros != nil {
		s.ros.close()
	}
}
