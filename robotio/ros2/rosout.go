package ros2

import (
	"log/slog"
	"strings"

	"github.com/omnipitch/omnipitch/robotio/internal/rosout"
	"github.com/omnipitch/omnipitch/robotio/msg"
)

// logMessage is rcl_interfaces/Log.
type logMessage struct {
	Stamp                     msg.Time
	Level                     uint8
	Name, Msg, File, Function string
	Line                      uint32
}

// Logger returns the node's logger. It writes to Config.Log. It also publishes records from the level info on /rosout,
// where new subscribers receive those of the last 10 s. If the node is closed, or the context does not know the type of
// these messages, it only writes.
func (n *Node) Logger() *slog.Logger {
	n.logging.Do(func() {
		n.logger = n.c.log
		pub, err := Advertise[logMessage](n, "/rosout", "rcl_interfaces/Log", PubOptions{})
		if err != nil {
			return
		}
		name := strings.ReplaceAll(strings.TrimPrefix(n.Name(), "/"), "/", ".") // as rcl names a node's logger
		n.logger = slog.New(rosout.NewHandler(n.c.log.Handler(), &slog.LevelVar{}, func(m *msg.Log) {
			pub.Publish(&logMessage{Stamp: m.Header.Stamp, Level: rosout.LevelROS2(m.Level), Name: name, Msg: m.Msg,
				File: m.File, Function: m.Function, Line: m.Line})
		}))
	})
	return n.logger
}
