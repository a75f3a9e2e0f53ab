package dashboard

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/coder/websocket"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// processorTime returns the processor time of this process.
func processorTime(t testing.TB) time.Duration {
	t.Helper()
	var u syscall.Rusage
	must.Do(t, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// reportProcessorTime reports the processor time used until end is called. Other load on the machine is not included.
func reportProcessorTime(b *testing.B) (end func()) {
	before := processorTime(b)
	return func() { b.ReportMetric(float64((processorTime(b)-before).Microseconds())/float64(b.N), "µs-cpu/op") }
}

// stillPicture is a renderer that copies one image, so that rendering is not part of a measurement.
type stillPicture struct{ pixels []byte }

func (p stillPicture) Render(b *render.Batch) error {
	for i := range b.Views {
		copy(b.Views[i].Color.Pix, p.pixels)
	}
	return nil
}

func (stillPicture) Close() {}

// listenToAll listens to every sensor, as the programs of robots do.
func listenToAll(t testing.TB, s *served) {
	t.Helper()
	for _, r := range s.sim.World().Robots {
		for _, c := range r.Sensors {
			must.Get(s.sim.Listen(r.Name, c.Name, omnipitch.Listener{Observe: func(*sensors.Observation) {}}))(t)
		}
	}
}

// BenchmarkPageCost measures the processor time per second of sim time of a run of ten robots, with a listener to all
// sensors: without a page, and with a page that shows an omnidirectional camera. The camera is at level objects, or
// takes images of 640 × 480 pixels at 20 frames/s, which the page shows with all overlays.
func BenchmarkPageCost(b *testing.B) {
	w := load(b, "ten-robots")
	robot, sensor := camera(b, w)
	for _, level := range []abstraction.Level{abstraction.Objects, abstraction.Ideal} {
		for i := range w.Robots[0].Sensors {
			if c := &w.Robots[0].Sensors[i]; c.Name == sensor {
				c.Level, c.Rate, c.Image.Width, c.Image.Height = level, 20, 640, 480
			}
		}
		sim := must.Get(omnipitch.New(w, omnipitch.Options{NewRenderer: backend.RayCaster}))(b)
		o := must.Get(sim.Sensors().Capture(robot, sensor, abstraction.Ideal))(b)
		still := func(*render.Scene) (render.Renderer, error) { return stillPicture{o.Color.Pix}, nil }
		s := serve(b, w, drawnBy(still))
		listenToAll(b, s)
		measure := func(b *testing.B) {
			cpu, before := processorTime(b), s.sim.Clock().Time()
			for b.Loop() {
				time.Sleep(time.Second)
			}
			b.ReportMetric((processorTime(b)-cpu).Seconds()/(s.sim.Clock().Time()-before).Seconds(), "cpu-s/sim-s")
		}
		b.Run(string(level)+"/none", measure)
		p := browse(b, s)
		p.press(fmt.Sprintf(`button[data-camera="%s.%s"]`, robot, sensor))
		p.js(`document.querySelectorAll('input[data-overlay]').forEach(box => box.click())`)
		b.Run(string(level)+"/page", measure)
		s.stop()
		sim.Close()
	}
}

// BenchmarkPageIsUsable measures the time from the request of the page until it is usable: ten robots are in place and
// the connection is open.
func BenchmarkPageIsUsable(b *testing.B) {
	p := browse(b, serve(b, load(b, "ten-robots")))
	for b.Loop() {
		p.run(chromedp.Navigate(p.URL()), chromedp.WaitVisible(chromedp.CSS(".body.ball")))
		p.reads("#connection", "connected")
		p.holds(`document.querySelectorAll('.robot').length === 10`)
	}
}

// BenchmarkCameraOnPage counts the frames per second of wall time that the page shows, from a camera with 640 × 480
// pixels and 30 frames per second.
func BenchmarkCameraOnPage(b *testing.B) {
	w := small(b)
	setCameras(w, func(c *sensors.Config) {
		c.Level, c.Rate, c.Image.Width, c.Image.Height = abstraction.Raw, 30, 640, 480
	})
	robot, sensor := camera(b, w)
	p := browse(b, serve(b, w, drawnBy(backend.Tile)))
	p.click(fmt.Sprintf(`button[data-camera="%s.%s"]`, robot, sensor))
	p.holds(`document.querySelector('figure .sight img')?.naturalWidth > 0`)
	p.js(`window.shown = 0
		new MutationObserver(() => { window.shown++ }).observe(document.querySelector('figure .sight'), {childList: true})`)
	begun := time.Now()
	for b.Loop() {
		time.Sleep(time.Second)
	}
	b.ReportMetric(float64(eval[int](p, `window.shown`))/time.Since(begun).Seconds(), "frames/s")
}

// BenchmarkOverlay computes and encodes all overlays of an omnidirectional image of 640 × 480 pixels with ten robots.
func BenchmarkOverlay(b *testing.B) {
	w := load(b, "ten-robots")
	robot, sensor := camera(b, w)
	setCameras(w, func(c *sensors.Config) { c.Image.Width, c.Image.Height = 640, 480 })
	sim := must.Get(omnipitch.New(w, omnipitch.Options{NewRenderer: func(*render.Scene) (render.Renderer, error) {
		return stillPicture{}, nil
	}}))(b)
	defer sim.Close()
	f := &feed{sim: sim, robot: robot, sensor: sensor}
	const all = detectionsOverlay | bodiesOverlay | linesOverlay | horizonOverlay | rimOverlay | unseenOverlay
	for _, c := range []struct {
		name  string
		parts sensors.OverlayParts
		with  overlays
	}{
		{"none", 0, 0}, {"poses", sensors.OverlayPoses, 0}, {"detections", detectionsOverlay.parts(), 0},
		{"lines", linesOverlay.parts(), 0}, {"bodies", bodiesOverlay.parts(), 0},
		{"all", all.parts(), 0}, {"all-encoded", all.parts(), all},
	} {
		b.Run(c.name, func(b *testing.B) {
			size := 0
			defer reportProcessorTime(b)()
			for b.Loop() {
				o := must.Get(sim.Sensors().CaptureOverlaid(robot, sensor, abstraction.Ideal, c.parts))(b)
				if c.with != 0 {
					text := must.Get((&frame{obs: o, feed: f}).overlay(c.with))(b)
					size = len(text)
				}
				o.Release()
			}
			b.ReportMetric(float64(size), "B/frame")
		})
	}
}

// BenchmarkPicture encodes a camera image as JPEG, and a depth image as PNG, at the width of a page.
func BenchmarkPicture(b *testing.B) {
	d := render.NewDepth(640, 480)
	for i := range d.Z {
		d.Z[i] = 0.5 + float32(i/640)*0.01 + float32(i*7919%13)*0.002 // noise
	}
	m := observation(640, 640).Color
	for name, encode := range map[string]func() ([]byte, error){
		"color": func() ([]byte, error) { return encodeJPEG(m, 320) },
		"depth": func() ([]byte, error) { return encodeDepth(d, 360, 0.5, 8) },
	} {
		b.Run(name, func(b *testing.B) {
			defer reportProcessorTime(b)()
			for b.Loop() {
				must.Get(encode())(b)
			}
		})
	}
}

// BenchmarkPoses measures the extra cost of a state for a 3D viewer, with ten robots and twenty cameras. It covers the
// copy made by the stepping goroutine and the message encoded by another. BenchmarkPoses/views measures the one-time
// cost of a world.
func BenchmarkPoses(b *testing.B) {
	sim := must.Get(omnipitch.New(load(b, "ten-robots"), omnipitch.Options{}))(b)
	defer sim.Close()
	var p poses
	var all []spatial.Pose
	b.Run("copy", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			all = p.appendTo(sim, sim.World(), sim.Truth(), all[:0])
		}
	})
	b.Run("message", func(b *testing.B) {
		at := instant{poses: all, moving: len(p.moving)}
		for b.Loop() {
			b.ReportMetric(float64(len(at.message())), "bytes")
		}
	})
	b.Run("views", func(b *testing.B) {
		for b.Loop() {
			viewsOf(sim, sim.World())
		}
	})
}

