package master

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/omnipitch/omnipitch/robotio/access"
	"github.com/omnipitch/omnipitch/robotio/ros1/internal/xmlrpc"
)

// Master is a running master.
type Master struct {
	uri    string
	log    *slog.Logger
	server *xmlrpc.Server
	calls  *callbacks

	ctx    context.Context // context that ends when the master closes
	cancel context.CancelFunc
	wait   sync.WaitGroup

	// Tests replace these.
	now   func() time.Time
	reach func(ctx context.Context, addr string) error

	mu       sync.Mutex
	reg      registry
	params   params
	dials    int       // see confirm
	reviewed time.Time // see confirm
}

// Listen starts a master. It fails if the configuration is invalid, or if the address is taken or is not an address of
// this machine.
func Listen(cfg Config) (*Master, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	cfg.Addr = cmp.Or(cfg.Addr, DefaultAddr)
	cfg.Log = cmp.Or(cfg.Log, slog.New(slog.DiscardHandler))
	l, err := net.Listen("tcp", cfg.Addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("ros master: %s: %w: is another master running? set another port, or use that master",
			cfg.Addr, syscall.EADDRINUSE)
	}
	if err != nil {
		return nil, fmt.Errorf("ros master: %s: %w", cfg.Addr, err)
	}
	host, _, _ := net.SplitHostPort(cfg.Addr)
	host = cmp.Or(cfg.Host, host)
	_, port, _ := net.SplitHostPort(l.Addr().String())
	m := newMaster("http://"+net.JoinHostPort(host, port)+"/", cfg.Log)
	// roslaunch refuses to use a master with an unknown run_id, and sets one if there is none.
	m.params.set("/run_id", runID())
	m.server = xmlrpc.Serve(l, cfg.Access.Guard("ros master", cfg.Log, host), m.handle)
	return m, nil
}

// newMaster returns a master that does not listen.
func newMaster(uri string, log *slog.Logger) *Master {
	m := &Master{uri: uri, log: log, calls: newCallbacks(log), reg: newRegistry(), now: time.Now, reach: reach}
	m.ctx, m.cancel = context.WithCancel(context.Background())
	return m
}

// URI returns the master's address, such as http://127.0.0.1:11311/.
func (m *Master) URI() string { return m.uri }

// Close stops listening, drops pending callbacks and waits for all goroutines.
func (m *Master) Close() error {
	err := m.server.Close()
	m.cancel()
	m.wait.Wait()
	m.calls.close()
	return err
}

// runID returns a random UUID, version 4.
func runID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// handle serves a call of the API.
func (m *Master) handle(_ context.Context, method string, args []any) (any, error) {
	a, ok := api[method]
	if !ok {
		return nil, fmt.Errorf("method %q is not supported", method)
	}
	c, err := a.check(args)
	if err != nil {
		return reply(-1, "ERROR: "+err.Error(), a.failed), nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.full(method, c); err != nil {
		m.log.Warn("ros master: call refused", "method", method, "caller", c.id, "error", err)
		return reply(-1, "ERROR: "+err.Error(), a.failed), nil
	}
	code, text, value := a.do(m, c)
	if uri := registers(method, c); uri != "" {
		m.confirm(uri)
	}
	m.log.Debug("ros master", "method", method, "caller", c.id, "args", args[1:], "status", text)
	return reply(code, text, value), nil
}

func reply(code int, text string, value any) any { return []any{code, text, value} }

// DefaultAddr is the default address of a ROS master, on loopback.
const DefaultAddr = "127.0.0.1:11311"

// Config configures a master.
type Config struct {
	Addr   string       // host:port to listen at; DefaultAddr if empty; port 0 means any free port
	Host   string       // host in the master's URI, which peers must be able to reach; the host in Addr if empty
	Access access.Rule  // host names and web pages from which requests are accepted
	Log    *slog.Logger // nil discards
}

// Validate reports every violation.
func (c Config) Validate() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf("ros master: "+format, args...)) }
	if c.Addr != "" {
		host, port, err := net.SplitHostPort(c.Addr)
		if n, bound := strconv.Atoi(port); err != nil || bound != nil || n < 0 || n > 65535 {
			bad("addr = %q: must be host:port, the port in [0, 65535]", c.Addr)
		} else if ip := net.ParseIP(host); c.Host == "" && (host == "" || ip != nil && ip.IsUnspecified()) {
			bad("addr = %q: listens at all addresses: host must name the one for peers", c.Addr)
		}
	}
	if c.Host != "" && !access.ValidHost(c.Host) {
		bad("host = %q: %s", c.Host, access.HostRule)
	}
	for _, err := range c.Access.Violations() {
		bad("%w", err)
	}
	return errors.Join(errs...)
}
