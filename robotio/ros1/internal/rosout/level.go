package rosout

import (
	"log/slog"
	"strings"

	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
)

// LevelFatal is the slog level from which on a record is fatal in ROS. The other levels are slog's.
const LevelFatal = slog.LevelError + 4

// levels are ROS's levels, lowest first, with the names of roscpp.
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

// Level returns the ROS level of an slog level: the highest one that is not above it.
func Level(l slog.Level) (name string, ros int8) {
	name, ros = levels[0].name, levels[0].ros
	for _, row := range levels {
		if l >= row.slog {
			name, ros = row.name, row.ros
		}
	}
	return name, ros
}

// ParseLevel returns the slog level for the name of a ROS level, in any case. It reports whether the name is valid.
func ParseLevel(name string) (slog.Level, bool) {
	for _, row := range levels {
		if strings.EqualFold(name, row.name) {
			return row.slog, true
		}
	}
	return 0, false
}
