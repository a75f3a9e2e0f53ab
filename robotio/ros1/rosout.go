package ros1

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"github.com/omnipitch/omnipitch/robotio/internal/rosout"
	"github.com/omnipitch/omnipitch/robotio/msg"
)

// Names of a node's loggers: the logger of the program, named as in roscpp, and the logger of this package.
const (
	loggerProgram = "ros"
	loggerNode    = "ros.node"
)

// rosoutQueue is the length of the queue of /rosout, in messages. It is long enough for bursts of messages. Source:
// rospy's rosout.py.
const rosoutQueue = 100

// Logger returns a logger for the program. The logger writes to NodeConfig.Log. If NodeConfig.Rosout is set, it also
// publishes on /rosout. The service ~set_logger_level sets the minimum level of the messages that are published; at
// first, this level is info.
func (n *Node) Logger() *slog.Logger { return n.logger }

// openRosout starts publishing the node's log.
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

// serveLoggers serves the services with which rqt_logger_level and rosconsole read and set levels.
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

// published returns the names of the topics that the node publishes, sorted.
func (n *Node) published() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Sorted(maps.Keys(n.pubs))
}
