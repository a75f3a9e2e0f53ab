package dashboard

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/robotio/recorder"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
)

// deadline is how long a test waits for an expected result. It is a guess, far more than a busy machine needs.
const deadline = time.Minute

// until waits for a condition.
func until(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(deadline); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited %v for %s", deadline, what)
		}
	}
}

// load loads an included world, with its cameras at level objects.
func load(t testing.TB, name string) *worlds.World {
	t.Helper()
	w := must.Get(worlds.Load(name))(t)
	setCameras(w, func(c *sensors.Config) { c.Level = abstraction.Objects })
	return w
}

// setCameras changes all cameras of a world.
func setCameras(w *worlds.World, change func(*sensors.Config)) {
	for i := range w.Robots {
		for j := range w.Robots[i].Sensors {
			if c := &w.Robots[i].Sensors[j]; c.Image != nil {
				change(c)
			}
		}
	}
}

// small returns world planar with two robots and an obstacle. Its cameras have few pixels and are at level objects.
func small(t testing.TB) *worlds.World {
	t.Helper()
	w := load(t, "planar")
	w.Robots = append(w.Robots[:1:1], w.Robots[len(w.Robots)-1])
	w.Events, w.Expect = nil, nil
	setCameras(w, func(c *sensors.Config) { c.Image.Width, c.Image.Height = 120, 96 })
	return w
}

// looking returns the small world with cameras that take noise-free images of a size.
func looking(t testing.TB, width, height int) *worlds.World {
	t.Helper()
	w := small(t)
	setCameras(w, func(c *sensors.Config) {
		c.Level, c.Rate, c.Latency, c.Image.Width, c.Image.Height = abstraction.Ideal, 10, 0, width, height
	})
	return w
}

// camera names the first camera of a world's first robot.
func camera(t testing.TB, w *worlds.World) (robot, sensor string) {
	t.Helper()
	for _, c := range w.Robots[0].Sensors {
		if c.Kind.TakesImages() {
			return w.Robots[0].Name, c.Name
		}
	}
	t.Fatal("there is no camera")
	return "", ""
}

// served is the dashboard of a running simulation, with a client.
type served struct {
	*Server
	*simServer // server of the run
	t          testing.TB
	sim        *omnipitch.Sim
	open       func(*render.Scene) (render.Renderer, error)
	drawn      atomic.Int64 // number of rendered images
	truth      atomic.Pointer[physics.Snapshot]
	stop       func() // ends the run and the dashboard, like the end of the test
}

// counter counts the images that a renderer draws.
type counter struct {
	render.Renderer
	drawn *atomic.Int64
}

func (c counter) Render(b *render.Batch) error {
	c.drawn.Add(int64(len(b.Views)))
	return c.Renderer.Render(b)
}

// option changes how serve runs a world.
type option func(*served, *Config)

// drawnBy chooses the renderer; without it, the ray caster draws.
func drawnBy(open func(*render.Scene) (render.Renderer, error)) option {
	return func(s *served, _ *Config) { s.open = open }
}

// listening sets the address and the folder for recordings.
func listening(addr, dir string) option {
	return func(_ *served, cfg *Config) {
		cfg.Addr = addr
		cfg.Recordings = Recordings{Folders: []string{dir}, Into: dir, Config: recorder.Config{Program: "test"}}
	}
}

// serve runs a world in real time with a dashboard, at a free port without other options.
func serve(t testing.TB, w *worlds.World, options ...option) *served {
	t.Helper()
	s := &served{t: t, open: backend.RayCaster}
	cfg := Config{Addr: "127.0.0.1:0"}
	for _, change := range options {
		change(s, &cfg)
	}
	opts := omnipitch.Options{NewRenderer: func(scene *render.Scene) (render.Renderer, error) {
		r, err := s.open(scene)
		return counter{r, &s.drawn}, err
	}}
	cfg.Beside, cfg.Recordings.Tap = opts, &recorder.Tap{}
	cfg.Recordings.Tap.Hook(&opts)
	s.sim = must.Get(omnipitch.New(w, opts))(t)
	cfg.Recordings.Tap.Follow(s.sim)
	s.Server = must.Get(Listen(s.sim, cfg))(t)
	s.simServer = s.run
	s.sim.OnStep(func(now *physics.Snapshot) { s.truth.Store(now.Clone()) })
	ctx, end := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		_, err := s.sim.Run(ctx, omnipitch.Pace{Speed: timesync.RealTime})
		done <- err
	}()
	s.stop = sync.OnceFunc(func() {
		end()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		s.sim.Close()
	})
	t.Cleanup(s.stop)
	until(t, "the first step", func() bool { return s.truth.Load() != nil })
	return s
}

