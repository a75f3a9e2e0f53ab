package serve

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/robotio/ros1"
)

// MasterFlags are the flags of a master without a simulation.
type MasterFlags struct {
	Access
	Port   *int    `help:"Port to listen at; 0 for a free port. Default: the port of ROS_MASTER_URI, or 11311."`
	Listen *string `placeholder:"ADDR" help:"Address to listen at; 0.0.0.0 for all addresses. Default: only this machine."`
}

// Check checks the flags.
func (f *MasterFlags) Check() error {
	if f.Port != nil && (*f.Port < 0 || *f.Port > 65535) {
		return fmt.Errorf("--port = %d: must lie in [0, 65535]", *f.Port)
	}
	_, err := newListening(f.Listen)
	return err
}

// OpenMaster starts a master without a simulation and prints its address.
func OpenMaster(con console.Streams, flags MasterFlags) (*ros1.Master, error) {
	at, err := newListening(flags.Listen)
	if err != nil {
		return nil, err
	}
	if at.access, err = flags.rule(true, func(err error) { fmt.Fprintf(con.Err, "omnipitch: %v\n", err) }); err != nil {
		return nil, err
	}
	if err := errors.Join(CheckOpenFiles(nil), at.checkLocal()); err != nil {
		return nil, err
	}
	port := ""
	if flags.Port != nil {
		port = strconv.Itoa(*flags.Port)
	} else {
		uri, err := MasterURI()
		if err != nil {
			return nil, err
		}
		port = masterPort(uri)
	}
	m, err := at.master(port, "--port PORT names it, --port 0 takes a free one")
	if err != nil {
		return nil, console.NetworkError(err)
	}
	if at.open() {
		fmt.Fprintf(con.Err, "omnipitch: %s\n", at.warning())
	}
	fmt.Fprintf(con.Notes(), "ROS 1 master at %s\n", m.URI())
	return m, nil
}
