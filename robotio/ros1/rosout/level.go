package rosout

import (
	"log/slog"
	"strings"

	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
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

// Level returns the row of levels that a slog level falls into: the highest that is not above it.
func Level(l slog.Level) (name string, ros int8) {
	name, ros = levels[0].name, levels[0].ros
	for _, row := range levels {
		if l >= row.slog {
			name, ros = row.name, row.ros
		}
	}
	return name, ros
}

// ParseLevel returns the slog level of a ROS level's name, in any case, and whether there is one.
func ParseLevel(name string) (slog.Level, bool) {
	for _, row := range levels {
		if strings.EqualFold(name, row.name) {
			return row.slog, true
		}
	}
	return 0, false
}
