// Package cluster is how processes on one or on many machines reach each other: a NATS server inside this process, or another's by its address.
//
//	server, err := cluster.Serve(cluster.ServerConfig{Folder: folder, Listen: "4222", TokenFile: "token"})
//	conn, err := (&cluster.Dial{URL: "nats://127.0.0.1:4222", TokenFile: "token"}).Connect("worker")
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
)

// ServerConfig is a NATS server inside this process.
type ServerConfig struct {
	Folder    string // of the files of JetStream; empty: without JetStream, which keeps nothing
	Listen    string // PORT, on loopback, or HOST:PORT; empty: this process alone reaches it
	Cert, Key string // files of TLS; without them it listens on loopback alone
	TokenFile string // where the token is written that others have to know
}

// Server is a NATS server inside this process.
type Server struct {
	*server.Server
	Address string // HOST:PORT; empty: it does not listen
	token   string
}

// readyWithin bounds how long a server may take to begin: it reads what it has stored.
const readyWithin = time.Minute

// Serve starts a server.
func Serve(c ServerConfig) (*Server, error) {
	opts := &server.Options{ServerName: "omnipitch", JetStream: c.Folder != "", StoreDir: c.Folder, NoSigs: true, NoLog: true, DontListen: c.Listen == "", NoSystemAccount: true}
	s := &Server{}
	if c.Listen != "" {
		if err := s.listen(&c, opts); err != nil {
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
	if c.Listen != "" {
		s.Address = s.Addr().String()
	}
	return s, nil
}

// listen has the server take connections, of who knows the token.
func (s *Server) listen(c *ServerConfig, opts *server.Options) error {
	host, port, err := listenAddress(c.Listen)
	if err != nil {
		return err
	}
	if opts.Host, opts.Port = host, port; port == 0 {
		opts.Port = server.RANDOM_PORT
	}
	if c.Cert != "" {
		cert, err := tls.LoadX509KeyPair(c.Cert, c.Key)
		if err != nil {
			return fmt.Errorf("TLS: %w", err)
		}
		opts.TLS, opts.TLSConfig, opts.TLSTimeout = true, &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS12}, 5
	} else if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return fmt.Errorf("listen = %q: beyond loopback needs TLS: a certificate and its key", c.Listen)
	}
	// Probe it first: the server would end the process for a port that is taken.
	probe, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
	if err != nil {
		return err
	}
	probe.Close()
	token, err := os.ReadFile(c.TokenFile)
	if errors.Is(err, os.ErrNotExist) {
		token = []byte(rand.Text())
		err = os.WriteFile(c.TokenFile, token, 0o600)
	}
	if err != nil {
		return err
	}
	s.token = string(token)
	opts.Authorization = s.token
	return nil
}

// listenAddress reads PORT, which is on loopback, or HOST:PORT.
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

// Connect returns a connection to the server, without a port.
func (s *Server) Connect() (*nats.Conn, error) {
	return nats.Connect("", nats.InProcessServer(s.Server), nats.Token(s.token), nats.MaxReconnects(-1))
}

// leaveWithin is how long a server waits for workers to see that nothing is left. They ask once a second.
const leaveWithin = 3 * time.Second

// Dismiss gives workers that are connected a moment to leave, when nothing is left for them: without a server they would wait for it to begin again.
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
