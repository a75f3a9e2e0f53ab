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
	"mime/multipart"
	"net/http"
	"net/textproto"
	"strconv"
	"time"

	"github.com/coder/websocket"
	"github.com/klauspost/compress/gzhttp"

	"github.com/omnipitch/omnipitch"
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
	mux := http.NewServeMux()
	mux.Handle("GET /", gzhttp.GzipHandler(http.FileServerFS(page)))
	mux.HandleFunc("GET /api/openapi.yaml", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/yaml")
		http.ServeFileFS(w, r, page, "openapi.yaml")
	})
	mux.HandleFunc("GET /api/depth.png", serveDepthScale)
	mux.Handle("GET /api/", s.first())
	mux.Handle("POST /api/", s.first())
	mux.HandleFunc("GET /api/recordings", s.serveRecordings)
	mux.HandleFunc("POST /api/recordings", s.serveRecord)
	mux.HandleFunc("GET /api/results", s.serveResults)
	s.replays.routes(mux)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		if s.guard.Admit(w, r) && s.admitOrigin(w, r) && s.admitToken(w, r) && s.begin() {
			defer s.wait.Done()
			mux.ServeHTTP(w, r)
		}
	})
}

// first answers requests about the simulation that the page shows first.
func (s *Server) first() http.Handler {
	if s.run != nil {
		return s.run
	}
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusNotFound, errorJSON{"there is no run: choose a recording"})
	})
}

// answer sends a value as JSON.
func answer(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	extendWriteDeadline(w)
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value) // fails if the client has disconnected
}

// extendWriteDeadline restarts the time that a client has to receive an answer. Producing it may have taken long: the
// first image waits for the renderer.
func extendWriteDeadline(w http.ResponseWriter) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeTime))
}

// noReadDeadline removes the deadline for sending a request, so that the answer to the request may take longer.
func noReadDeadline(w http.ResponseWriter) {
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
}

type errorJSON struct {
	Error string `json:"error"`
}

// refusalJSON explains why a request was refused.
type refusalJSON struct {
	Error string `json:"error"`
	Key   string `json:"key,omitempty"` // the key of an action whose value is wrong
}

// refuse answers that a request is refused, and why: the error is one sentence.
func refuse(w http.ResponseWriter, err error) {
	status := http.StatusBadRequest
	switch {
	case errors.Is(err, errWaits):
		status = http.StatusAccepted
	case errors.Is(err, omnipitch.ErrReplaying):
		status = http.StatusConflict
	case errors.Is(err, omnipitch.ErrClosed):
		status = http.StatusServiceUnavailable
	case errors.As(err, new(*http.MaxBytesError)):
		status = http.StatusRequestEntityTooLarge
	}
	answer(w, status, refusalJSON{err.Error(), wrongKey(err)})
}

func (s *simServer) serveWorld(w http.ResponseWriter, _ *http.Request) {
	world, id := s.states.current()
	j := worldOf(world, id)
	if s.replay != nil {
		span := s.replay.Span()
		j.Replay = &replayJSON{span.From.Seconds(), span.To.Seconds(), s.replay.Plays()}
	}
	answer(w, http.StatusOK, j)
}

func (s *simServer) serveState(w http.ResponseWriter, r *http.Request) { s.serveStates(w, r, false) }

// serveStates streams the newest states, or their poses, over a WebSocket.
func (s *simServer) serveStates(w http.ResponseWriter, r *http.Request, poses bool) {
	v, ok := s.states.enter(maxSockets, poses)
	if !ok {
		answer(w, http.StatusServiceUnavailable, errorJSON{fmt.Sprintf("%d clients are connected: must be at most %d",
			maxSockets, maxSockets)})
		return
	}
	defer s.states.leave(v)
	// The guard has checked the origin.
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{InsecureSkipVerify: true})
	if err != nil {
		return // Accept has answered
	}
	defer conn.CloseNow()
	conn.SetReadLimit(maxMessage)
	ctx, kind := conn.CloseRead(s.ctx), websocket.MessageText
	if poses {
		kind = websocket.MessageBinary
	}
	for {
		select {
		case text := <-v.next:
			if err := send(ctx, conn, kind, text); err != nil {
				return
			}
		case <-ctx.Done():
			return
		}
	}
}

func send(ctx context.Context, conn *websocket.Conn, kind websocket.MessageType, text []byte) error {
	ctx, cancel := context.WithTimeout(ctx, writeTime)
	defer cancel()
	return conn.Write(ctx, kind, text)
}

// serveFrame sends the next frame of a camera: its image, or its data at levels without images.
func (s *simServer) serveFrame(w http.ResponseWriter, r *http.Request) {
	width, err := numberOf(r, "width", mostWidth, mostWidth)
	with, err2 := overlaysOf(r.URL.Query().Get("overlay"))
	depth := false
	switch of := r.URL.Query().Get("picture"); of {
	case "depth":
		depth = true
	case "", "color":
	default:
		err = errors.Join(err, fmt.Errorf("picture = %.40q: must be color or depth", of))
	}
	s.serveNext(w, r, true, with, errors.Join(err, err2), func(f *frame) (body []byte, kind string, err error) {
		if f.obs.Color == nil {
			body, err = f.seen()
			return body, "application/json", err
		}
		body, kind, err = f.picture(picture{width, depth})
		if with == 0 || err != nil {
			return body, kind, err
		}
		drawn, err := f.overlay(with)
		if err != nil {
			return nil, "", err
		}
		return together(body, kind, drawn)
	})
}

