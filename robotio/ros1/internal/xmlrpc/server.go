package xmlrpc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/omnipitch/omnipitch/robotio/access"
	"github.com/omnipitch/omnipitch/robotio/admission"
)

// Limits of a server. Body sizes are guesses: a robot description takes about 1 MB as a parameter. Rates are guesses: a
// script that sets parameters one by one makes about 1000 calls per second, each on its own connection.
const (
	maxBody   = 16 << 20 // maximum size of a call or response, bytes
	smallBody = 64 << 10 // size in bytes above which a call counts as large
	maxLarge  = 16       // maximum number of large calls that are read at the same time; see package admission
	// maximum size of the results of one system.multicall, bytes; the calls beyond this size are refused
	maxResults = 4 << 20
	maxRate    = 1000 // maximum rate of calls on one connection, per second; calls above the rate wait
	maxBurst   = 2000 // number of calls before maxRate applies
	readTime   = 10 * time.Second
	idleTime   = 2 * time.Minute
	maxHeaders = 16 << 10 // bytes
)

// discardLog drops net/http's messages about misbehaving peers. Such a peer gets an error or loses its connection.
var discardLog = log.New(io.Discard, "", 0)

// Handler handles a call. If it returns an error, the caller receives a fault. The code of a *Fault is kept.
type Handler func(ctx context.Context, method string, args []any) (any, error)

// Server serves XML-RPC calls on a listener.
type Server struct {
	http    http.Server
	guard   *access.Guard
	handler Handler
	large   *admission.Places // of large calls that are being read
	done    chan struct{}

	mu     sync.RWMutex // each running call holds a read lock
	closed bool
}

// Serve serves calls on l that guard admits, until Close. In addition to the handler's methods it offers
// system.multicall, which roslaunch needs.
func Serve(l net.Listener, guard *access.Guard, h Handler) *Server {
	s := &Server{guard: guard, handler: h, large: admission.NewPlaces(maxLarge), done: make(chan struct{})}
	s.http = http.Server{
		Handler: s, ReadHeaderTimeout: readTime, ReadTimeout: readTime, IdleTimeout: idleTime,
		MaxHeaderBytes: maxHeaders, ErrorLog: discardLog,
		ConnContext: func(ctx context.Context, _ net.Conn) context.Context {
			return context.WithValue(ctx, callsKey{}, rate.NewLimiter(maxRate, maxBurst))
		},
	}
	go func() {
		defer close(s.done)
		_ = admission.Serve(&s.http, l) // ends with ErrServerClosed
	}()
	return s
}

// Close closes the listener and every connection, and waits for handlers.
func (s *Server) Close() error {
	err := s.http.Close()
	<-s.done
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	return err
}

// callsKey is the key of a connection's rate limiter in the context of its calls.
type callsKey struct{}

// ServeHTTP serves one call.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return
	}
	if !s.guard.Admit(w, r) {
		return
	}
	if r.Method != http.MethodPost {
		http.Error(w, "XML-RPC: must be POST", http.StatusMethodNotAllowed)
		return
	}
	if t := r.Header.Get("Content-Type"); !isXML(t) {
		http.Error(w, fmt.Sprintf("XML-RPC: content type = %.80q: must be text/xml", t),
			http.StatusUnsupportedMediaType)
		return
	}
	raw, err := s.read(w, r)
	if err != nil {
		w.Header().Set("Connection", "close")
		http.Error(w, "XML-RPC: "+err.Error(), http.StatusBadRequest)
		return
	}
	_ = r.Context().Value(callsKey{}).(*rate.Limiter).Wait(r.Context()) // an error means that the client has left
	out := s.answer(r.Context(), raw)
	w.Header().Set("Content-Type", "text/xml")
	w.Header().Set("Content-Length", strconv.Itoa(len(out))) // xmlrpcpp does not read chunked bodies
	_, _ = w.Write(out)                                      // an error means that the peer has left
}

// isXML reports whether a content type is empty, or is a type that ROS clients send. Without permission (CORS),
// browsers can send only requests with other types. isXML is needed because old browsers send such requests from a form
// without Origin.
func isXML(contentType string) bool {
	t, _, _ := strings.Cut(contentType, ";")
	t = strings.ToLower(strings.TrimSpace(t))
	return t == "" || t == "text/xml" || t == "application/xml"
}

// read reads a call. It reads at most maxLarge large calls at the same time, to limit the memory. If there are more, it
// ends one of the others.
func (s *Server) read(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if r.ContentLength < 0 || r.ContentLength > smallBody {
		place := &admission.Conn{Close: func() error {
			return http.NewResponseController(w).SetReadDeadline(time.Unix(1, 0)) // in the past
		}}
		s.large.Take(place)
		defer s.large.Leave(place)
	}
	return io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
}

func (s *Server) answer(ctx context.Context, raw []byte) []byte {
	method, args, err := decodeCall(raw)
	if err != nil {
		return encodeFault(&Fault{-32700, "not an XML-RPC call: " + err.Error()})
	}
	v, err := s.dispatch(ctx, method, args)
	if err == nil {
		var out []byte
		if out, err = encodeResponse(v); err == nil {
			return out
		}
	}
	return encodeFault(asFault(err))
}

func (s *Server) dispatch(ctx context.Context, method string, args []any) (any, error) {
	if method == "system.multicall" {
		return s.multicall(ctx, args)
	}
	return s.handler(ctx, method, args)
}

// multicall handles a list of calls. Each result is a list of one value, or a fault's struct. Source: the
// system.multicall proposal of 2001, as Python's xmlrpc.client uses it.
func (s *Server) multicall(ctx context.Context, args []any) (any, error) {
	if len(args) != 1 {
		return nil, fmt.Errorf("system.multicall: %d arguments: must be 1", len(args))
	}
	calls, ok := args[0].([]any)
	if !ok {
		return nil, errors.New("system.multicall: must be an array of structs")
	}
	results := make([]any, 0, len(calls))
	total := 0
	for _, c := range calls {
		m, _ := c.(map[string]any)
		name, ok1 := m["methodName"].(string)
		params, ok2 := m["params"].([]any)
		var v any
		err := errors.New("system.multicall: must have methodName and params, and no multicall")
		switch {
		case total > maxResults:
			err = fmt.Errorf("system.multicall: results of %d bytes: must be at most %d bytes", total, maxResults)
		case ok1 && ok2 && name != "system.multicall":
			v, err = s.handler(ctx, name, params)
			total += Size(v)
		}
		if err != nil {
			f := asFault(err)
			results = append(results, map[string]any{"faultCode": f.Code, "faultString": f.Text})
			continue
		}
		results = append(results, []any{v})
	}
	return results, nil
}

func asFault(err error) *Fault {
	var f *Fault
	if errors.As(err, &f) {
		return f
	}
	return &Fault{1, err.Error()}
}
