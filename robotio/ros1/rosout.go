package ros1

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1/rosout"
)

// The names of a node's loggers: the program's, as roscpp calls it, and that of the node's own connections.
const (
	loggerProgram = "ros"
	loggerNode    = "ros.node"
)

// rosoutQueue holds a burst of log lines per reader. Source: rospy's rosout.py.
const rosoutQueue = 100

// Logger returns the log for the program that the node belongs to. It writes to NodeConfig.Log and, with
// NodeConfig.Rosout, publishes on /rosout, where ~set_logger_level sets what is published; at first info and above.
func (n *Node) Logger() *slog.Logger { return n.logger }

// openRosout publishes the node's log from now on.
func (n *Node) openRosout() error {
	pub, err := Advertise[msg.Log](n, "/rosout", "rosgraph_msgs/Log", PubOptions{Queue: rosoutQueue, Latch: true})
	if err != nil {
		return err
	}
	loggers := map[string]*slog.LevelVar{loggerProgram: {}, loggerNode: {}}
	if err := n.serveLoggers(loggers); err != nil {
		return err
	}
	publish := func(m *msg.Log) {
		m.Name, m.Topics = n.name, n.published()
		pub.Publish(m)
	}
	n.logger = slog.New(rosout.NewHandler(n.logger.Handler(), loggers[loggerProgram], publish))
	n.log = slog.New(rosout.NewHandler(n.log.Handler(), loggers[loggerNode], publish))
	return nil
}

// serveLoggers offers the services by which rqt_logger_level and rosconsole read and set levels.
func (n *Node) serveLoggers(loggers map[string]*slog.LevelVar) error {
	_, err := Serve(n, "~get_loggers", "roscpp/GetLoggers",
		func(context.Context, *msg.GetLoggersRequest) (*msg.GetLoggersResponse, error) {
			r := &msg.GetLoggersResponse{}
			for _, name := range slices.Sorted(maps.Keys(loggers)) {
				level, _ := rosout.Level(loggers[name].Level())
				r.Loggers = append(r.Loggers, msg.Logger{Name: name, Level: level})
			}
			return r, nil
		})
	if err != nil {
		return err
	}
	_, err = Serve(n, "~set_logger_level", "roscpp/SetLoggerLevel",
		func(_ context.Context, r *msg.SetLoggerLevelRequest) (*msg.SetLoggerLevelResponse, error) {
			logger := loggers[r.Logger]
			if logger == nil {
				return nil, fmt.Errorf("logger = %q: must be one of %s", r.Logger,
					strings.Join(slices.Sorted(maps.Keys(loggers)), ", "))
			}
			level, ok := rosout.ParseLevel(r.Level)
			if !ok {
				return nil, fmt.Errorf("level = %q: must be debug, info, warn, error or fatal", r.Level)
			}
			logger.Set(level)
			return nil, nil
		})
	return err
}

// published lists the topics that the node publishes, sorted.
func (n *Node) published() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Sorted(maps.Keys(n.pubs))
}
