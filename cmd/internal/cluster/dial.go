package cluster

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/nats-io/nats.go"
)

// Dial is how another's server is reached.
type Dial struct {
	URL       string
	Creds     string // file of NATS credentials; empty: none
	TokenFile string
	CA        string // file of certificates that the server's is signed by; empty: the system's
	Cert, Key string // files of this client's own
}

// patience is how a connection is made, and made again.
func patience(name string) []nats.Option {
	return []nats.Option{nats.Name(name), nats.MaxReconnects(120), nats.ReconnectWait(500 * time.Millisecond),
		nats.ReconnectJitter(0, 0), nats.Timeout(5 * time.Second)}
}

// Connect connects. Later it waits through a server's restart, for a minute at most.
func (d *Dial) Connect(name string) (*nats.Conn, error) {
	opts := patience(name)
	if d.Creds != "" {
		opts = append(opts, nats.UserCredentials(filepath.Clean(d.Creds)))
	}
	if d.TokenFile != "" {
		token, err := os.ReadFile(d.TokenFile)
		if err != nil {
			return nil, err
		}
		opts = append(opts, nats.Token(string(token)))
	}
	if d.CA != "" {
		opts = append(opts, nats.RootCAs(d.CA))
	}
	if d.Cert != "" {
		opts = append(opts, nats.ClientCert(d.Cert, d.Key))
	}
	conn, err := nats.Connect(d.URL, opts...)
	if err != nil {
		return nil, fmt.Errorf("NATS at %s: %w", d.URL, err)
	}
	return conn, nil
}
