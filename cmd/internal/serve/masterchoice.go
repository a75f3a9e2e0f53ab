package serve

import (
	"fmt"
	"strings"
)

// MasterChoice is the value of --ros1. It says which ROS master a run uses.
type MasterChoice struct {
	kind string // embedded, external or off
	port string // port to listen at; empty means the port of ROS_MASTER_URI

	// alone means that only programs of the run connect. Masters of robots then use free ports, too.
	alone bool
}

// UnmarshalText parses embedded, embedded:PORT, external or off.
func (m *MasterChoice) UnmarshalText(text []byte) error {
	kind, port, withPort := strings.Cut(string(text), ":")
	switch {
	case withPort && kind == "embedded":
		if !isPort(port) {
			return fmt.Errorf("port = %q: must lie in [0, 65535], 0 for a free one", port)
		}
	case withPort || kind != "embedded" && kind != "external" && kind != "off":
		return fmt.Errorf("master = %q: must be embedded, embedded:PORT, external or off", text)
	}
	*m = MasterChoice{kind: kind, port: port}
	return nil
}

// Off reports whether a run uses no master.
func (m MasterChoice) Off() bool      { return m.kind == "off" }
func (m MasterChoice) external() bool { return m.kind == "external" }
