// Package cluster connects processes on one or many machines through a NATS server. The server runs in one of the
// processes, or is an external server.
//
//	server, err := cluster.Serve(cluster.ServerConfig{Listen: "0.0.0.0:4222", Join: "join"})
//	fmt.Println(server.Hint())                // omnipitch worker --join join
//	join, err := cluster.ReadJoin("join")     // on this machine or, with a copy of the file, on another
//	conn, err := join.Connect("worker")
//
// Connections between machines are encrypted. If the server has no certificate, it makes a self-signed certificate. The
// join file contains the checksum of this certificate.
package cluster

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
)

// ServerConfig configures a NATS server inside this process.
type ServerConfig struct {
	Folder string // folder for the data of JetStream; empty if JetStream is off
	// Listen is PORT, which means on loopback, or HOST:PORT. Connections are encrypted unless HOST is loopback. If
	// Listen is empty, only this process can connect.
	Listen    string
	Cert, Key string // TLS files; if empty, a self-signed certificate is made when encryption is needed
	Encrypt   bool   // encrypt on loopback, too
	Join      string // path of the join file; the token of an existing file is kept
}

// Server is a NATS server inside this process.
type Server struct {
	*server.Server
	Address string // HOST:PORT; empty if the server does not listen
	join    Join
	path    string // path of the join file
}

// maxPayload is the maximum size of a message, in bytes. A camera frame is one message: 1280 × 1024 pixels of 4 bytes
// are 5 MiB. The default of NATS is 1 MiB, and NATS advises against more than 8 MiB. Source: docs.nats.io, max_payload.
const maxPayload = 8 << 20

// readyWithin is the maximum time that a server may take to start. During this time it reads its stored data.
const readyWithin = time.Minute