// simulate waits until some sim time has passed.
func (s *served) simulate(d time.Duration) {
	s.t.Helper()
	end := s.truth.Load().Time + d
	until(s.t, fmt.Sprintf("%v of sim time", d), func() bool { return s.truth.Load().Time >= end })
}

// send sends a request as a page of the server does, unless change modifies it.
func (s *served) send(method, path, body string, change func(*http.Request)) (int, http.Header, []byte) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	r := must.Get(http.NewRequestWithContext(ctx, method, "http://"+s.Addr().String()+path,
		strings.NewReader(body)))(s.t)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if change != nil {
		change(r)
	}
	resp := must.Get(http.DefaultClient.Do(r))(s.t)
	defer resp.Body.Close()
	answer := must.Get(io.ReadAll(resp.Body))(s.t)
	return resp.StatusCode, resp.Header, answer
}

// header returns a change of a request that sets a header.
func header(name, value string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set(name, value) }
}

// call sends a request, checks the status of its answer, and decodes the answer.
func call[T any](s *served, method, path, body string, want int) (answer T) {
	s.t.Helper()
	status, _, text := s.send(method, path, body, nil)
	if status != want {
		s.t.Fatalf("%s %s %s: got %d, %s, want %d", method, path, body, status, text, want)
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		s.t.Fatalf("%s: %v in %s", path, err, text)
	}
	return answer
}

// get gets an answer that must succeed.
func get[T any](s *served, path string) T {
	s.t.Helper()
	return call[T](s, "GET", path, "", http.StatusOK)
}

// post sends a command that must succeed, do an action.
func (s *served) post(path, body string) {
	s.t.Helper()
	call[any](s, "POST", path, body, http.StatusOK)
}
func (s *served) do(action string) { s.t.Helper(); s.post("/api/do", action) }

// refuses checks that a request is refused with a status, in one line that contains a text. Requests with a body are
// commands.
func (s *served) refuses(path, body string, status int, want string) (refusal refusalJSON) {
	s.t.Helper()
	method := "GET"
	if body != "" {
		method = "POST"
	}
	got, _, text := s.send(method, path, body, nil)
	if err := json.Unmarshal(text, &refusal); err != nil || got != status || refusal.Error == "" ||
		!strings.Contains(refusal.Error, want) || strings.Contains(refusal.Error, "\n") {
		s.t.Errorf("%s %s %s: got %d, %s, want %d and a line with %q", method, path, body, got, text, status, want)
	}
	return refusal
}

// dial opens a WebSocket.
func (s *served) dial(path string) *websocket.Conn {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	c, _, err := websocket.Dial(ctx, "ws://"+s.Addr().String()+path, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	c.SetReadLimit(1 << 20)
	s.t.Cleanup(func() { _ = c.CloseNow() })
	return c
}

// read reads messages until one satisfies the condition.
func (s *served) read(c *websocket.Conn, what string, ok func(message []byte) bool) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	for {
		_, message, err := c.Read(ctx)
		if err != nil {
			s.t.Fatalf("waited for %s: %v", what, err)
		}
		if ok(message) {
			return
		}
	}
}

// next reads states until one satisfies the condition. A nil condition accepts any state.
func (s *served) next(c *websocket.Conn, what string, ok func(*stateJSON) bool) (now *stateJSON) {
	s.t.Helper()
	s.read(c, what, func(message []byte) bool {
		now = new(stateJSON)
		must.Do(s.t, json.Unmarshal(message, now))
		return ok == nil || ok(now)
	})
	return now
}
