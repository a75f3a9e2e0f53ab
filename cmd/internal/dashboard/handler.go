package dashboard

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/coder/websocket"
	"github.com/klauspost/compress/gzhttp"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/robotio/admission"
)

// assets are the page as browsers get it, and the description of the API.
//
//go:embed assets
var assets embed.FS

// importMap is the hash of the import map in index.html, the only inline script. The import map tells npm's modules
// where three.js is; the modules accept no other way.
const importMap = "sha256-29WI3f0lmFBmlTeg84u39lbSwHQ2UZjsAjVN0GFyWBU="

// policy lets the page load nothing from other hosts and run no other code, and forbids embedding it in other pages.
const policy = "default-src 'none'; script-src 'self' '" + importMap + "'; style-src 'self'; img-src 'self' blob: " +
	"data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

func (s *Server) handler() http.Handler {
	page, _ := fs.Sub(assets, "assets") // cannot fail
	run := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.run == nil {
			refuse(w, statusError{errors.New("there is no run: choose a recording"), http.StatusNotFound})
			return
		}
		s.run.ServeHTTP(w, r)
	})
	mux := http.NewServeMux()
	mux.Handle("GET /", gzhttp.GzipHandler(http.FileServerFS(page)))
	mux.HandleFunc("GET /api/openapi.yaml", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/yaml")
		http.ServeFileFS(w, r, page, "openapi.yaml")
	})
	mux.HandleFunc("GET /api/depth.png", func(w http.ResponseWriter, _ *http.Request) {
		body, err := depthScale()
		write(w, "image/png", body, err)
	})
	mux.Handle("GET /api/", run)
	mux.Handle("POST /api/", run)
	mux.Handle("GET /api/recordings", answers(s.recordings))
	mux.Handle("POST /api/recordings", commands(s.record))
	mux.Handle("GET /api/results", answers(s.results))
	s.replays.routes(mux)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		if s.guard.Admit(w, r) && s.admitOrigin(w, r) && s.admitToken(w, r) && s.enter() {
			defer s.wait.Done()
			mux.ServeHTTP(w, r)
		}
	})
}

// gate counts requests, so that a server can wait for them when it closes.
type gate struct {
	wait sync.WaitGroup

	mu     sync.Mutex
	closed bool
}

// enter counts a request, which must call wait.Done. It returns false after shut.
func (g *gate) enter() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.closed {
		g.wait.Add(1)
	}
	return !g.closed
}

// shut lets no further request enter.
func (g *gate) shut() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = true
}

// answers returns a handler that sends the result of f as JSON, or f's error. f may take longer than the deadline for
// sending a request.
func answers(f func(r *http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		noReadDeadline(w)
		value, err := f(r)
		answer(w, value, err)
	}
}

// commands returns a handler that calls f with the body of a request, and sends the result as the function answers
// does. The media type of the body must be JSON: for that type, browsers ask this server for permission before they
// send a command from a page of another origin.
func commands(f func(ctx context.Context, body []byte) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind != "application/json" {
			refuse(w, fmt.Errorf("Content-Type = %.80q: must be application/json", r.Header.Get("Content-Type")))
			return
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
		if err != nil {
			refuse(w, fmt.Errorf("body: must be read within %v, and have at most %d bytes: %w", headerTime, maxBody,
				err))
			return
		}
		answers(func(r *http.Request) (any, error) { return f(r.Context(), body) })(w, r)
	}
}

// decode decodes the body of a command that is not an action.
func decode(body []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("body: %w", err)
	}
	return nil
}

// answer sends a value as JSON or, if err is not nil, the error.
func answer(w http.ResponseWriter, value any, err error) {
	if err != nil {
		refuse(w, err)
		return
	}
	body, err := json.Marshal(value)
	write(w, "application/json", append(body, '\n'), err)
}

// write sends a body with its media type or, if err is not nil, says that producing the body has failed.
func write(w http.ResponseWriter, kind string, body []byte, err error) {
	if err != nil {
		refuse(w, statusError{err, http.StatusInternalServerError})
		return
	}
	send(w, http.StatusOK, kind, body)
}

// send sends an answer. It restarts the time that a client has to receive the answer, because producing the answer may
// have taken long: the first image waits for the renderer.
func send(w http.ResponseWriter, status int, kind string, body []byte) {
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeTime))
	w.WriteHeader(status)
	_, _ = w.Write(body) // fails if the client has disconnected
}

// noReadDeadline removes the deadline for sending a request, so that the answer to the request may take longer.
func noReadDeadline(w http.ResponseWriter) {
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
}