// BenchmarkLog measures the log's cost of a step without events, and of an event.
func BenchmarkLog(b *testing.B) {
	j := still(b)
	now, event := j.sim.Truth(), &j.sim.World().Events[1]
	b.Run("step", func(b *testing.B) {
		for b.Loop() {
			j.stepped(now)
		}
	})
	b.Run("event", func(b *testing.B) {
		for b.Loop() {
			j.happened(event)
		}
	})
}

var abuseFor = flag.Duration("dashboard.abuse", 0, "wall time for which clients attack the dashboard; 0: not at all")

// TestHostileClientsDelayNobody checks that a run of ten robots at level objects keeps its real-time factor while
// clients open 200 sockets that they never read, some from other origins or with a wrong token. They send oversized
// messages and commands, and requests that never end, and they request frames without reading them.
func TestHostileClientsDelayNobody(t *testing.T) {
	if *abuseFor == 0 {
		t.Skip("-dashboard.abuse is not given")
	}
	w := load(t, "ten-robots")
	s := serve(t, w)
	s.token = "secret"
	robot, sensor := camera(t, w)
	listenToAll(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	host := s.Addr().String()
	for i := range 200 {
		h := http.Header{"Authorization": {"Bearer secret"}}
		switch i % 10 {
		case 8:
			h.Set("Authorization", "Bearer wrong")
		case 9:
			h.Set("Origin", "http://elsewhere.example")
		}
		if conn, _, err := websocket.Dial(ctx, "ws://"+host+"/api/state",
			&websocket.DialOptions{HTTPHeader: h}); err == nil {
			defer conn.CloseNow()
			_ = conn.Write(ctx, websocket.MessageText, bytes.Repeat([]byte("x"), 1<<20))
		}
	}
	head := " HTTP/1.1\r\nHost: " + host + "\r\nAuthorization: Bearer secret\r\nContent-Type: application/json\r\n"
	var wait sync.WaitGroup
	for _, text := range []string{"GET /", "GET /api/cameras/" + robot + "/" + sensor + "/next" + head + "\r\n",
		"POST /api/do" + head + "Content-Length: 60000\r\n\r\n{",
		"POST /api/do" + head + "Content-Length: 200000\r\n\r\n" + strings.Repeat("a", 200000)} {
		wait.Go(func() {
			for ; ctx.Err() == nil; time.Sleep(20 * time.Millisecond) {
				if conn, err := net.Dial("tcp", host); err == nil {
					_, _ = io.WriteString(conn, text)
					time.AfterFunc(3*time.Second, func() { conn.Close() })
				}
			}
		})
	}
	var factors []float64
	mean := 0.0
	for begun := time.Now(); time.Since(begun) < *abuseFor; {
		wall, sim := time.Now(), s.sim.Clock().Time()
		time.Sleep(time.Second)
		factors = append(factors, (s.sim.Clock().Time()-sim).Seconds()/time.Since(wall).Seconds())
		mean += (factors[len(factors)-1] - mean) / float64(len(factors))
	}
	cancel()
	wait.Wait()
	t.Logf("real-time factor %.3f, least of a second %.3f", mean, slices.Min(factors))
	if !(mean >= 0.97) {
		t.Errorf("got a real-time factor of %.3f, want 0.97 at least", mean)
	}
}
