package dashboard

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/omnipitch/omnipitch/worlds"
)

var abuseFor = flag.Duration("dashboard.abuse", 0, "wall time for which the dashboard is abused; 0 leaves it out")

// tokenVariable is the environment variable that gives the token to a client process. That process abuses the dashboard
// with and without it.
const tokenVariable = "OMNIPITCH_DASHBOARD_TOKEN"

// outcomes counts the results of requests.
type outcomes struct {
	mu  sync.Mutex
	all map[string]int
}

func (o *outcomes) count(what string, status int, err error) {
	text := fmt.Sprintf("%s: %d", what, status)
	if status == 0 && err != nil {
		text = what + ": no answer"
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.all[text]++
}

// beAbuser opens 200 sockets that are never read. Some have other origins, some use a host name that is not this
// machine's, and some send a wrong token. Until stdin ends, it sends oversized commands, oversized messages and
// requests that never end, and it requests frames without reading them. It prints the results of all requests.
func beAbuser(url, token, camera string) error {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	o := &outcomes{all: map[string]int{}}
	host := strings.TrimPrefix(url, "http://")
	header := func(i int) (what string, h http.Header, host string) {
		h = http.Header{"Authorization": {"Bearer " + token}}
		switch i % 10 {
		case 7:
			h.Set("Authorization", "Bearer "+strings.Repeat("A", 26))
			return "wrong token", h, ""
		case 8:
			h.Set("Origin", "http://elsewhere.example")
			return "another origin", h, ""
		case 9:
			h.Set("Origin", "http://rebound.example")
			return "another host", h, "rebound.example" // as after DNS rebinding to this machine
		}
		return "socket", h, ""
	}
	for i := range 200 {
		what, h, name := header(i)
		conn, answer, err := websocket.Dial(ctx, "ws://"+host+"/api/state", &websocket.DialOptions{HTTPHeader: h,
			Host: name})
		status := 0
		if answer != nil {
			status = answer.StatusCode
		}
		o.count(what, status, err)
		if err == nil { // no socket is read; every other one sends
			defer conn.CloseNow()
			if i%2 == 0 {
				_ = conn.Write(ctx, websocket.MessageText, bytes.Repeat([]byte("x"), 1<<20))
			}
		}
	}
	var wait sync.WaitGroup
	again := func(f func()) {
		wait.Go(func() {
			for ctx.Err() == nil {
				f()
				time.Sleep(20 * time.Millisecond)
			}
		})
	}
	huge := `{"place": {"name": "` + strings.Repeat("a", 200_000) + `"}}`
	again(func() {
		r, err := http.NewRequestWithContext(ctx, "POST", url+"/api/do", strings.NewReader(huge))
		if err != nil {
			panic(err) // programmer's mistake
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", "Bearer "+token)
		status, err := 0, error(nil)
		var resp *http.Response
		if resp, err = http.DefaultClient.Do(r); err == nil {
			status = resp.StatusCode
			resp.Body.Close()
		}
		if ctx.Err() == nil {
			o.count("huge command", status, err)
		}
	})
	for _, text := range []string{
		"POST /api/do HTTP/1.1\r\nHost: " + host + "\r\nAuthorization: Bearer " + token +
			"\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n{",
		"GET /api/cameras/" + camera + "/next HTTP/1.1\r\nHost: " + host + "\r\nAuthorization: Bearer " + token +
			"\r\n\r\n",
		"GET /",
	} {
		again(func() { // idle connections
			if conn, err := net.Dial("tcp", host); err == nil {
				_, _ = io.WriteString(conn, text)
				time.AfterFunc(3*time.Second, func() { conn.Close() })
				o.count("left alone", 0, nil)
			}
		})
	}
	wait.Wait()
	for _, text := range slices.Sorted(maps.Keys(o.all)) {
		fmt.Printf("%s × %d; ", text, o.all[text])
	}
	fmt.Println()
	return nil
}

// TestAbuseDelaysNobody checks that a run of ten robots at level objects keeps its real-time pace, whatever malicious
// clients do.
func TestAbuseDelaysNobody(t *testing.T) {
	if *abuseFor == 0 {
		t.Skip("by -dashboard.abuse alone")
	}
	w, err := worlds.Load("ten-robots")
	if err != nil {
		t.Fatal(err)
	}
	atObjects(w)
	s := serve(t, w)
	s.token = "a token that others do not have"
	robot, sensor := camera(t, w)
	listenToAll(t, s)
	t.Setenv(tokenVariable, s.token)
	end := startClient(t, "http://"+s.Addr().String(), robot+"/"+sensor)
	time.Sleep(2 * time.Second) // until all sockets are open
	var factors []float64
	for begun := time.Now(); time.Since(begun) < *abuseFor; {
		wall, sim := time.Now(), s.sim.Clock().Time()
		time.Sleep(time.Second)
		factors = append(factors, (s.sim.Clock().Time()-sim).Seconds()/time.Since(wall).Seconds())
	}
	told := end()
	mean := 0.0
	for _, f := range factors {
		mean += f / float64(len(factors))
	}
	t.Logf("real-time factor %.3f, least of a second %.3f; %s", mean, slices.Min(factors), told)
	if !(mean >= 0.97) {
		t.Errorf("the real-time factor is %.3f, want 0.97 at least", mean)
	}
	for _, want := range []string{"socket: 101 × 64", "wrong token: 401 × 20", "another origin: 403 × 20",
		"another host: 403 × 20", "huge command: 413"} {
		if !strings.Contains(told, want) {
			t.Errorf("want %s", want)
		}
	}
}
