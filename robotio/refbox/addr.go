package refbox

import (
	"errors"
	"net"
	"strconv"
	"strings"

	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// DefaultPort is the port at which the box listens. Source: the box's config.json, basestationServerPort.
const DefaultPort = "28097"

// ParseAddr completes the address of a box to host:port. A host alone gets DefaultPort, a port alone gets 127.0.0.1.
func ParseAddr(text string) (addr string, err error) {
	host, port := text, DefaultPort
	switch {
	case isPort(text):
		host, port = "127.0.0.1", text
	case net.ParseIP(text) == nil && strings.Contains(text, ":"):
		if host, port, err = net.SplitHostPort(text); err != nil || !isPort(port) {
			return "", errAddr
		}
	}
	if host == "" || strings.ContainsAny(host, " /\t\n") {
		return "", errAddr
	}
	return net.JoinHostPort(host, port), nil
}

// Check returns an error if the address of a world's box is invalid.
func Check(w *worlds.World) error {
	if _, err := ParseAddr(w.Refbox.Address); err != nil && w.NoErrorAt("refbox") {
		return w.Locate(&schema.Violation{Path: "refbox", Key: "address", Value: w.Refbox.Address, Rule: err.Error()})
	}
	return nil
}

var errAddr = errors.New("must be HOST:PORT, HOST or PORT")

func isPort(text string) bool {
	n, err := strconv.Atoi(text)
	return err == nil && n >= 0 && n <= 65535
}
