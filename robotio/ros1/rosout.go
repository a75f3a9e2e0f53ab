package ros1

import (
	"bytes"
	"context"
	"log/slog"
	"maps"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
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
	n.logger = slog.New(&rosout{node: n, pub: pub, level: loggers[loggerProgram], next: n.logger.Handler()})
	n.log = slog.New(&rosout{node: n, pub: pub, level: loggers[loggerNode], next: n.log.Handler()})
	return nil
}

// rosout is an slog.Handler that publishes records as rosgraph_msgs/Log and hands them on.
type rosout struct {
	node   *Node
	pub    *Publisher[msg.Log]
	level  *slog.LevelVar
	next   slog.Handler
	derive func(slog.Handler) slog.Handler
}

// Enabled says whether a record of this level goes anywhere.
func (h *rosout) Enabled(ctx context.Context, l slog.Level) bool {
	return l >= h.level.Level() || h.next.Enabled(ctx, l)
}

// Handle publishes a record, without waiting, and hands it on.
func (h *rosout) Handle(ctx context.Context, r slog.Record) error {
	if r.Level >= h.level.Level() {
		h.pub.Publish(h.log(r))
	}
	if h.next.Enabled(ctx, r.Level) {
		return h.next.Handle(ctx, r)
	}
	return nil
}

// log turns a record into ROS's form: attributes follow the message as key=value.
func (h *rosout) log(r slog.Record) *msg.Log {
	_, level := rosLevel(r.Level)
	m := &msg.Log{Level: level, Name: h.node.name, Msg: h.text(r), Topics: h.node.published()}
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

func (h *rosout) text(r slog.Record) string {
	var b bytes.Buffer
	var attrs slog.Handler = slog.NewTextHandler(&b, &slog.HandlerOptions{Level: slog.Level(-1 << 16), ReplaceAttr: onlyAttrs})
	if h.derive != nil {
		attrs = h.derive(attrs)
	}
	_ = attrs.Handle(context.Background(), r) // a buffer takes everything
	if rest := strings.TrimSpace(b.String()); rest != "" {
		return r.Message + " " + rest
	}
	return r.Message
}

// onlyAttrs leaves out what ROS's log has fields for.
func onlyAttrs(groups []string, a slog.Attr) slog.Attr {
	if len(groups) == 0 && (a.Key == slog.TimeKey || a.Key == slog.LevelKey || a.Key == slog.MessageKey) {
		return slog.Attr{}
	}
	return a
}

// WithAttrs returns a handler that adds attributes to every record.
func (h *rosout) WithAttrs(attrs []slog.Attr) slog.Handler {
	return h.with(func(next slog.Handler) slog.Handler { return next.WithAttrs(attrs) })
}

// WithGroup returns a handler that puts attributes to come into a group.
func (h *rosout) WithGroup(name string) slog.Handler {
	return h.with(func(next slog.Handler) slog.Handler { return next.WithGroup(name) })
}

func (h *rosout) with(add func(slog.Handler) slog.Handler) slog.Handler {
	c, before := *h, h.derive
	if before == nil {
		before = func(next slog.Handler) slog.Handler { return next }
	}
	c.derive = func(next slog.Handler) slog.Handler { return add(before(next)) }
	c.next = add(c.next)
	return &c
}

// published lists the topics that the node publishes, sorted.
func (n *Node) published() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Sorted(maps.Keys(n.pubs))
}
