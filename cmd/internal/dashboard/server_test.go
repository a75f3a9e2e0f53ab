package dashboard

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"image/jpeg"
	"io"
	"math"
	"net"
	"net/http"
	"os"
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

// served is the dashboard of a running simulation.
type served struct {
	*Server
	*simServer // server of the run
	t          testing.TB
	sim        *omnipitch.Sim
	drawn      *atomic.Int64 // number of rendered images
	truth      *atomic.Pointer[physics.Snapshot]
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

// small returns world planar with two robots and an obstacle. Its cameras have few pixels and are at level objects.
func small(t testing.TB) *worlds.World {
	t.Helper()
	w, err := worlds.Load("planar")
	if err != nil {
		t.Fatal(err)
	}
	w.Robots = append(w.Robots[:1:1], w.Robots[len(w.Robots)-1])
	w.Events, w.Expect = nil, nil
	for i := range w.Robots {
		for j := range w.Robots[i].Sensors {
			if c := &w.Robots[i].Sensors[j]; c.Image != nil {
				c.Level = abstraction.Objects
				c.Image.Width, c.Image.Height = 120, 96
			}
		}
	}
	return w
}

// serve runs a world in real time with a dashboard at a free port.
func serve(t testing.TB, w *worlds.World) *served {
	t.Helper()
	return serveDrawnBy(t, w, backend.RayCaster)
}

// serveDrawnBy is serve with another renderer.
func serveDrawnBy(t testing.TB, w *worlds.World, open func(*render.Scene) (render.Renderer, error)) *served {
	t.Helper()
	return serveAs(t, w, open, func(*served, *Config) {})
}

// serveWith is serve with a modified configuration.
func serveWith(t testing.TB, w *worlds.World, change func(*served, *Config)) *served {
	t.Helper()
	return serveAs(t, w, backend.RayCaster, change)
}

// serveAt is serve at an address, with a folder for recordings.
func serveAt(t testing.TB, w *worlds.World, addr, dir string) *served {
	t.Helper()
	return serveWith(t, w, func(_ *served, cfg *Config) {
		cfg.Addr = addr
		cfg.Recordings = Recordings{Folders: []string{dir}, Into: dir, Tap: cfg.Recordings.Tap,
			Config: recorder.Config{Program: "test"}}
	})
}

func serveAs(t testing.TB, w *worlds.World, open func(*render.Scene) (render.Renderer, error),
	change func(*served, *Config)) *served {
	t.Helper()
	s := &served{t: t, drawn: new(atomic.Int64), truth: new(atomic.Pointer[physics.Snapshot])}
	drawn := omnipitch.Options{NewRenderer: func(scene *render.Scene) (render.Renderer, error) {
		r, err := open(scene)
		return counter{r, s.drawn}, err
	}}
	cfg := Config{Addr: "127.0.0.1:0", Beside: drawn}
	opts := drawn
	tap := &recorder.Tap{}
	tap.Hook(&opts)
	var err error
	if s.sim, err = omnipitch.New(w, opts); err != nil {
		t.Fatal(err)
	}
	tap.Follow(s.sim)
	cfg.Recordings.Tap = tap
	change(s, &cfg)
	if s.Server, err = Listen(s.sim, cfg); err != nil {
		t.Fatal(err)
	}
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

// send sends a request as a page of the server does, unless change modifies it.
func (s *served) send(method, path, body string, change func(*http.Request)) (int, http.Header, []byte) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, "http://"+s.Addr().String()+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if change != nil {
		change(r)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return resp.StatusCode, resp.Header, answer
}

// do executes an action that must succeed.
func (s *served) do(action string) {
	s.t.Helper()
	if status, _, answer := s.send("POST", "/api/do", action, nil); status != http.StatusOK {
		s.t.Fatalf("%s: %d, %s", action, status, answer)
	}
}

// post sends a command and checks the status of its answer.
func (s *served) post(path, body string, want int) {
	s.t.Helper()
	if status, _, answer := s.send("POST", path, body, nil); status != want {
		s.t.Fatalf("%s %s: %d, %s, want %d", path, body, status, answer, want)
	}
}

// watch opens a WebSocket for the states of the run. watchAt opens one for a simulation whose API has another path.
func (s *served) watch() *websocket.Conn { return s.watchAt("/api") }

func (s *served) watchAt(path string) *websocket.Conn {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	c, _, err := websocket.Dial(ctx, "ws://"+s.Addr().String()+path+"/state", nil)
	if err != nil {
		s.t.Fatal(err)
	}
	c.SetReadLimit(1 << 20)
	s.t.Cleanup(func() { _ = c.CloseNow() })
	return c
}

// next reads states until one satisfies the condition.
func (s *served) next(c *websocket.Conn, what string, ok func(*stateJSON) bool) *stateJSON {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	for {
		_, text, err := c.Read(ctx)
		if err != nil {
			s.t.Fatalf("waited for %s: %v", what, err)
		}
		var now stateJSON
		if err := json.Unmarshal(text, &now); err != nil {
			s.t.Fatal(err)
		}
		if ok(&now) {
			return &now
		}
	}
}

// TestStateFollowsTruth checks that states equal those of the simulation, in the order of the world's description. A
// paused run stands still, can be stepped, and shows bodies that were placed.
func TestStateFollowsTruth(t *testing.T) {
	s := serve(t, small(t))
	_, _, text := s.send("GET", "/api/world", "", nil)
	var w worldJSON
	if err := json.Unmarshal(text, &w); err != nil {
		t.Fatal(err)
	}
	world := s.sim.World()
	if len(w.Robots) != 2 || w.Robots[1].Name != world.Robots[1].Name || len(w.Marks) != len(world.Field.Marks()) ||
		!(w.Ball > 0.05) {
		t.Errorf("got %s", text)
	}
	c := s.watch()
	first := s.next(c, "a state", func(*stateJSON) bool { return true })
	if n := len(world.Robots[0].Sensors) + len(world.Robots[1].Sensors); len(first.Robots) != 2 ||
		len(first.Levels) != n || first.World != w.ID {
		t.Errorf("got %+v, want 2 robots, %d levels, world %d", first, n, w.ID)
	}
	s.next(c, "time to go on", func(now *stateJSON) bool { return now.Time > first.Time })

	s.do(`{"pause": {}}`)
	paused := s.next(c, "the pause", func(now *stateJSON) bool { return now.Paused })
	s.do(`{"place": {"name": "` + world.Robots[1].Name + `", "x_m": 2, "y_m": -1.5, "heading_deg": 90}}`)
	placed := s.next(c, "the robot to be placed", func(now *stateJSON) bool { return now.Robots[1].X > 1.99 })
	truth := s.truth.Load()
	if r := placed.Robots[1]; !(math.Abs(r.X-2) < 1e-3 && math.Abs(r.Y+1.5) < 1e-3 && math.Abs(r.Heading-90) < 1e-2) {
		t.Errorf("placed at %+v", r)
	}
	if placed.Step != paused.Step || placed.Step != truth.Step {
		t.Errorf("paused at step %d, placed at %d, the simulation is at %d", paused.Step, placed.Step, truth.Step)
	}
	if status, _, answer := s.send("POST", "/api/step", `{"steps": 3}`, nil); status != http.StatusOK {
		t.Errorf("step: %d, %s", status, answer)
	}
	stepped := s.next(c, "three steps", func(now *stateJSON) bool { return now.Step >= paused.Step+3 })
	truth = s.truth.Load()
	if stepped.Step != paused.Step+3 || truth.Step != stepped.Step {
		t.Errorf("at step %d, the simulation at %d, want %d", stepped.Step, truth.Step, paused.Step+3)
	}
	if p := truth.Robots[1].PoseWB.Pos; !(math.Abs(p[0]-2) < 0.01 && math.Abs(p[1]+1.5) < 0.01) {
		t.Errorf("the robot stands at %v", p)
	}
	s.do(`{"set_speed": {"speed": "2"}}`)
	s.do(`{"resume": {}}`)
	s.next(c, "speed 2", func(now *stateJSON) bool { return !now.Paused && now.Speed == "2" })
	s.do(`{"place": {"name": "ball", "x_m": -1, "y_m": 0, "vx_m_s": 4}}`)
	s.next(c, "the ball to roll", func(now *stateJSON) bool {
		return now.Ball.X > -0.5 && now.Ball.VX > 0.5 &&
			now.Ball.X < 4
	})
	status, _, answer := s.send("POST", "/api/step", `{}`, nil)
	if want := "pause it first"; status != http.StatusBadRequest || !strings.Contains(string(answer), want) {
		t.Errorf("step while it runs: %d, %s", status, answer)
	}
}

// TestWrongCommands checks that the error of a command is one sentence in the terms of world files.
func TestWrongCommands(t *testing.T) {
	s := serve(t, small(t))
	robot, sensor := camera(t, s.sim.World())
	for _, c := range []struct{ body, want string }{
		{`{"place": {"name": "ball", "x_m": 60}}`, "place: x_m = 60: must lie in [-50, 50]"},
		{`{"place": {"x_m": 1}}`, "place: name: must be given"},
		{`{"place": {"name": "bal"}}`, `name = "bal": is neither ball, robot nor obstacle`},
		{`{"place": {"name": "ball", "x": 1}}`, "place: x = 1: unknown key; did you mean x_m?"},
		{`{"place": {"name": "ball", "x_m": 1, "x_m": 2}}`, ""},
		{`{"plaec": {"name": "ball"}}`, `action: plaec = {"name" = "ball"}: unknown key; did you mean place?`},
		{`{"place": 1}`, "action: place = 1: must be a table"},
		{`{"place": {"name": "ball", "x_m": "1"}}`, `place: x_m = "1": must be a number`},
		{`{"set_level": {"robot": "cyan9", "sensor": "omni", "level": "raw"}}`, "cyan9"},
		{`{"set_level": {"robot": "` + robot + `", "sensor": "` + sensor + `", "level": "seen"}}`, `level = "seen"`},
		{`{"set_speed": {"speed": "fast"}}`, "fast"},
		{`{}`, `action: has 0 keys: must have one, as {"pause": {}} has`},
		{`{"pause": {}, "resume": {}}`, "action: has 2 keys"},
		{`{"pause": null}`, "action: null is no value: leave the key out"},
		{`[]`, "action: must be a JSON object"},
		{`{"pause": {}`, "action: is no JSON: it ends before the object does"},
		{`{"pause": {}} {}`, "action: must be one JSON object, with nothing after it"},
		{`{"pause": ` + strings.Repeat("[", 50), "action: is nested deeper than 16 levels"},
		{`pause`, "action: is no JSON"},
	} {
		status, _, answer := s.send("POST", "/api/do", c.body, nil)
		var e refusalJSON
		if err := json.Unmarshal(answer, &e); err != nil || status != http.StatusBadRequest ||
			!strings.Contains(e.Error, c.want) || e.Error == "" || strings.Contains(e.Error, "\n") {
			t.Errorf("%s: %d, %q, want %q", c.body, status, e.Error, c.want)
		}
	}
	for _, c := range []struct {
		name   string
		status int
		body   string
		change func(*http.Request)
	}{
		{"a form's type", 400, `{"pause": {}}`, func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") }},
		{"a huge one", 413, `{"pause": {"x": "` + strings.Repeat("a", maxBody) + `"}}`, nil},
		{"another origin", 403, `{"pause": {}}`,
			func(r *http.Request) { r.Header.Set("Origin", "https://example.org") }},
		{"another server of this machine", 403, `{"pause": {}}`,
			func(r *http.Request) { r.Header.Set("Origin", "http://localhost:3000") }},
		{"a name that is not ours", 403, `{"pause": {}}`, func(r *http.Request) { r.Host = "rebound.example.org" }},
	} {
		if status, _, answer := s.send("POST", "/api/do", c.body, c.change); status != c.status {
			t.Errorf("%s: %d, %s, want %d", c.name, status, answer, c.status)
		}
	}
	if s.sim.Clock().Paused() {
		t.Error("a refused command has paused the run")
	}
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	_, resp, err := websocket.Dial(ctx, "ws://"+s.Addr().String()+"/api/state",
		&websocket.DialOptions{HTTPHeader: http.Header{"Origin": {"https://example.org"}}})
	if err == nil || resp == nil || resp.StatusCode != http.StatusForbidden {
		t.Errorf("a page of another origin watches: %v", err)
	}
	if _, header, _ := s.send("GET", "/main.js", "", func(r *http.Request) {
		r.Header.Set("Accept-Encoding",
			"gzip")
	}); header.Get("Content-Encoding") != "gzip" {
		t.Error("the page is not sent compressed")
	}
	for path, want := range map[string]int{"/": 200, "/main.js": 200, "/api/openapi.yaml": 200, "/assets/": 404,
		"/../server.go": 404, "/api/cameras/cyan1/none/next": 404, "/api/cameras/" + robot + "/" + sensor +
			"/next?width=-1": 400} {
		if status, _, _ := s.send("GET", path, "", nil); status != want {
			t.Errorf("GET %s: %d, want %d", path, status, want)
		}
	}
}

// camera names a camera of the small world.
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

// TestCameraForWhoLooks checks that a camera is subscribed and rendered only while somebody views it. A viewer at
// another level gets the level that exists.
func TestCameraForWhoLooks(t *testing.T) {
	s := serve(t, small(t))
	robot, sensor := camera(t, s.sim.World())
	path := "/api/cameras/" + robot + "/" + sensor + "/next"
	status, head, body := s.send("GET", path, "", nil)
	var seen seenJSON
	if err := json.Unmarshal(body, &seen); err != nil || status != 200 || head.Get("Omnipitch-Level") != "objects" ||
		seen.Level != "objects" {
		t.Fatalf("%d, %v, %s", status, head, body)
	}
	s.do(`{"set_level": {"robot": "` + robot + `", "sensor": "` + sensor + `", "level": "ideal"}}`)
	after := "0"
	for head.Get("Omnipitch-Level") != "ideal" { // earlier frames are still under way
		after = head.Get("Omnipitch-Frame")
		status, head, body = s.send("GET", path+"?width=80&after="+after, "", nil)
	}
	m, err := jpeg.Decode(bytes.NewReader(body))
	if err != nil || status != 200 || m.Bounds().Dx() != 80 || m.Bounds().Dy() != 64 {
		t.Fatalf("%d, %v, %v", status, head, err)
	}
	feed, err := s.feeds.find(robot, sensor, true)
	if err != nil {
		t.Fatal(err)
	}
	listens := func() bool {
		feed.mu.Lock()
		defer feed.mu.Unlock()
		return feed.remove != nil
	}
	if !listens() || s.drawn.Load() == 0 {
		t.Errorf("listens: %v, %d images", listens(), s.drawn.Load())
	}
	until(t, "the listener to go", func() bool { return !listens() })
	drawn, step := s.drawn.Load(), s.truth.Load().Step
	until(t, "half a second of steps", func() bool { return s.truth.Load().Step > step+100 })
	if now := s.drawn.Load(); now != drawn {
		t.Errorf("%d images were drawn for nobody", now-drawn)
	}

	// A paused run shows its present state at once, and again after a body was moved.
	s.do(`{"pause": {}}`)
	_, head, _ = s.send("GET", path, "", nil)
	if want := s.sim.Clock().Time().Seconds(); !(math.Abs(number(t, head.Get("Omnipitch-Stamp"))-want) < 1e-9) {
		t.Errorf("paused at %v s, the picture is of %s s", want, head.Get("Omnipitch-Stamp"))
	}
	first := head.Get("Omnipitch-Frame")
	s.do(`{"place": {"name": "ball", "x_m": 0.5, "y_m": 0.5}}`)
	status, head, _ = s.send("GET", path+"?after="+first, "", nil)
	if status != 200 || !(number(t, head.Get("Omnipitch-Frame")) > number(t, first)) {
		t.Errorf("after the ball was placed: %d, frame %s after %s", status, head.Get("Omnipitch-Frame"), first)
	}
}

func number(t testing.TB, text string) float64 {
	t.Helper()
	var x float64
	if err := json.Unmarshal([]byte(text), &x); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return x
}

// TestPictureIsEncodedOnce checks that a picture is encoded once for any number of viewers at one width.
func TestPictureIsEncodedOnce(t *testing.T) {
	f := &frame{obs: observation(200, 100)}
	first, _, err := f.picture(picture{width: 100})
	if err != nil {
		t.Fatal(err)
	}
	again, _, err := f.picture(picture{width: 90})
	if err != nil || &again[0] != &first[0] {
		t.Errorf("it was encoded again: %v", err)
	}
	whole, _, err := f.picture(picture{width: 5000})
	if err != nil {
		t.Fatal(err)
	}
	m, err := jpeg.Decode(bytes.NewReader(whole))
	if err != nil || m.Bounds().Dx() != 200 || m.Bounds().Dy() != 100 {
		t.Errorf("%v, %v", m.Bounds(), err)
	}
}

// TestSlowAndClosedPages checks that a closed page costs nothing: no state is copied and no sensor is subscribed. A
// page that does not read delays nobody.
func TestSlowAndClosedPages(t *testing.T) {
	s := serve(t, small(t))
	begun := s.truth.Load().Step
	until(t, "steps", func() bool { return s.truth.Load().Step > begun+40 })
	copied := func() int64 {
		s.states.mu.Lock()
		defer s.states.mu.Unlock()
		return s.states.newest.truth.Step
	}
	if n := copied(); n != 0 || s.states.wanted.Load() {
		t.Errorf("without a page the state of step %d was copied", n)
	}
	slow, quick := s.watch(), s.watch()            // slow does not read
	stuck, ok := s.states.enter(maxSockets, false) // stuck does not read either, and its connection accepts nothing
	if !ok {
		t.Fatal("there is no place")
	}
	last := s.next(quick, "a state", func(*stateJSON) bool { return true })
	for range 60 {
		now := s.next(quick, "the next state", func(*stateJSON) bool { return true })
		if now.Step < last.Step {
			t.Fatalf("step %d came after %d", now.Step, last.Step)
		}
		last = now
	}
	var newest stateJSON
	if err := json.Unmarshal(<-stuck.next, &newest); err != nil || newest.Step < last.Step {
		t.Errorf("who has taken nothing gets step %d, %v; another has got %d", newest.Step, err, last.Step)
	}
	s.states.leave(stuck)
	_ = slow.CloseNow()
	_ = quick.CloseNow()
	until(t, "the pages to leave", func() bool { return !s.states.watched() })
	until(t, "nothing to be wanted", func() bool { return !s.states.wanted.Load() })
	time.Sleep(2 * stateEvery)
	was, step := copied(), s.truth.Load().Step
	until(t, "steps", func() bool { return s.truth.Load().Step > step+40 })
	if now := copied(); now != was {
		t.Errorf("after pages were closed the state of step %d was copied", now)
	}
}

// TestSocketsAreLimited checks that the number of pages is limited and that a closed page makes room.
func TestSocketsAreLimited(t *testing.T) {
	s := serve(t, small(t))
	var all []*websocket.Conn
	for range maxSockets {
		all = append(all, s.watch())
	}
	if status, _, answer := s.send("GET", "/api/state", "", nil); status != http.StatusServiceUnavailable ||
		!strings.Contains(string(answer), "at most 64") {
		t.Errorf("one more: %d, %s", status, answer)
	}
	for _, c := range all[1:] {
		_ = c.CloseNow()
	}
	until(t, "room", func() bool {
		s.states.mu.Lock()
		defer s.states.mu.Unlock()
		return len(s.states.viewers) == 1
	})
	s.next(s.watch(), "a state", func(*stateJSON) bool { return true })

	conns := make([]net.Conn, 0, maxConns+10)
	for range maxConns + 10 { // idle connections
		c, err := net.Dial("tcp", s.Addr().String())
		if err != nil {
			break
		}
		defer c.Close()
		conns = append(conns, c)
	}
	_ = conns[len(conns)-1].SetReadDeadline(time.Now().Add(deadline))
	if _, err := conns[len(conns)-1].Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the last of many connections: %v, want it closed", err)
	}
	s.next(all[0], "a state all the same", func(*stateJSON) bool { return true })
}

// TestToken checks that an address other than loopback needs a token, as a header or as the cookie that the printed
// address sets.
func TestToken(t *testing.T) {
	s := serve(t, small(t))
	s.token = "secret" // as for a listener at another address; no token is required before
	for _, c := range []struct {
		name, path string
		status     int
		change     func(*http.Request)
	}{
		{"none", "/api/world", 401, nil},
		{"a page without it", "/", 401, nil},
		{"a wrong one", "/?token=secre", 401, nil},
		{"a wrong header", "/api/world", 401, func(r *http.Request) { r.Header.Set("Authorization", "Bearer Secret") }},
		{"a wrong cookie", "/api/world", 401,
			func(r *http.Request) { r.AddCookie(&http.Cookie{Name: s.cookie(), Value: "x"}) }},
		{"the header", "/api/world", 200, func(r *http.Request) { r.Header.Set("Authorization", "Bearer secret") }},
		{"the cookie", "/api/world", 200,
			func(r *http.Request) { r.AddCookie(&http.Cookie{Name: s.cookie(), Value: "secret"}) }},
	} {
		if status, _, answer := s.send("GET", c.path, "", c.change); status != c.status {
			t.Errorf("%s: %d, %s, want %d", c.name, status, answer, c.status)
		}
	}
	_, head, _ := s.send("GET", "/?token=secret", "", nil)
	if got := head.Get("Set-Cookie"); !strings.Contains(got, "secret") || !strings.Contains(got, "HttpOnly") ||
		!strings.Contains(got, "SameSite=Strict") {
		t.Errorf("the printed address brings the cookie %q", got)
	}
	if !strings.HasSuffix(s.URL(), "/?token=secret") {
		t.Errorf("URL is %s", s.URL())
	}
	for addr, want := range map[string]bool{"127.0.0.1:1": true, "[::1]:1": true, "localhost:1": true,
		"0.0.0.0:1": false, ":1": false, "192.0.2.1:1": false, "127.0.0.1.example.org:1": false} {
		if token := newToken(addr); (token == "") != want || !want && len(token) < 20 {
			t.Errorf("%s: token %q", addr, token)
		}
	}
}

// TestCommandWaitsForStep checks a command that moves a body and so needs a step. Without a step the client receives a
// message, and the next step executes the command.
func TestCommandWaitsForStep(t *testing.T) {
	sim, err := omnipitch.New(small(t), omnipitch.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer sim.Close()
	server, err := Listen(sim, Config{Addr: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	s := &served{Server: server, simServer: server.run, t: t, sim: sim}
	status, _, answer := s.send("POST", "/api/do", `{"place": {"name": "ball", "x_m": 3, "y_m": 2}}`, nil)
	if status != http.StatusAccepted || !strings.Contains(string(answer), "waits for the next step") {
		t.Errorf("%d, %s", status, answer)
	}
	if err := sim.Step(); err != nil {
		t.Fatal(err)
	}
	if p := sim.Truth().Ball.PosW; !(math.Abs(p[0]-3) < 0.01 && math.Abs(p[1]-2) < 0.01) {
		t.Errorf("the ball lies at %v", p)
	}
}
