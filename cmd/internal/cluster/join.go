package cluster

import (
	"bytes"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/nats-io/nats.go"

	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// Join is the content of a join file: the addresses and the credentials of a server. The file serves processes on this
// machine and on other machines. The file is the permission to connect.
type Join struct {
	Servers     []string `toml:"servers" required:"true" maxlen:"100" doc:"addresses of the server, the best first: tls://HOST:PORT, or nats://HOST:PORT on this machine"`
	Token       string   `toml:"token" doc:"token of the server"`
	Certificate string   `toml:"certificate_sha256" doc:"SHA-256 of the server's certificate, in hexadecimal; only with tls://"`
}

// Limits of a join file.
const (
	maxJoin  = 64 << 10 // bytes
	minToken = 16       // minimum length of a token, in characters: 16 characters of rand.Text have 80 random bits
	maxToken = 256
)

// ReadJoin reads a join file, which may be a pipe. The error joins all violations, each with its line and column.
func ReadJoin(path string) (*Join, error) {
	file, err := os.Open(filepath.Clean(path))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxJoin+1))
	if err != nil {
		return nil, err
	}
	return parseJoin(path, text)
}

func parseJoin(name string, text []byte) (*Join, error) {
	if len(text) > maxJoin {
		return nil, fmt.Errorf("%s: is no join file: it is larger than %d KiB", name, maxJoin>>10)
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

// validate checks what the struct tags cannot express.
func (j *Join) validate() error {
	var errs []error
	fail := func(key string, value any, rule string) {
		errs = append(errs, &schema.Violation{Key: key, Value: value, Rule: rule})
	}
	if len(j.Servers) == 0 {
		fail("servers", nil, "must have at least one address")
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
			fail(key, text, "must be tls://HOST:PORT: connections to other machines must be encrypted")
		} else if encrypted != (u.Scheme == "tls") {
			fail(key, text, "must be tls:// with certificate_sha256, and nats:// without")
			break // the same rule is broken for all addresses: report it once
		}
	}
	if len(j.Token) < minToken || len(j.Token) > maxToken || strings.ContainsFunc(j.Token,
		func(c rune) bool { return c <= ' ' || c > '~' }) {
		fail("token", nil, fmt.Sprintf("must have %d to %d characters, of ASCII, without spaces", minToken, maxToken))
	}
	if sum, err := hex.DecodeString(j.Certificate); encrypted && (err != nil || len(sum) != sha256.Size) {
		fail("certificate_sha256", j.Certificate, fmt.Sprintf("must have %d hexadecimal digits", 2*sha256.Size))
	}
	return errors.Join(errs...)
}

// isLoopback reports whether a host is a loopback address. The address 0.0.0.0 is not a loopback address, because other
// machines can reach a server that listens at it.
func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// write writes the join file, readable only by its owner.
func (j *Join) write(path string) error {
	if err := j.validate(); err != nil {
		return err
	}
	var text bytes.Buffer
	text.WriteString("# Everybody who has this file may connect: omnipitch worker --join FILE\nservers = [")
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

// writePrivate writes a file atomically. From the first byte on, only the owner of the file may read it.
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

// Connect connects to the server at the first address that answers, as [Dial.Connect] does.
func (j *Join) Connect(name string) (*nats.Conn, error) {
	// Use only the addresses in the file. A server may announce further addresses before it has shown its certificate.
	// Such addresses are not trusted.
	opts := append(reconnectOptions(name), nats.Token(j.Token), nats.DontRandomize(), nats.IgnoreDiscoveredServers())
	if j.Certificate != "" {
		opts = append(opts, nats.Secure(pinned(j.Certificate)))
	}
	conn, err := nats.Connect(strings.Join(j.Servers, ","), opts...)
	if err != nil {
		return nil, fmt.Errorf("NATS at %s: %w", strings.Join(j.Servers, ", "), err)
	}
	return conn, nil
}

// pinned returns a TLS configuration that accepts only the certificate with the checksum sum. The server proves in the
// handshake that it has the private key of the certificate. The server's name, the issuer of the certificate and the
// period of validity do not matter.
func pinned(sum string) *tls.Config {
	return &tls.Config{
		MinVersion:         tls.VersionTLS13,
		InsecureSkipVerify: true, // VerifyConnection verifies instead
		VerifyConnection: func(state tls.ConnectionState) error {
			if len(state.PeerCertificates) == 0 || checksum(state.PeerCertificates[0].Raw) != strings.ToLower(sum) {
				return errors.New("the certificate of the server differs from the join file: it is another server, " +
					"or the file is out of date")
			}
			return nil
		},
	}
}

func checksum(certificate []byte) string {
	sum := sha256.Sum256(certificate)
	return hex.EncodeToString(sum[:])
}

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

// MostUnpacked is the maximum size of an unpacked bundle, in bytes. It is the limit of package worlds for a bundle in
// JSON.
const MostUnpacked = 128 << 20

// Pack compresses a bundle and returns its checksum.
func Pack(b worlds.Bundle) (data []byte, sum string, err error) {
	text, err := json.Marshal(b)
	if err != nil {
		return nil, "", err
	}
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, "", err
	}
	data = enc.EncodeAll(text, nil)
	hash := sha256.Sum256(data)
	return data, hex.EncodeToString(hash[:]), nil
}

// Unpack unpacks a bundle after verifying its checksum.
func Unpack(data []byte, sum string) (b worlds.Bundle, err error) {
	if hash := sha256.Sum256(data); hex.EncodeToString(hash[:]) != sum {
		return nil, errors.New("bundle of the world: wrong checksum")
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(MostUnpacked))
	if err != nil {
		return nil, err
	}
	defer dec.Close()
	text, err := dec.DecodeAll(data, nil)
	if err == nil {
		err = json.Unmarshal(text, &b)
	}
	if err != nil {
		return nil, fmt.Errorf("bundle of the world: %w", err)
	}
	return b, nil
}
