package cluster

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/nats-io/nats.go"
)

// Dial is the address of a NATS server with the credentials of a client.
type Dial struct {
	URL       string
	Creds     string // file with NATS credentials; empty: none
	TokenFile string
	CA        string // file with the CA certificates that verify the server; empty: those of the system
	Cert, Key string // files with the client's own certificate and key
}

// reconnectOptions returns the options for a connection that is restored after an interruption. name is the name of the
// client.
func reconnectOptions(name string) []nats.Option {
	return []nats.Option{nats.Name(name), nats.MaxReconnects(120), nats.ReconnectWait(500 * time.Millisecond),
		nats.ReconnectJitter(0, 0), nats.Timeout(5 * time.Second)}
}

// Connect connects to the server. Later, if the server restarts within a minute, the connection is restored.
func (d *Dial) Connect(name string) (*nats.Conn, error) {
	opts := reconnectOptions(name)
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
