package cluster

import (
	"bytes"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go"

	"github.com/omnipitch/omnipitch/worlds/schema"
)

// Join is what a join file has: all that another process, on this machine or on another, needs to reach a server. Who
// has it is let in.
type Join struct {
	Servers     []string `toml:"servers" required:"true" maxlen:"100" doc:"addresses of the one server, the best first: tls://HOST:PORT, or nats://HOST:PORT on this machine"`
	Token       string   `toml:"token" doc:"what the server asks for"`
	Certificate string   `toml:"certificate_sha256" doc:"SHA-256 of the server's certificate, in hexadecimal digits; with tls:// alone"`
}

// Bounds of a join file.
const (
	mostJoin   = 64 << 10 // bytes
	leastToken = 16       // characters: 80 bits as rand.Text draws them
	mostToken  = 256
)

// ReadJoin reads a join file, which may be a pipe. The error joins all that is wrong with it, with places.
func ReadJoin(path string) (*Join, error) {
	file, err := os.Open(filepath.Clean(path))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, mostJoin+1))
	if err != nil {
		return nil, err
	}
	return parseJoin(path, text)
}

func parseJoin(name string, text []byte) (*Join, error) {
	if len(text) > mostJoin {
		return nil, fmt.Errorf("%s: is no join file: it has more than %d KiB", name, mostJoin>>10)
	}
	file, err := schema.Parse(name, text)
	if err != nil {
		return nil, err
	}
	j := &Join{}
	if err := file.Bind(j); err != nil {
		return nil, err
	}
	return j, file.Locate(j.validate())
}

// validate reports what tags cannot say.
func (j *Join) validate() error {
	var errs []error
	fail := func(key string, value any, rule string) {
		errs = append(errs, &schema.Violation{Key: key, Value: value, Rule: rule})
	}
	if len(j.Servers) == 0 {
		fail("servers", nil, "must have an address at least")
	}
	encrypted := j.Certificate != ""
	for i, text := range j.Servers {
		key := fmt.Sprintf("servers[%d]", i)
		u, err := url.Parse(text)
		if err == nil {
			_, err = strconv.ParseUint(u.Port(), 10, 16)
		}
		if err != nil || u.Scheme != "nats" && u.Scheme != "tls" || u.Hostname() == "" ||
			text != u.Scheme+"://"+u.Host {
			fail(key, text, "must be tls://HOST:PORT or nats://HOST:PORT")
		} else if u.Scheme == "nats" && !isLoopback(u.Hostname()) {
			fail(key, text, "must be tls://HOST:PORT: nothing goes to another machine without encryption")
		} else if encrypted != (u.Scheme == "tls") {
			fail(key, text, "tls:// needs certificate_sha256, and nats:// does not go with it")
			break // which goes for all
		}
	}
	if len(j.Token) < leastToken || len(j.Token) > mostToken || strings.ContainsFunc(j.Token,
		func(c rune) bool { return c <= ' ' || c > '~' }) {
		fail("token", nil, fmt.Sprintf("must have %d to %d characters, of ASCII, without spaces", leastToken,
			mostToken))
	}
	if sum, err := hex.DecodeString(j.Certificate); encrypted && (err != nil || len(sum) != sha256.Size) {
		fail("certificate_sha256", j.Certificate, fmt.Sprintf("must have %d hexadecimal digits", 2*sha256.Size))
	}
	return errors.Join(errs...)
}

// isLoopback tells whether a host is this machine by itself, whatever names it may have. To listen at 0.0.0.0, which
// leads to it too, is to be reached by others.
func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// write writes the join file, for its owner alone.
func (j *Join) write(path string) error {
	if err := j.validate(); err != nil {
		return err
	}
	var text bytes.Buffer
	text.WriteString("# Who has this file is let in: omnipitch worker --join FILE\nservers = [")
	for i, s := range j.Servers {
		if i > 0 {
			text.WriteString(", ")
		}
		fmt.Fprintf(&text, "%q", s)
	}
	fmt.Fprintf(&text, "]\ntoken = %q\n", j.Token)
	if j.Certificate != "" {
		fmt.Fprintf(&text, "certificate_sha256 = %q\n", j.Certificate)
	}
	return writePrivate(path, text.Bytes())
}

// writePrivate writes a file as a whole, which its owner alone may read from its first byte on.
func writePrivate(path string, text []byte) error {
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*") // of mode 0600
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		os.Remove(file.Name())
	}
	return err
}

// Connect connects to the server by the first of its addresses at which it is, as [Dial.Connect] does.
func (j *Join) Connect(name string) (*nats.Conn, error) {
	// The file has all addresses; what a server says of itself, before it has shown its certificate, counts for
	// nothing.
	opts := append(patience(name), nats.Token(j.Token), nats.DontRandomize(), nats.IgnoreDiscoveredServers())
	if j.Certificate != "" {
		opts = append(opts, nats.Secure(pinned(j.Certificate)))
	}
	conn, err := nats.Connect(strings.Join(j.Servers, ","), opts...)
	if err != nil {
		return nil, fmt.Errorf("NATS at %s: %w", strings.Join(j.Servers, ", "), err)
	}
	return conn, nil
}

// pinned trusts the one certificate of that checksum, whatever it says: its holder proves in the handshake that he has
// its key, which never leaves the server. So neither the name by which it is reached, nor who has signed it, nor a
// clock that is wrong, matters.
func pinned(sum string) *tls.Config {
	return &tls.Config{
		MinVersion:         tls.VersionTLS13,
		InsecureSkipVerify: true, // which leaves it to VerifyConnection
		VerifyConnection: func(state tls.ConnectionState) error {
			if len(state.PeerCertificates) == 0 || checksum(state.PeerCertificates[0].Raw) != strings.ToLower(sum) {
				return errors.New("the server has another certificate than the join file says: it is another one, or " +
					"the file is an old one")
			}
			return nil
		},
	}
}

func checksum(certificate []byte) string {
	sum := sha256.Sum256(certificate)
	return hex.EncodeToString(sum[:])
}
