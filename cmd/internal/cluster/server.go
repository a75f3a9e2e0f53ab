// Package cluster is how processes on one or on many machines reach each other: a NATS server inside this process, or
// another's by its address.
//
//	server, err := cluster.Serve(cluster.ServerConfig{Listen: "0.0.0.0:4222", Join: "join"})
//	fmt.Println(server.Hint())                // omnipitch worker --join join
//	join, err := cluster.ReadJoin("join")     // there, or where the file has been copied to
//	conn, err := join.Connect("worker")
//
// What goes beyond loopback is encrypted: a server that is given no certificate makes one, and the join file says by
// its checksum which it is.
package cluster

import (
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
)

// ServerConfig is a NATS server inside this process.
type ServerConfig struct {
	Folder string // of the files of JetStream; empty: without JetStream, which keeps nothing
	// PORT, on loopback, or HOST:PORT, which beyond loopback is encrypted; empty: this process alone reaches it
	Listen    string
	Cert, Key string // files of TLS; empty: beyond loopback a certificate of its own
	Encrypt   bool   // on loopback too
	Join      string // where the join file is written if it listens; the token of one that is there is kept
}

// Server is a NATS server inside this process.
type Server struct {
	*server.Server
	Address string // HOST:PORT; empty: it does not listen
	join    Join
	path    string // of the join file
}

// maxPayload bounds a message: a frame of a camera goes as one, of 1280 × 1024 pixels with 4 bytes each 5 MiB; NATS'
// own bound is 1 MiB. It advises against more than 8 MiB. Source: docs.nats.io, max_payload.
const maxPayload = 8 << 20

// readyWithin bounds how long a server may take to begin: it reads what it has stored.
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
		return nil, fmt.Errorf("NATS: the server in this process has not begun within %v", readyWithin)
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
		_, port, _ := net.SplitHostPort(s.Address) // which the system may have chosen
		s.join.Servers = append(s.join.Servers, scheme+net.JoinHostPort(host, port))
	}
	if err := s.join.write(c.Join); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// listen has the server take connections, of who knows the token, and returns the hosts by which it is reached.
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
	// Probe it first: the server would end the process for a port that is taken.
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
		return nil, fmt.Errorf("a join file is to be written where another file is: %w", err)
	}
	opts.Authorization = s.join.Token
	return reached, nil
}

// Hint is the command line that reaches the server. On another machine it is the same, with a copy of the join file.
func (s *Server) Hint() string { return "omnipitch worker --join " + console.Quote(s.path) }

// Connect returns a connection to the server, without a port.
func (s *Server) Connect() (*nats.Conn, error) {
	return nats.Connect("", nats.InProcessServer(s.Server), nats.Token(s.join.Token), nats.MaxReconnects(-1))
}

// leaveWithin is how long a server waits for workers to see that nothing is left. They ask once a second.
const leaveWithin = 3 * time.Second

// Dismiss gives workers that are connected a moment to leave, when nothing is left for them: without a server they
// would wait for it to begin again.
func (s *Server) Dismiss() {
	for begun := time.Now(); s.NumClients() > 0 && time.Since(begun) < leaveWithin; {
		time.Sleep(10 * time.Millisecond)
	}
}

// Close ends the server when all is on its disk.
func (s *Server) Close() {
	s.Shutdown()
	s.WaitForShutdown()
}
