package ros1

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
)

// The names of a node's loggers: the program's, as roscpp calls it, and that of the node's own connections.
const (
	loggerProgram = "ros"
	loggerNode    = "ros.node"
)

// LevelFatal is the slog level from which on a record counts as fatal in ROS; debug, info, warn and error are slog's.
const LevelFatal = slog.LevelError + 4

// levels lists ROS's levels by name, in roscpp's words, from the lowest.
var levels = []struct {
	name string
	slog slog.Level
	ros  int8
}{
	{"debug", slog.LevelDebug, msg.LogDebug},
	{"info", slog.LevelInfo, msg.LogInfo},
	{"warn", slog.LevelWarn, msg.LogWarn},
	{"error", slog.LevelError, msg.LogError},
	{"fatal", LevelFatal, msg.LogFatal},
}

// rosLevel returns the row of levels that a slog level falls into: the highest that is not above it.
func rosLevel(l slog.Level) (name string, ros int8) {
	name, ros = levels[0].name, levels[0].ros
	for _, row := range levels {
		if l >= row.slog {
			name, ros = row.name, row.ros
		}
	}
	return name, ros
}

// serveLoggers offers the services by which rqt_logger_level and rosconsole look at levels and set them.
func (n *Node) serveLoggers(loggers map[string]*slog.LevelVar) error {
	_, err := Serve(n, "~get_loggers", "roscpp/GetLoggers",
		func(context.Context, *msg.GetLoggersRequest) (*msg.GetLoggersResponse, error) {
			r := &msg.GetLoggersResponse{}
			for _, name := range slices.Sorted(maps.Keys(loggers)) {
				level, _ := rosLevel(loggers[name].Level())
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
				return nil, fmt.Errorf("logger = %q: must be one of %s", r.Logger, strings.Join(slices.Sorted(maps.Keys(loggers)), ", "))
			}
			for _, row := range levels {
				if strings.EqualFold(r.Level, row.name) {
					logger.Set(row.slog)
					return nil, nil
				}
			}
			return nil, fmt.Errorf("level = %q: must be debug, info, warn, error or fatal", r.Level)
		})
	return err
}