// Serve starts a server.
func Serve(c ServerConfig) (*Server, error) {
	opts := &server.Options{
		ServerName: "omnipitch", JetStream: c.Folder != "", StoreDir: c.Folder, MaxPayload: maxPayload, NoSigs: true,
		NoLog: true, DontListen: c.Listen == "", NoSystemAccount: true,
	}
	s := &Server{path: c.Join}
	var reached []string
	if c.Listen != "" {
		var err error
		if reached, err = s.listen(&c, opts); err != nil {
			return nil, err
		}
	}
	var err error
	if s.Server, err = server.NewServer(opts); err != nil {
		return nil, fmt.Errorf("NATS: %w", err)
	}
	go s.Start()
	if !s.ReadyForConnections(readyWithin) {
		s.Shutdown()
		return nil, fmt.Errorf("NATS: the server in this process did not start within %v", readyWithin)
	}
	if c.Listen == "" {
		return s, nil
	}
	s.Address = s.Addr().String()
	scheme := "nats://"
	if s.join.Certificate != "" {
		scheme = "tls://"
	}
	for _, host := range reached {
		_, port, _ := net.SplitHostPort(s.Address) // the system may have chosen the port
		s.join.Servers = append(s.join.Servers, scheme+net.JoinHostPort(host, port))
	}
	if err := s.join.write(c.Join); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// listen configures the server to accept connections that present the token. It returns the names and addresses at
// which the server can be reached.
func (s *Server) listen(c *ServerConfig, opts *server.Options) (reached []string, err error) {
	host, port, err := listenAddress(c.Listen)
	if err != nil {
		return nil, err
	}
	if opts.Host, opts.Port = host, port; port == 0 {
		opts.Port = server.RANDOM_PORT
	}
	reached = hosts(host)
	if c.Cert != "" || c.Encrypt || !isLoopback(host) {
		cert, err := certificate(c, reached)
		if err != nil {
			return nil, err
		}
		opts.TLS, opts.TLSConfig, opts.TLSTimeout = true, &tls.Config{Certificates: []tls.Certificate{cert},
			MinVersion: tls.VersionTLS12}, 5
		s.join.Certificate = checksum(cert.Certificate[0])
	}
	// Test first whether the port is free. If the port is in use, the server would end this process.
	probe, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
	if err != nil {
		return nil, err
	}
	probe.Close()
	old, err := ReadJoin(c.Join)
	switch {
	case err == nil:
		s.join.Token = old.Token
	case errors.Is(err, os.ErrNotExist):
		s.join.Token = rand.Text()
	default:
		return nil, fmt.Errorf("the join file would replace another file: %w", err)
	}
	opts.Authorization = s.join.Token
	return reached, nil
}

// Hint returns the command line that starts a worker for this server. It also works on another machine that has a copy
// of the join file.
func (s *Server) Hint() string { return "omnipitch worker --join " + console.Quote(s.path) }

// Connect returns a connection to this server within the process.
func (s *Server) Connect() (*nats.Conn, error) {
	return nats.Connect("", nats.InProcessServer(s.Server), nats.Token(s.join.Token), nats.MaxReconnects(-1))
}

// leaveWithin is the maximum time for which Dismiss waits for workers. Workers ask for work once a second.
const leaveWithin = 3 * time.Second

// Dismiss waits until all workers have noticed that no work is left and have disconnected, but at most leaveWithin.
// Call it before Close: workers that are still connected would wait for the server to restart.
func (s *Server) Dismiss() {
	for begun := time.Now(); s.NumClients() > 0 && time.Since(begun) < leaveWithin; {
		time.Sleep(10 * time.Millisecond)
	}
}

// Close writes all data of the server to disk and stops the server.
func (s *Server) Close() {
	s.Shutdown()
	s.WaitForShutdown()
}

// listenAddress parses an address to listen at: PORT, which means on loopback, or HOST:PORT.
func listenAddress(text string) (host string, port int, err error) {
	host, number, err := net.SplitHostPort(text)
	if err != nil {
		host, number = "127.0.0.1", text
	}
	port, err = strconv.Atoi(number)
	if err != nil || port < 0 || port > 65535 || host == "" {
		return "", 0, fmt.Errorf("listen = %q: must be PORT, or HOST:PORT", text)
	}
	return host, port, nil
}

// hosts returns the names and addresses at which other machines may reach a server that listens on host. The most
// likely name comes first. If the server listens on all interfaces, hosts returns the addresses of the interfaces that
// are up, in the order of the system, and then the name of the machine.
func hosts(host string) []string {
	ip := net.ParseIP(host)
	if ip == nil || !ip.IsUnspecified() {
		return []string{host}
	}
	var four, six []string
	interfaces, _ := net.Interfaces() // if this fails, only the machine's name remains
	for _, i := range interfaces {
		if i.Flags&net.FlagUp == 0 || i.Flags&net.FlagLoopback != 0 {
			continue
		}
		addresses, _ := i.Addrs()
		for _, a := range addresses {
			n, ok := a.(*net.IPNet)
			switch {
			// Skip link-local addresses: they need the name of a network interface, which differs between machines.
			case !ok || !n.IP.IsGlobalUnicast():
			case n.IP.To4() != nil:
				four = append(four, n.IP.String())
			case ip.To4() == nil:
				six = append(six, n.IP.String())
			}
		}
	}
	all := slices.Concat(four, six)
	if name, err := os.Hostname(); err == nil && name != "" {
		all = append(all, name)
	}
	if len(all) == 0 {
		all = []string{"127.0.0.1"}
	}
	return all
}

// certificate loads the certificate from the files that c names. Without such files it makes a self-signed certificate.
// This certificate is stored in the folder of the server, so that clients accept the server after a restart. Without a
// folder it exists only in memory.
func certificate(c *ServerConfig, hosts []string) (tls.Certificate, error) {
	if c.Cert != "" {
		cert, err := tls.LoadX509KeyPair(c.Cert, c.Key)
		if err != nil {
			err = fmt.Errorf("TLS: %w", err)
		}
		return cert, err
	}
	if c.Folder == "" {
		text, err := selfSigned(hosts)
		if err != nil {
			return tls.Certificate{}, err
		}
		return tls.X509KeyPair(text, text)
	}
	path := filepath.Join(c.Folder, "certificate.pem")
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		if text, err = selfSigned(hosts); err == nil {
			err = os.MkdirAll(c.Folder, 0o750)
		}
		if err == nil {
			err = writePrivate(path, text)
		}
	}
	if err != nil {
		return tls.Certificate{}, err
	}
	cert, err := tls.X509KeyPair(text, text)
	if err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return cert, err
}

// validFor is the time for which a self-signed certificate is valid. It is longer than any sweep takes.
const validFor = 10 * 365 * 24 * time.Hour

// selfSigned returns a self-signed certificate for the given names and addresses, together with its private key, as
// PEM.
func selfSigned(hosts []string) ([]byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return nil, err
	}
	now := time.Now()
	form := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: "omnipitch"}, NotBefore: now.Add(-time.Hour),
		NotAfter: now.Add(validFor),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	for _, host := range hosts {
		if ip := net.ParseIP(host); ip != nil {
			form.IPAddresses = append(form.IPAddresses, ip)
		} else {
			form.DNSNames = append(form.DNSNames, host)
		}
	}
	cert, err := x509.CreateCertificate(rand.Reader, form, form, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	return append(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})...), nil
}
