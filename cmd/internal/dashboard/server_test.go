package dashboard

import (
	"bytes"
	"context"
	"encoding/json"
	"image/jpeg"
	"io"
	"math"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/testdata/simtest"
)

// TestStateFollowsTruth checks that states equal those of the simulation, in the order of the world's description. A
// paused run stands still, can be stepped, and shows bodies that were placed.
func TestStateFollowsTruth(t *testing.T) {
	t.Parallel()
	s := serve(t, small(t))
	w, world := get[worldJSON](s, "/api/world"), s.sim.World()
	if len(w.Robots) != 2 || w.Robots[1].Name != world.Robots[1].Name || len(w.Marks) != len(world.Field.Marks()) ||
		!(w.Ball > 0.05) {
		t.Errorf("got %+v, want the bodies and lines of the simulation", w)
	}
	c := s.dial("/api/state")
	first := s.next(c, "a state", nil)
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
		t.Errorf("the robot: got %+v, want (2, -1.5), 90°", r)
	}
	if placed.Step != paused.Step || placed.Step != truth.Step {
		t.Errorf("while paused: got steps %d and %d, want %d", placed.Step, truth.Step, paused.Step)
	}
	s.post("/api/step", `{"steps": 3}`)
	stepped := s.next(c, "three steps", func(now *stateJSON) bool { return now.Step >= paused.Step+3 })
	truth = s.truth.Load()
	if stepped.Step != paused.Step+3 || truth.Step != stepped.Step {
		t.Errorf("after three steps: got steps %d and %d, want %d", stepped.Step, truth.Step, paused.Step+3)
	}
	if p := truth.Robots[1].PoseWB.Pos; !(math.Abs(p[0]-2) < 0.01 && math.Abs(p[1]+1.5) < 0.01) {
		t.Errorf("the robot in the simulation: got %v, want (2, -1.5)", p)
	}
	s.do(`{"set_speed": {"speed": "2"}}`)
	s.do(`{"resume": {}}`)
	s.next(c, "speed 2", func(now *stateJSON) bool { return !now.Paused && now.Speed == "2" })
	s.do(`{"place": {"name": "ball", "x_m": -1, "y_m": 0, "vx_m_s": 4}}`)
	s.next(c, "the ball to roll",
		func(now *stateJSON) bool { return now.Ball.X > -0.5 && now.Ball.VX > 0.5 && now.Ball.X < 4 })
	s.refuses("/api/step", `{}`, 400, "pause it first")
}