// together combines a picture with the overlays of the same frame. It returns a multipart form, which browsers can
// parse, and its media type.
func together(picture []byte, kind string, drawn []byte) ([]byte, string, error) {
	var out bytes.Buffer
	form := multipart.NewWriter(&out)
	part, err := form.CreatePart(textproto.MIMEHeader{"Content-Disposition": {`form-data; name="picture"; filename="picture"`}, "Content-Type": {kind}})
	if err == nil {
		_, err = part.Write(picture)
	}
	err = errors.Join(err, form.WriteField("overlay", string(drawn)), form.Close())
	return out.Bytes(), form.FormDataContentType(), err
}

// serveReading sends the next reading of a sensor without images.
func (s *simServer) serveReading(w http.ResponseWriter, r *http.Request) {
	s.serveNext(w, r, false, 0, nil, func(f *frame) ([]byte, string, error) {
		body, err := f.reading()
		return body, "application/json", err
	})
}

// serveNext sends the next frame of a sensor, encoded by the function encode. If wrong is not nil it refuses the
// request with that error in the query.
func (s *simServer) serveNext(w http.ResponseWriter, r *http.Request, camera bool, with overlays, wrong error,
	encode func(*frame) (body []byte, kind string, err error)) {
	after, err := numberOf(r, "after", 0, 1<<62)
	feed, unknown := s.feeds.find(r.PathValue("robot"), r.PathValue("sensor"), camera)
	if unknown != nil {
		answer(w, http.StatusNotFound, errorJSON{unknown.Error()})
		return
	}
	if err := errors.Join(wrong, err); err != nil {
		refuse(w, err)
		return
	}
	select {
	case s.looks <- struct{}{}:
		defer func() { <-s.looks }()
	default:
		answer(w, http.StatusServiceUnavailable,
			errorJSON{fmt.Sprintf("%d requests wait for frames: must be at most %d", maxLooks, maxLooks)})
		return
	}
	noReadDeadline(w) // the deadline for sending the request would end the wait
	f, err := feed.next(r.Context(), uint64(after), with)
	if errors.Is(err, errNoFrame) {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	if err != nil {
		answer(w, http.StatusServiceUnavailable, errorJSON{err.Error()})
		return
	}
	h := w.Header()
	h.Set("Omnipitch-Frame", strconv.FormatUint(f.serial, 10))
	h.Set("Omnipitch-Level", string(f.obs.Level))
	h.Set("Omnipitch-Stamp", strconv.FormatFloat(f.obs.Stamp.Seconds(), 'f', -1, 64))
	body, kind, err := encode(f)
	f.release()
	if err != nil {
		answer(w, http.StatusInternalServerError, errorJSON{err.Error()})
		return
	}
	h.Set("Content-Type", kind)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	extendWriteDeadline(w)
	_, _ = w.Write(body) // fails if the client has disconnected
}

// serveDepthScale sends the colours of depth images, nearest first.
func serveDepthScale(w http.ResponseWriter, _ *http.Request) {
	body, err := depthScale()
	if err != nil {
		answer(w, http.StatusInternalServerError, errorJSON{err.Error()})
		return
	}
	w.Header().Set("Content-Type", "image/png")
	_, _ = w.Write(body)
}

// numberOf returns the value of a key of a query, an integer from 0 to most. If the query does not have the key, it
// returns the default value, which is the argument without.
func numberOf(r *http.Request, key string, without, most int) (int, error) {
	text := r.URL.Query().Get(key)
	if text == "" {
		return without, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > most {
		return 0, fmt.Errorf("%s = %.40q: must be an integer in [0, %d]", key, text, most)
	}
	return n, nil
}

// bodyOfRequest reads the body of a command. The body's media type must be JSON: for that type, browsers ask this
// server for permission before they send a command from a page of another origin.
func bodyOfRequest(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind != "application/json" {
		return nil, fmt.Errorf("Content-Type = %.80q: must be application/json", r.Header.Get("Content-Type"))
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		return nil, fmt.Errorf("body: must be read within %v, and have at most %d bytes: %w", headerTime, maxBody, err)
	}
	return body, nil
}

// decode decodes a command that is not an action.
func decode(body []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("body: %w", err)
	}
	return nil
}

func (s *simServer) serveDo(w http.ResponseWriter, r *http.Request) {
	body, err := bodyOfRequest(w, r)
	if err != nil {
		refuse(w, err)
		return
	}
	key, a, err := decodeAction(body)
	if err == nil {
		err = s.do(r.Context(), key, a)
	}
	if err != nil {
		refuse(w, err)
		return
	}
	answer(w, http.StatusOK, struct{}{})
}

func (s *simServer) serveStep(w http.ResponseWriter, r *http.Request) {
	body, err := bodyOfRequest(w, r)
	if err != nil {
		refuse(w, err)
		return
	}
	in := struct {
		Steps int `json:"steps"`
	}{1}
	if err := decode(body, &in); err != nil {
		refuse(w, err)
		return
	}
	if err := s.step(r.Context(), in.Steps); err != nil {
		refuse(w, err)
		return
	}
	answer(w, http.StatusOK, struct {
		Time float64 `json:"time_s"`
	}{s.sim.Clock().Time().Seconds()})
}
