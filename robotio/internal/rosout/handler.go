// Package rosout converts log records to messages of /rosout. It does not publish them.
//
//	log := slog.New(rosout.NewHandler(slog.Default().Handler(), &level, publish))
//
// The messages are those of ROS 1. ROS 2 has the same fields, with other numbers for levels.
//
// Source: rosgraph_msgs/Log; roscpp 1.15 for the names of levels; rcl_interfaces/Log.
package rosout

import (
	"bytes"
	"context"
	"log/slog"
	"runtime"
	"strings"
	"time"

	"github.com/omnipitch/omnipitch/robotio/msg"
)

// Handler is an slog.Handler that publishes records as rosgraph_msgs/Log and passes them on.
type Handler struct {
	next    slog.Handler
	level   *slog.LevelVar
	publish func(*msg.Log)
	// derive adds the attributes and groups of this handler; nil if there are none
	derive func(slog.Handler) slog.Handler
}

// NewHandler returns a handler that passes records to next, and records of at least level to publish. The function
// publish adds the node's name and topics to a record. It must not block.
func NewHandler(next slog.Handler, level *slog.LevelVar, publish func(*msg.Log)) *Handler {
	return &Handler{next: next, level: level, publish: publish}
}

// Enabled reports whether a record of this level is published or passed on.
func (h *Handler) Enabled(ctx context.Context, l slog.Level) bool {
	return l >= h.level.Level() || h.next.Enabled(ctx, l)
}

// Handle publishes a record, without blocking, and passes it on.
func (h *Handler) Handle(ctx context.Context, r slog.Record) error {
	if r.Level >= h.level.Level() {
		h.publish(h.log(r))
	}
	if h.next.Enabled(ctx, r.Level) {
		return h.next.Handle(ctx, r)
	}
	return nil
}

// log converts a record to a ROS message. Attributes follow the text as key=value.
func (h *Handler) log(r slog.Record) *msg.Log {
	_, level := Level(r.Level)
	m := &msg.Log{Level: level, Msg: h.text(r)}
	if r.Time.IsZero() {
		r.Time = time.Now()
	}
	m.Header.Stamp = msg.Time{Sec: uint32(r.Time.Unix()), Nsec: uint32(r.Time.Nanosecond())}
	if r.PC != 0 {
		frame, _ := runtime.CallersFrames([]uintptr{r.PC}).Next()
		m.File, m.Function, m.Line = frame.File, frame.Function, uint32(frame.Line)
	}
	return m
}

func (h *Handler) text(r slog.Record) string {
	var b bytes.Buffer
	var attrs slog.Handler = slog.NewTextHandler(&b, &slog.HandlerOptions{Level: slog.Level(-1 << 16),
		ReplaceAttr: onlyAttrs})
	if h.derive != nil {
		attrs = h.derive(attrs)
	}
	_ = attrs.Handle(context.Background(), r) // writing to a buffer does not fail
	if rest := strings.TrimSpace(b.String()); rest != "" {
		return r.Message + " " + rest
	}
	return r.Message
}

// onlyAttrs removes the attributes for which the ROS message has separate fields.
func onlyAttrs(groups []string, a slog.Attr) slog.Attr {
	if len(groups) == 0 && (a.Key == slog.TimeKey || a.Key == slog.LevelKey || a.Key == slog.MessageKey) {
		return slog.Attr{}
	}
	return a
}

// WithAttrs returns a handler that adds attributes to every record.
func (h *Handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return h.with(func(next slog.Handler) slog.Handler { return next.WithAttrs(attrs) })
}

// WithGroup returns a handler that puts later attributes into a group.
func (h *Handler) WithGroup(name string) slog.Handler {
	return h.with(func(next slog.Handler) slog.Handler { return next.WithGroup(name) })
}

func (h *Handler) with(add func(slog.Handler) slog.Handler) slog.Handler {
	c, before := *h, h.derive
	if before == nil {
		before = func(next slog.Handler) slog.Handler { return next }
	}
	c.derive = func(next slog.Handler) slog.Handler { return add(before(next)) }
	c.next = add(c.next)
	return &c
}

// LevelFatal is the lowest slog level at which a record is fatal in ROS. The other levels are those of slog.
const LevelFatal = slog.LevelError + 4

// levels are ROS's levels, lowest first, with the names of roscpp.
var levels = []struct {
	name string
	slog slog.Level
	ros  int8
	ros2 uint8
}{
	{"debug", slog.LevelDebug, msg.LogDebug, 10},
	{"info", slog.LevelInfo, msg.LogInfo, 20},
	{"warn", slog.LevelWarn, msg.LogWarn, 30},
	{"error", slog.LevelError, msg.LogError, 40},
	{"fatal", LevelFatal, msg.LogFatal, 50},
}

// LevelROS2 returns the number in ROS 2 of a level in a message of ROS 1.
func LevelROS2(level int8) uint8 {
	for _, row := range levels {
		if row.ros == level {
			return row.ros2
		}
	}
	return 0
}

// Level converts an slog level to a ROS level: the highest ROS level that is not above the slog level.
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
