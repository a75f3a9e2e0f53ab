package dashboard

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
)

var costFor = flag.Duration("dashboard.cost", 0, "wall time of each part of the measurement of what a page costs; 0 "+
	"leaves it out")

const clientVariable = "OMNIPITCH_DASHBOARD_CLIENT"

// TestMain also serves as a client of another process's dashboard. The client does what the page does, so the processor
// time of the test process is that of the simulation.
func TestMain(m *testing.M) {
	if url := os.Getenv(clientVariable); url != "" {
		err, camera := error(nil), os.Args[len(os.Args)-1]
		if token := os.Getenv(tokenVariable); token != "" {
			err = beAbuser(url, token, camera)
		} else {
			err = beClient(url, camera)
		}
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		return
	}
	code := m.Run()
	closeBrowser()
	os.Exit(code)
}

// beClient reads states and the frames of a camera until stdin ends. It prints the number of each.
func beClient(url, camera string) error {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	states := 0
	conn, _, err := websocket.Dial(ctx, "ws"+strings.TrimPrefix(url, "http")+"/api/state", nil)
	if err != nil {
		return err
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			if _, _, err := conn.Read(ctx); err != nil {
				return
			}
			states++
		}
	}()
	frames := 0
	camera, query, _ := strings.Cut(camera, "?")
	if query == "" {
		query = "width=320"
	}
	for after := "0"; ctx.Err() == nil; {
		r, err := http.NewRequestWithContext(ctx, "GET", url+"/api/cameras/"+camera+"/next?"+query+"&after="+after, nil)
		if err != nil {
			return err
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			break
		}
		if _, err = io.Copy(io.Discard, resp.Body); err == nil && resp.StatusCode == http.StatusOK {
			after = resp.Header.Get("Omnipitch-Frame")
			frames++
		}
		resp.Body.Close()
	}
	<-done
	fmt.Printf("%d states, %d frames\n", states, frames)
	return nil
}

// processorTime returns the processor time of this process.
func processorTime(t testing.TB) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestWhatPagesCost compares a page with one camera, a closed page and no page, with ten robots at level objects in
// real time. The costs are shares of one core, and ratios of the processor time per second of sim time. Each round
// measures all three, so that other load on the machine affects all of them.
func TestWhatPagesCost(t *testing.T) {
	if *costFor == 0 {
		t.Skip("by -dashboard.cost alone")
	}
	w, err := worlds.Load("ten-robots")
	if err != nil {
		t.Fatal(err)
	}
	atObjects(w)
	s := serve(t, w)
	robot, sensor := camera(t, w)
	measurePage(t, s, robot+"/"+sensor, 0.05)
}

// TestWhatPagesWithPicturesCost measures a page that views an omnidirectional camera of 640 × 480 pixels at 20 frames/s
// with all overlays, at the page's display width. Another listener wants the images anyway, and rendering is free here.
// The cost is a share of the machine's cores.
func TestWhatPagesWithPicturesCost(t *testing.T) {
	if *costFor == 0 {
		t.Skip("by -dashboard.cost alone")
	}
	w, err := worlds.Load("ten-robots")
	if err != nil {
		t.Fatal(err)
	}
	atObjects(w)
	robot, sensor := camera(t, w)
	for i := range w.Robots {
		for k := range w.Robots[i].Sensors {
			if c := &w.Robots[i].Sensors[k]; w.Robots[i].Name == robot && c.Name == sensor {
				c.Level, c.Rate, c.Image.Width, c.Image.Height = abstraction.Ideal, 20, 640, 480
			}
		}
	}
	still := drawnOnce(t, w, robot, sensor)
	s := serveDrawnBy(t, w, func(*render.Scene) (render.Renderer, error) { return still, nil })
	measurePage(t, s, robot+"/"+sensor+"?width=320&overlay=detections,bodies,lines,horizon,rim,unseen",
		0.05*float64(runtime.NumCPU()))
}

// stillPicture is a renderer that always returns the same image.
type stillPicture struct{ of *render.Image }

func (p stillPicture) Render(b *render.Batch) error {
	for i := range b.Views {
		copy(b.Views[i].Color.Pix, p.of.Pix)
	}
	return nil
}

func (stillPicture) Close() {}

// drawnOnce returns a renderer that repeats the first image of a camera.
func drawnOnce(t *testing.T, w *worlds.World, robot, sensor string) render.Renderer {
	t.Helper()
	sim, err := omnipitch.New(w, omnipitch.Options{NewRenderer: backend.RayCaster})
	if err != nil {
		t.Fatal(err)
	}
	defer sim.Close()
	o, err := sim.Sensors().Capture(robot, sensor, abstraction.Ideal)
	if err != nil {
		t.Fatal(err)
	}
	return stillPicture{o.Color} // never released
}

// measurePage compares a page that views a camera with a closed page and with no page. It fails the test if the page
// costs more than the given number of cores.
func measurePage(t *testing.T, s *served, camera string, most float64) {
	t.Helper()
	listenToAll(t, s)
	measure := func() float64 {
		cpu, sim := processorTime(t), s.sim.Clock().Time()
		time.Sleep(*costFor)
		return (processorTime(t) - cpu).Seconds() / (s.sim.Clock().Time() - sim).Seconds()
	}
	var none, page, closed []float64
	const rounds = 5
	for range rounds {
		none = append(none, measure())
		end := startClient(t, s.URL(), camera)
		time.Sleep(time.Second)
		page = append(page, measure())
		t.Log(end())
		time.Sleep(idleTime + time.Second)
		closed = append(closed, measure())
	}
	a, b, c := median(none), median(page), median(closed)
	t.Logf("processor time of a second: %.4f s without a page, %.4f s with one (%.3f times, %.2f %% of a core more), "+
		"%.4f s after it was closed (%.3f times)", a, b, b/a, 100*(b-a), c, c/a)
	if !(b-a <= most) {
		t.Errorf("a page costs %.2f %% of a core, want %.0f %% at most", 100*(b-a), 100*most)
	}
	if !(math.Abs(c/a-1) <= 0.1) { // as far as other load on the machine permits
		t.Errorf("a closed page costs %.3f times of none", c/a)
	}
}

// atObjects puts all cameras at level objects.
func atObjects(w *worlds.World) {
	for i := range w.Robots {
		for k := range w.Robots[i].Sensors {
			if c := &w.Robots[i].Sensors[k]; c.Kind.TakesImages() {
				c.Level = abstraction.Objects
			}
		}
	}
}

// listenToAll listens to every sensor, as the programs of robots do.
func listenToAll(t *testing.T, s *served) {
	t.Helper()
	for _, r := range s.sim.World().Robots {
		for _, c := range r.Sensors {
			if _, err := s.sim.Listen(r.Name, c.Name,
				omnipitch.Listener{Observe: func(*sensors.Observation) {}}); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func median(x []float64) float64 {
	x = slices.Sorted(slices.Values(x))
	return x[len(x)/2]
}

// startClient starts this test binary as a client. end stops it and returns its output.
func startClient(t *testing.T, url, camera string) (end func() string) {
	t.Helper()
	cmd := exec.Command(os.Args[0], camera)
	cmd.Env = append(os.Environ(), clientVariable+"="+url)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return func() string {
		in.Close()
		line, _ := bufio.NewReader(out).ReadString('\n')
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
		return strings.TrimSpace(line)
	}
}