// TestWrongRequests checks that the error of a command is one sentence in the terms of world files, and that requests
// of other pages are refused.
func TestWrongRequests(t *testing.T) {
	t.Parallel()
	s := serve(t, small(t))
	robot, sensor := camera(t, s.sim.World())
	for body, want := range map[string]string{
		`{"place": {"name": "ball", "x_m": 60}}`:                              "place: x_m = 60: must lie in [-50, 50]",
		`{"place": {"x_m": 1}}`:                                               "place: name: must be given",
		`{"place": {"name": "bal"}}`:                                          `name = "bal": is neither ball, robot nor obstacle`,
		`{"place": {"name": "ball", "x": 1}}`:                                 "place: x = 1: unknown key; did you mean x_m?",
		`{"place": {"name": "ball", "x_m": 1, "x_m": 2}}`:                     "",
		`{"plaec": {"name": "ball"}}`:                                         `action: plaec = {"name" = "ball"}: unknown key; did you mean place?`,
		`{"place": 1}`:                                                        "action: place = 1: must be a table",
		`{"place": {"name": "ball", "x_m": "1"}}`:                             `place: x_m = "1": must be a number`,
		`{"set_level": {"robot": "cyan9", "sensor": "omni", "level": "raw"}}`: "cyan9",
		`{"set_level": {"robot": "` + robot + `", "sensor": "` + sensor + `", "level": "seen"}}`: `level = "seen"`,
		`{"set_speed": {"speed": "fast"}}`:     "fast",
		`{}`:                                   `action: has 0 keys: must have one, as {"pause": {}} has`,
		`{"pause": {}, "resume": {}}`:          "action: has 2 keys",
		`{"pause": null}`:                      "action: null is no value: leave the key out",
		`[]`:                                   "action: must be a JSON object",
		`{"pause": {}`:                         "action: is no JSON: it ends before the object does",
		`{"pause": {}} {}`:                     "action: must be one JSON object, with nothing after it",
		`{"pause": ` + strings.Repeat("[", 50): "action: is nested deeper than 16 levels",
		`pause`:                                "action: is no JSON",
	} {
		s.refuses("/api/do", body, 400, want)
	}
	const pause = `{"pause": {}}`
	huge := `{"pause": {"x": "` + strings.Repeat("a", maxBody) + `"}}`
	for _, c := range []struct {
		name, method, path, body string
		status                   int
		change                   func(*http.Request)
	}{
		{"a form's type", "POST", "/api/do", pause, 400, header("Content-Type", "text/plain")},
		{"a huge body", "POST", "/api/do", huge, 413, nil},
		{"another origin", "POST", "/api/do", pause, 403, header("Origin", "https://example.org")},
		{"another server of this machine", "POST", "/api/do", pause, 403, header("Origin", "http://localhost:3000")},
		{"another host", "POST", "/api/do", pause, 403, func(r *http.Request) { r.Host = "rebound.example.org" }},
		{"its own host by https", "POST", "/api/do", pause, 403, func(r *http.Request) {
			r.Header.Set("Origin", "https://"+r.Host)
		}},
		{"its own page", "POST", "/api/do", `{"resume": {}}`, 200, func(r *http.Request) { r.Header.Set("Origin", "http://"+r.Host) }},
		{"an image of a stranger's page", "GET", "/api/cameras/cyan1/omni/next", "", 403, header("Sec-Fetch-Site",
			"cross-site")},
		{"an image of another server of this machine", "GET", "/", "", 403, header("Sec-Fetch-Site", "same-site")},
		{"an image of its own page", "GET", "/api/world", "", 200, header("Sec-Fetch-Site", "same-origin")},
		{"a socket of another origin", "GET", "/api/state", "", 403, header("Origin", "https://example.org")},
		{"page", "GET", "/", "", 200, nil},
		{"script", "GET", "/main.js", "", 200, nil},
		{"description", "GET", "/api/openapi.yaml", "", 200, nil},
		{"folder", "GET", "/assets/", "", 404, nil},
		{"source", "GET", "/../server.go", "", 404, nil},
		{"unknown camera", "GET", "/api/cameras/cyan1/none/next", "", 404, nil},
		{"negative width", "GET", "/api/cameras/" + robot + "/" + sensor + "/next?width=-1", "", 400, nil},
	} {
		if status, _, answer := s.send(c.method, c.path, c.body, c.change); status != c.status {
			t.Errorf("%s: got %d, %.200s, want %d", c.name, status, answer, c.status)
		}
	}
	if s.sim.Clock().Paused() {
		t.Error("a refused command has paused the run")
	}
	if _, h, _ := s.send("GET", "/main.js", "", header("Accept-Encoding", "gzip")); h.Get(
		"Content-Encoding") != "gzip" {
		t.Errorf("main.js: got encoding %q, want gzip", h.Get("Content-Encoding"))
	}
}

