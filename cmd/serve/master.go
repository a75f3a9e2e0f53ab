package serve

import (
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/omnipitch/omnipitch/cmd/exit"
	"github.com/omnipitch/omnipitch/robotio/ros1"
)

// MasterFlags say where a master alone listens.
type MasterFlags struct {
	Access
	Port   *int    `help:"Port to listen at; 0 takes a free one. Default: that of ROS_MASTER_URI, 11311 without it."`
	Listen *string `placeholder:"ADDR" help:"Address to listen at, 0.0.0.0 for all; without it this machine alone."`
}

// Check judges what the flags say by themselves.
func (f *MasterFlags) Check() error {
	if f.Port != nil && (*f.Port < 0 || *f.Port > 65535) {
		return fmt.Errorf("--port = %d: must lie in [0, 65535]", *f.Port)
	}
	_, err := newListening(f.Listen)
	return err
}

// OpenMaster starts a master alone, and prints to errs where it is reached.
func OpenMaster(errs io.Writer, flags MasterFlags) (*ros1.Master, error) {
	at, err := newListening(flags.Listen)
	if err != nil {
		return nil, err
	}
	if at.access, err = flags.rule(true, func(err error) { fmt.Fprintf(errs, "omnipitch: %v\n", err) }); err != nil {
		return nil, err
	}
	if err := errors.Join(CheckOpenFiles(nil), at.here()); err != nil {
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
		return nil, exit.Network(err)
	}
	if at.open() {
		fmt.Fprintf(errs, "omnipitch: %s\n", at.warning())
	}
	fmt.Fprintf(errs, "ROS 1 master at %s\n", m.URI())
	return m, nil
}
