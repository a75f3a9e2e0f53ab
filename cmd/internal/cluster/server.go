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

// ServerConfig configures a NATS server inside this process.
type ServerConfig struct {
	Folder string // for the data of JetStream; empty: without JetStream
	// Listen is PORT, which means on loopback, or HOST:PORT. Connections are encrypted unless HOST is loopback. If
	// Listen is empty, only this process can connect.
	Listen    string
	Cert, Key string // TLS files; empty: a self-signed certificate if encrypted
	Encrypt   bool   // encrypt on loopback, too
	Join      string // path of the join file; the token of an existing file is kept
}

// Server is a NATS server inside this process.
type Server struct {
	*server.Server
	Address string // HOST:PORT; empty if it does not listen
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

// Dismiss waits for at most leaveWithin until all workers have disconnected, because they have noticed that no work is
// left. Call it before Close: workers that are still connected would wait for the server to restart.
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