// TestCameraForWhoLooks checks that a camera is subscribed and rendered only while somebody views it. A viewer at
// another level gets the level that exists.
func TestCameraForWhoLooks(t *testing.T) {
	t.Parallel()
	s := serve(t, small(t))
	robot, sensor := camera(t, s.sim.World())
	path := "/api/cameras/" + robot + "/" + sensor + "/next"
	if level := get[seenJSON](s, path).Level; level != "objects" {
		t.Fatalf("got level %q, want objects", level)
	}
	s.do(`{"set_level": {"robot": "` + robot + `", "sensor": "` + sensor + `", "level": "ideal"}}`)
	status, head, body := 0, http.Header{"Omnipitch-Frame": {"0"}}, []byte(nil)
	for head.Get("Omnipitch-Level") != "ideal" { // frames from before the change arrive first
		status, head, body = s.send("GET", path+"?width=80&after="+head.Get("Omnipitch-Frame"), "", nil)
	}
	m, err := jpeg.Decode(bytes.NewReader(body))
	if err != nil || status != 200 || m.Bounds().Dx() != 80 || m.Bounds().Dy() != 64 {
		t.Fatalf("got %d, %v, %v, want an image of 80 × 64 pixels", status, head, err)
	}
	feed := must.Get(s.feeds.find(robot, sensor, true))(t)
	listens := func() bool {
		feed.mu.Lock()
		defer feed.mu.Unlock()
		return feed.listens
	}
	if !listens() || s.drawn.Load() == 0 {
		t.Errorf("with a viewer: got listener %v, %d images, want a listener and images", listens(), s.drawn.Load())
	}
	until(t, "the listener to be removed", func() bool { return !listens() })
	drawn := s.drawn.Load()
	s.simulate(500 * time.Millisecond)
	if now := s.drawn.Load(); now != drawn {
		t.Errorf("%d images were drawn without a viewer", now-drawn)
	}

	// A paused run shows its present state at once, and again after a body was moved.
	s.do(`{"pause": {}}`)
	_, head, _ = s.send("GET", path, "", nil)
	if want := s.sim.Clock().Time().Seconds(); !(math.Abs(number(t, head.Get("Omnipitch-Stamp"))-want) < 1e-9) {
		t.Errorf("the picture of a paused run: got stamp %s s, want %v s", head.Get("Omnipitch-Stamp"), want)
	}
	first := head.Get("Omnipitch-Frame")
	s.do(`{"place": {"name": "ball", "x_m": 0.5, "y_m": 0.5}}`)
	status, head, _ = s.send("GET", path+"?after="+first, "", nil)
	if status != 200 || !(number(t, head.Get("Omnipitch-Frame")) > number(t, first)) {
		t.Errorf("after the ball was placed: got %d, frame %s, want one after %s", status, head.Get("Omnipitch-Frame"),
			first)
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

// TestSlowAndClosedPages checks that a closed page costs nothing: no state is copied and no sensor is subscribed. A
// page that does not read delays nobody.
func TestSlowAndClosedPages(t *testing.T) {
	t.Parallel()
	s := serve(t, small(t))
	s.simulate(200 * time.Millisecond)
	copied := func() int64 {
		s.states.mu.Lock()
		defer s.states.mu.Unlock()
		return s.states.newest.truth.Step
	}
	if n := copied(); n != 0 || s.states.wanted.Load() {
		t.Errorf("without a page, the state of step %d was copied", n)
	}
	slow, quick := s.dial("/api/state"), s.dial("/api/state") // slow does not read
	// stuck does not read either, and its connection accepts nothing
	stuck := s.states.enter(false)
	last := s.next(quick, "a state", nil)
	for range 20 {
		now := s.next(quick, "the next state", nil)
		if now.Step < last.Step {
			t.Fatalf("step %d came after %d", now.Step, last.Step)
		}
		last = now
	}
	var newest stateJSON
	if err := json.Unmarshal(<-stuck.next, &newest); err != nil || newest.Step < last.Step {
		t.Errorf("a viewer that has read nothing: got step %d, %v, want %d or later", newest.Step, err, last.Step)
	}
	s.states.leave(stuck)
	_ = slow.CloseNow()
	_ = quick.CloseNow()
	until(t, "the pages to leave", func() bool { return !s.states.watched() })
	until(t, "no state to be copied after pages were closed", func() bool {
		was := copied()
		s.simulate(200 * time.Millisecond)
		return copied() == was
	})
}

// TestSocketsMakeRoom checks that WebSockets are limited, and that they lock no new page out.
func TestSocketsMakeRoom(t *testing.T) {
	t.Parallel()
	s := serve(t, small(t))
	first := s.dial("/api/state")
	for range 2 * maxSockets {
		s.dial("/api/state")
	}
	s.next(s.dial("/api/state"), "a state", nil)
	s.next(first, "a state in spite of the others", nil)
	until(t, "the number of pages to be limited", func() bool {
		s.states.mu.Lock()
		defer s.states.mu.Unlock()
		return len(s.states.viewers) <= maxSockets
	})
}

// TestWaitsMakeRoom checks that requests that wait for frames lock no new request out.
func TestWaitsMakeRoom(t *testing.T) {
	t.Parallel()
	w := looking(t, 120, 96)
	s := serve(t, w)
	robot, sensor := camera(t, w)
	path := "/api/cameras/" + robot + "/" + sensor + "/next"
	feed := must.Get(s.feeds.find(robot, sensor, true))(t)
	var over sync.WaitGroup
	defer over.Wait()
	var answered atomic.Int32
	for range 2 * maxWaiting {
		over.Go(func() { // no frame has such a serial number
			if status, _, answer := s.send("GET", path+"?after=1000000000", "", nil); status != 204 {
				t.Errorf("a wait for a frame that never comes: got %d, %s, want 204", status, answer)
			}
			answered.Add(1)
		})
	}
	until(t, "requests to wait", func() bool { return feed.waiting.Load()+answered.Load() >= 2*maxWaiting })
	if status, _, answer := s.send("GET", path, "", nil); status != 200 {
		t.Errorf("a request besides those that wait: got %d, %.80s, want 200", status, answer)
	}
}

// TestToken checks that an address other than loopback needs a token, as a header or as the cookie that the printed
// address sets.
func TestToken(t *testing.T) {
	t.Parallel()
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
		{"a wrong header", "/api/world", 401, header("Authorization", "Bearer Secret")},
		{"a wrong cookie", "/api/world", 401, header("Cookie", s.cookie()+"=x")},
		{"the header", "/api/world", 200, header("Authorization", "Bearer secret")},
		{"the cookie", "/api/world", 200, header("Cookie", s.cookie()+"=secret")},
	} {
		status, _, answer := s.send("GET", c.path, "", c.change)
		if status != c.status {
			t.Errorf("%s: got %d, %s, want %d", c.name, status, answer, c.status)
		}
	}
	c := must.Get(net.Dial("tcp", s.Addr().String()))(t)
	defer c.Close()
	_ = c.SetReadDeadline(time.Now().Add(deadline))
	must.Get(io.WriteString(c, "GET /api/world HTTP/1.1\r\nHost: localhost\r\n\r\n"))(t)
	if answer, err := io.ReadAll(c); err != nil || !strings.Contains(string(answer), " 401 ") {
		t.Errorf("a connection without the token: got %q, %v, want status 401 and its end", answer, err)
	}
	_, head, _ := s.send("GET", "/?token=secret", "", nil)
	if got := head.Get("Set-Cookie"); !strings.Contains(got, "secret") || !strings.Contains(got, "HttpOnly") ||
		!strings.Contains(got, "SameSite=Strict") {
		t.Errorf("got the cookie %q, want the token, HttpOnly and SameSite=Strict", got)
	}
	if !strings.HasSuffix(s.URL(), "/?token=secret") {
		t.Errorf("got URL %s, want one that ends with the token", s.URL())
	}
	for addr, want := range map[string]bool{"127.0.0.1:1": true, "[::1]:1": true, "localhost:1": true,
		"0.0.0.0:1": false, ":1": false, "192.0.2.1:1": false, "127.0.0.1.example.org:1": false} {
		if token := newToken(addr); (token == "") != want || !want && len(token) < 20 {
			t.Errorf("%s: got token %q, want none: %v", addr, token, want)
		}
	}
}

// TestCommandWaitsForStep checks a command that moves a body and so needs a step. Without a step the client receives a
// message, and the next step executes the command.
func TestCommandWaitsForStep(t *testing.T) {
	t.Parallel()
	sim := must.Get(omnipitch.New(small(t), omnipitch.Options{}))(t)
	defer sim.Close()
	server := must.Get(Listen(sim, Config{Addr: "127.0.0.1:0"}))(t)
	defer server.Close()
	s := &served{Server: server, simServer: server.run, t: t, sim: sim}
	s.refuses("/api/do", `{"place": {"name": "ball", "x_m": 3, "y_m": 2}}`, 202, "waits for the next step")
	must.Do(t, sim.Step())
	if p := sim.Truth().Ball.PosW; !(math.Abs(p[0]-3) < 0.01 && math.Abs(p[1]-2) < 0.01) {
		t.Errorf("the ball: got %v, want (3, 2)", p)
	}
}

// A state is passed to viewers once, even if it was announced twice: before pass has taken it, and while it took it.
func TestStatesPassOnce(t *testing.T) {
	sim := simtest.New(t, small(t), omnipitch.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // so that only this test calls pass
	s := newSimServer(ctx, sim.Sim, nil, nil)
	defer s.close()
	v := s.states.enter(false)
	var copied instant
	for range 2 {
		sim.Steps(1)
		s.states.copyState(sim.Truth())
		s.states.pass(&copied)
		if got := len(v.next); got != 1 {
			t.Fatalf("got %d states after a step, want 1", got)
		}
		<-v.next
		s.states.pass(&copied)
		if got := len(v.next); got != 0 {
			t.Fatalf("got the state %s again", <-v.next)
		}
	}
}
