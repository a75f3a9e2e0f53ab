package main

import (
	"fmt"
	"strings"
)

// masterChoice is what --ros1 says: which master a run joins.
type masterChoice struct {
	kind string // embedded, external or off
	port string // to listen at; empty is that of ROS_MASTER_URI
}

// UnmarshalText reads embedded, embedded:PORT, external or off.
func (m *masterChoice) UnmarshalText(text []byte) error {
	kind, port, withPort := strings.Cut(string(text), ":")
	switch {
	case withPort && kind == "embedded":
		if !isPort(port) {
			return fmt.Errorf("port = %q: must lie in [0, 65535], 0 for a free one", port)
		}
	case withPort || kind != "embedded" && kind != "external" && kind != "off":
		return fmt.Errorf("master = %q: must be embedded, embedded:PORT, external or off", text)
	}
	*m = masterChoice{kind, port}
	return nil
}

func (m masterChoice) off() bool      { return m.kind == "off" }
func (m masterChoice) external() bool { return m.kind == "external" }