// statusError is an error with the HTTP status of its answer.
type statusError struct {
	error
	status int
}

// refusalJSON explains why a request was refused.
type refusalJSON struct {
	Error string `json:"error"`
	Key   string `json:"key,omitempty"` // the key of an action whose value is wrong
}

// refuse answers that a request is refused, and why: the error is one sentence.
func refuse(w http.ResponseWriter, err error) {
	status := http.StatusBadRequest
	switch known, ok := errors.AsType[statusError](err); {
	case ok:
		status = known.status
	case errors.Is(err, omnipitch.ErrReplaying):
		status = http.StatusConflict
	case errors.Is(err, omnipitch.ErrClosed):
		status = http.StatusServiceUnavailable
	case errors.As(err, new(*http.MaxBytesError)):
		status = http.StatusRequestEntityTooLarge
	}
	body, _ := json.Marshal(refusalJSON{err.Error(), wrongKey(err)}) // cannot fail
	send(w, status, "application/json", append(body, '\n'))
}

// shared is a value that clients share while it is fresh, so that many clients cost no more than one.
type shared[T any] struct {
	mu    sync.Mutex
	made  time.Time // wall time
	value T
	err   error
}

// get returns the value and its error. If they are older than fresh, a wall time, it first gets new ones from the
// function renew. Other calls wait meanwhile.
func (s *shared[T]) get(fresh time.Duration, renew func() (T, error)) (T, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.made.IsZero() || time.Since(s.made) > fresh {
		s.value, s.err = renew()
		s.made = time.Now()
	}
	return s.value, s.err
}

// serveStates returns a handler that streams the newest states, or their poses, over a WebSocket.
func (s *simServer) serveStates(poses bool) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		// admitOrigin has checked the origin.
		conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{InsecureSkipVerify: true})
		if err != nil {
			return // Accept has answered
		}
		defer conn.CloseNow()
		conn.SetReadLimit(maxMessage)
		ctx, leave := takePlace(s.ctx, s.sockets, r)
		defer leave()
		v := s.states.enter(poses)
		defer s.states.leave(v)
		ctx, kind := conn.CloseRead(ctx), websocket.MessageText
		if poses {
			kind = websocket.MessageBinary
		}
		for {
			select {
			case message := <-v.next:
				within, cancel := context.WithTimeout(ctx, writeTime)
				err := conn.Write(within, kind, message)
				cancel()
				if err != nil {
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}
}

// takePlace takes a place for a request, and perhaps ends another request for it. The returned context ends when
// another request takes the place.
func takePlace(ctx context.Context, places *admission.Places, r *http.Request) (held context.Context, leave func()) {
	held, cancel := context.WithCancel(ctx)
	addr, _, _ := net.SplitHostPort(r.RemoteAddr)
	place := &admission.Conn{Addr: addr, Close: func() error { cancel(); return nil }}
	places.Take(place) // it cannot fail: no place has the rank Known
	return held, func() {
		places.Leave(place)
		cancel()
	}
}

// serveNext returns a handler that sends the next frame of a camera, or the next reading of another sensor.
func (s *simServer) serveNext(camera bool) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		feed, err := s.feeds.find(r.PathValue("robot"), r.PathValue("sensor"), camera)
		var q frameQuery
		if err == nil {
			q, err = frameQueryOf(r)
		}
		if err != nil {
			refuse(w, err)
			return
		}
		ctx, leave := takePlace(r.Context(), s.waiting, r)
		defer leave()
		noReadDeadline(w) // the deadline for sending the request would end the wait
		f, err := feed.next(ctx, q.after, q.with)
		if errors.Is(err, errNoFrame) {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		if err != nil {
			refuse(w, statusError{err, http.StatusServiceUnavailable})
			return
		}
		h := w.Header()
		h.Set("Omnipitch-Frame", strconv.FormatUint(f.serial, 10))
		h.Set("Omnipitch-Level", string(f.obs.Level))
		h.Set("Omnipitch-Stamp", strconv.FormatFloat(f.obs.Stamp.Seconds(), 'f', -1, 64))
		body, kind, err := f.encode(q)
		f.release()
		write(w, kind, body, err)
	}
}

// numberOf returns the value of a key of a query, an integer from 0 to limit. If the query does not have the key,
// numberOf returns fallback.
func numberOf(r *http.Request, key string, fallback, limit int) (int, error) {
	text := r.URL.Query().Get(key)
	if text == "" {
		return fallback, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > limit {
		return 0, fmt.Errorf("%s = %.40q: must be an integer in [0, %d]", key, text, limit)
	}
	return n, nil
}
